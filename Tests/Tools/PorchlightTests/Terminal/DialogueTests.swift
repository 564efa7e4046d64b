import Foundation
import Porchlight
import TestSupport
import Testing
import Wire

@testable import porchlight

@Suite("Questions to a pipe", .timeLimit(.minutes(1)))
struct DialogueTests {
    private let input = Pipe()
    private let output = Pipe()
    private let clock = ManualClock()

    private var dialogue: Dialogue {
        Dialogue(
            screen: Screen(isLive: false, output: output.fileHandleForWriting),
            input: InputReader(input.fileHandleForReading.fileDescriptor), isPerson: false, clock: clock)
    }

    private func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    @Test("Each question takes its line and leaves the rest to the next")
    func lines() async throws {
        type("wrong\nbattery staple\n1234-5678\n")
        let dialogue = dialogue
        let (password, code) = try await within(.seconds(20), "two answers") {
            (
                try await dialogue.ask(PasswordQuestion(for: "x", mayBeOpen: false)),
                try await dialogue.ask(SetupCodeQuestion())
            )
        }
        #expect(password == Secret("battery staple"))
        #expect(code?.revealed == "12345678")
    }

    @Test("An end without an answer is told; a setup code may be missing")
    func ended() async throws {
        try input.fileHandleForWriting.close()
        let dialogue = dialogue
        await #expect(throws: Dialogue.Unanswered.self) {
            try await within(.seconds(20), "the end") {
                try await dialogue.ask(PasswordQuestion(for: "x", mayBeOpen: false))
            }
        }
        #expect(try await within(.seconds(20), "none") { try await dialogue.ask(SetupCodeQuestion()) } == nil)
    }

    @Test("Cancelling ends the wait, and what comes later is for who asks later")
    func cancelled() async throws {
        let dialogue = dialogue
        let asking = Task { try await dialogue.ask(PasswordQuestion(for: "x", mayBeOpen: false)) }
        asking.cancel()
        await #expect(throws: CancellationError.self) {
            try await within(.seconds(20), "its end") { try await asking.value }
        }
        type("battery staple\n")
        let password = try await within(.seconds(20), "an answer") {
            try await dialogue.ask(PasswordQuestion(for: "x", mayBeOpen: false))
        }
        #expect(password == Secret("battery staple"))
    }

    @Test("A list that fails ends the question with its error")
    func failed() async throws {
        struct Fault: Error {}
        let dialogue = dialogue
        let items = AsyncThrowingStream<[BLECamera], any Error> { $0.finish(throwing: Fault()) }
        await #expect(throws: Fault.self) {
            try await within(.seconds(20), "its end") { try await dialogue.ask(CameraQuestion(), from: items) }
        }
    }

    @Test("A line that names what is not there is given its time, then the next line is taken")
    func patience() async throws {
        type("2\n1\n")
        let dialogue = dialogue
        let camera = BLECamera(name: "Camera A1B2", identifier: UUID(), rssi: -50)
        let (items, feed) = AsyncStream.makeStream(of: [BLECamera].self)
        feed.yield([camera])
        async let chosen = within(.seconds(20), "an answer") {
            try await dialogue.ask(CameraQuestion(), from: items)
        }
        await clock.sleepers()
        clock.advance(by: Dialogue.patience)
        #expect(try await chosen == camera)
    }
}
