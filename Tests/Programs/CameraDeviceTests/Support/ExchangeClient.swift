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
    /// The key, on the protected layout.
    private(set) var channel: SealedChannel?
    private var reassembler = FrameReassembler()
    private var hello = Data()
    private var welcome = Data()

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
        hello = ExchangeRequest.hello(conversation: conversation).encoded
        channel = nil
        try await send(bytes: hello)
        guard case .welcome(let welcome) = try await next() else { throw Silent() }
        return welcome
    }

    /// Agrees upon a key, after a hello.
    /// - Returns: The camera's last word: an answer, sealed where it has accepted.
    func agree(_ code: SetupCode?) async throws -> ExchangeAnswer {
        var handshake = try ProtectedClientHandshake(hello: hello, welcome: welcome, code: code)
        try await send(handshake.share)
        let answer = try await next()
        guard case .share(let share, let confirmation) = answer else { return answer }
        guard let (confirm, channel) = try? handshake.finish(share: share, confirmation: confirmation) else {
            // The client knows now, and guesses on.
            try await send(.confirm(Data(repeating: 7, count: ExchangeRequest.confirmationBytes)))
            return try await next()
        }
        try await send(confirm)
        self.channel = channel
        return try await next()
    }

    /// Sends a message, sealed where there is a key.
    /// - Returns: Its number.
    @discardableResult
    func send(_ request: ExchangeRequest) async throws -> UInt8 {
        guard request.isSealable, let sealed = try channel?.seal(request.encoded) else {
            return try await send(bytes: request.encoded)
        }
        return try await send(bytes: ExchangeRequest.sealed(sealed).encoded)
    }

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
            guard addressee == conversation else { continue }
            switch answer {
            case .welcome:
                welcome = message
                return answer
            case .sealed(let sealed):
                guard let opened = try channel?.open(sealed) else { throw Silent() }
                return try ExchangeAnswer(decodingSealed: opened)
            case .record, .answer, .state, .share:
                return answer
            }
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
