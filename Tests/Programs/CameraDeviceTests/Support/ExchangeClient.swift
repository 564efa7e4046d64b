import CoreBluetooth
import Foundation
import TestSupport
import Wire

@testable import CameraDevice

/// A client of the chunked or the protected layout for tests, over a ``TestCentral``.
actor ExchangeClient {
    struct Silent: Error {}

    nonisolated let central: TestCentral
    nonisolated let conversation: UInt16
    /// The number of the next message.
    private(set) var number: UInt8 = 0
    private var reassembler = FrameReassembler()

    init(_ central: TestCentral, conversation: UInt16 = 0xA1B2) {
        self.central = central
        self.conversation = conversation
    }

    private nonisolated var exchange: PairingAttribute { .exchange(central.layout) }

    /// Finds the camera, connects, and listens.
    func connect() async throws {
        try await within(.seconds(20), "a link") { [central, exchange] in
            central.scan()
            _ = await central.sightings.first { _ in true }
            try await central.connect()
            if central.layout != .standard { try await central.subscribe(exchange) }
        }
    }

    /// Says hello.
    func hello() async throws -> ExchangeWelcome {
        try await send(.hello(conversation: conversation))
        guard case .welcome(let welcome) = try await next() else { throw Silent() }
        return welcome
    }

    /// Sends a message.
    /// - Returns: Its number.
    @discardableResult
    func send(_ request: ExchangeRequest) async throws -> UInt8 { try await send(bytes: request.encoded) }

    /// Sends the bytes of a message.
    @discardableResult
    func send(bytes: Data) async throws -> UInt8 {
        for frame in try await frames(of: bytes) { try await write(frame) }
        number &+= 1
        return number &- 1
    }

    /// The frames that a message of the next number has on this link.
    func frames(of bytes: Data) async throws -> [Data] {
        try Frame.split(bytes, message: number, limit: await central.frameLimit()).map(\.encoded)
    }

    /// Writes a frame.
    nonisolated func write(_ frame: Data) async throws {
        try await within(.seconds(20), "the answer to a write") { [central, exchange] in
            try await central.write(frame, exchange)
        }
    }

    /// How the camera refuses a frame; nil when it takes it.
    nonisolated func refusal(of frame: Data) async -> PairingService.WriteRefusal? {
        do {
            try await write(frame)
            return nil
        } catch {
            return (error as? CBATTError).flatMap { PairingService.WriteRefusal(rawValue: $0.code.rawValue) }
        }
    }

    /// How far the camera is in the messages.
    nonisolated func position() async throws -> ExchangePosition {
        try ExchangePosition(decoding: try await central.read(exchange))
    }

    /// The next message of the camera in this conversation.
    func next() async throws -> ExchangeAnswer {
        while true {
            let frame = try await within(.seconds(20), "a message of the camera") { [central] in
                await central.frames.first { _ in true }
            }
            guard let frame else { throw Silent() }
            guard let message = try reassembler.receive(frame) else { continue }
            let (addressee, answer) = try ExchangeAnswer.addressed(decoding: message)
            if addressee == conversation { return answer }
        }
    }

    /// The camera's messages until one that a test waits for, this one included.
    func all(until isLast: @Sendable (ExchangeAnswer) -> Bool) async throws -> [ExchangeAnswer] {
        var answers: [ExchangeAnswer] = []
        repeat { answers.append(try await next()) } while !answers.contains(where: isLast)
        return answers
    }

    /// The camera's messages until a phase.
    func states(until phase: PairingState.Phase) async throws -> [ExchangeAnswer] {
        try await all { if case .state(let state) = $0 { state.phase == phase } else { false } }
    }
}
