import Foundation
import Wire

@testable import CameraDevice

/// A client of the protected layout that talks to the rules themselves.
struct ProtectedPeer {
    let client = UUID()
    let conversation: UInt16
    /// The number of the next message.
    private(set) var number: UInt8 = 0
    /// What the camera said in the clear and not.
    private(set) var heard: [ExchangeAnswer] = []
    /// The bytes of all messages of the camera.
    private(set) var bytes: [Data] = []
    var channel: SealedChannel?
    private var hello = Data()
    private var welcome = Data()

    init(conversation: UInt16 = 0xA1B2) { self.conversation = conversation }

    var lane: MessageQueue.Lane { MessageQueue.Lane(layout: .protected, client: client) }

    /// Says something, sealed where there is a key.
    @discardableResult
    mutating func say(_ request: ExchangeRequest, to rules: inout PairingRules) throws -> [PairingRules.Action] {
        if request.isSealable, let sealed = try channel?.seal(request.encoded) {
            return try say(bytes: ExchangeRequest.sealed(sealed).encoded, to: &rules)
        }
        return try say(bytes: request.encoded, to: &rules)
    }

    /// Says the bytes of a message.
    @discardableResult
    mutating func say(bytes: Data, to rules: inout PairingRules) throws -> [PairingRules.Action] {
        defer { number &+= 1 }
        let actions = try rules.say(bytes, number: number, on: .protected, by: client)
        try hear(actions, of: &rules)
        return actions
    }

    /// Hears what is meant for it.
    mutating func hear(_ actions: [PairingRules.Action], of rules: inout PairingRules) throws {
        for case .send(let message, lane) in actions {
            guard let encoded = rules.encode(message, for: lane) else { continue }
            bytes.append(encoded)
            let answer = try ExchangeAnswer.addressed(decoding: encoded).answer
            if case .welcome = answer { welcome = encoded }
            if case .sealed(let sealed) = answer, let opened = try channel?.open(sealed) {
                heard.append(try ExchangeAnswer(decodingSealed: opened))
            } else {
                heard.append(answer)
            }
        }
    }

    /// The camera's words since it was asked last.
    mutating func takeHeard() -> [ExchangeAnswer] {
        defer { heard = [] }
        return heard
    }

    /// Says hello.
    mutating func greet(_ rules: inout PairingRules) throws {
        hello = ExchangeRequest.hello(conversation: conversation).encoded
        channel = nil
        try say(bytes: hello, to: &rules)
    }

    /// The client's half of a handshake.
    func handshake(_ code: SetupCode?) throws -> ProtectedClientHandshake {
        try ProtectedClientHandshake(hello: hello, welcome: welcome, code: code)
    }

    /// Says hello and shows that it knows a password, or does not.
    /// - Returns: All that the rules want done; what was said is in ``heard``.
    @discardableResult
    mutating func agree(_ code: SetupCode?, with rules: inout PairingRules) throws -> [PairingRules.Action] {
        try greet(&rules)
        heard = []
        var handshake = try handshake(code)
        var actions = try say(handshake.share, to: &rules)
        guard case .share(let share, let confirmation) = heard.last else { return actions }
        heard = []
        guard let (confirm, channel) = try? handshake.finish(share: share, confirmation: confirmation) else {
            actions += try say(.confirm(Data(repeating: 7, count: ExchangeRequest.confirmationBytes)), to: &rules)
            return actions
        }
        self.channel = channel
        return actions + (try say(confirm, to: &rules))
    }
}
