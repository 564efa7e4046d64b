import Foundation
import Testing

@testable import Wire

/// The bytes that pairs of hexadecimal digits name.
func hexadecimal(_ text: String) -> Data {
    let digits = Array(text)
    precondition(digits.count.isMultiple(of: 2), "half a byte")
    return Data(
        stride(from: 0, to: digits.count, by: 2).map { index in
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else {
                preconditionFailure("not hexadecimal")
            }
            return byte
        })
}

/// A client and a camera with everything that they say before they share a key.
struct ProtectedPair: Sendable {
    static let id = DeviceID(rawValue: "PLC0123456789ABCDEFGHJKMNPQ")
    /// Cheap, and just within what a client accepts.
    static let stretching = ExchangeWelcome.Stretching(salt: Data(0..<16), logN: 10, r: 1, p: 1)

    var hello = ExchangeRequest.hello(conversation: 0xA1B2).encoded
    var welcome: Data
    var verifier: PasswordVerifier
    var code: SetupCode?

    init(
        code: String? = "13572468", registered: String? = "13572468", id: DeviceID? = ProtectedPair.id,
        stretching: ExchangeWelcome.Stretching = ProtectedPair.stretching
    ) throws {
        self.code = try code.map { try SetupCode($0) }
        verifier = try PasswordVerifier(
            code: registered.map { try SetupCode($0) }, stretching: stretching, deviceID: id)
        welcome = try Self.welcome(id: id, stretching: stretching)
    }

    static func welcome(
        layouts: PairingInfo.Layouts = .protected, id: DeviceID? = ProtectedPair.id,
        stretching: ExchangeWelcome.Stretching? = ProtectedPair.stretching, conversation: UInt16 = 0xA1B2
    ) throws -> Data {
        let info = PairingInfo(layouts: layouts, capabilities: [.managesWiFi, .setupCode], model: "Porchlight")
        let welcome = ExchangeWelcome(
            info: info, deviceID: id, state: PairingState(phase: .waiting), stretching: stretching)
        return try ExchangeAnswer.welcome(welcome).encoded(for: conversation)
    }

    func client() throws -> ProtectedClientHandshake {
        try ProtectedClientHandshake(hello: hello, welcome: welcome, code: code)
    }

    func camera(_ client: ProtectedClientHandshake) throws -> ProtectedCameraHandshake {
        try ProtectedCameraHandshake(hello: hello, welcome: welcome, share: client.shareBytes, verifier: verifier)
    }

    /// Both sides, once they agree.
    func channels() throws -> (client: SealedChannel, camera: SealedChannel) {
        var client = try client()
        var camera = try camera(client)
        let (share, confirmation) = camera.answerBytes
        let (confirm, channel) = try client.finish(share: share, confirmation: confirmation)
        return (channel, try camera.finish(confirmation: confirm.confirmationBytes))
    }
}

extension ProtectedClientHandshake {
    var shareBytes: Data { if case .share(_, let share) = share { share } else { Data() } }
}

extension ProtectedCameraHandshake {
    var answerBytes: (share: Data, confirmation: Data) {
        if case .share(let share, let confirmation) = answer { (share, confirmation) } else { (Data(), Data()) }
    }
}

extension ExchangeRequest {
    var confirmationBytes: Data { if case .confirm(let confirmation) = self { confirmation } else { Data() } }
}
