import CryptoKit
import Foundation

/// What both sides of a protected session have said before they exchange shares, checked to fit together.
///
/// It becomes part of the key: a byte that was heard otherwise than said leaves the two sides with different ones.
struct ProtectedContext: Sendable {
    let conversation: UInt16
    let welcome: ExchangeWelcome
    let stretching: ExchangeWelcome.Stretching
    private let said: Data

    /// - Parameters:
    ///   - hello: The client's message, as it was sent.
    ///   - welcome: The camera's, as it was sent.
    init(hello: Data, welcome: Data) throws(ProtectedPairingError) {
        do { (conversation, self.welcome, stretching) = try Self.read(hello: hello, welcome: welcome) } catch {
            throw .unusable(error)
        }
        guard self.welcome.info.layouts.contains(.protected) else { throw .layoutNotListed }
        var said = Data("Porchlight pairing".utf8)
        said += [ExchangeRequest.version, PairingLayout.protected.rawValue]
        for message in [hello, welcome] {
            said += UInt16(message.count).bigEndianBytes
            said += message
        }
        self.said = said
    }

    private static func read(
        hello: Data, welcome: Data
    ) throws(WireError) -> (UInt16, ExchangeWelcome, ExchangeWelcome.Stretching) {
        guard case .hello(let conversation) = try ExchangeRequest(decoding: hello) else {
            throw .value(field: "hello", reason: "it is another message")
        }
        let (answered, answer) = try ExchangeAnswer.addressed(decoding: welcome)
        guard case .welcome(let decoded) = answer else {
            throw .value(field: "welcome", reason: "it is another message")
        }
        guard answered == conversation else {
            throw .value(field: "conversation", reason: "the welcome is of another one")
        }
        guard let stretching = decoded.stretching else { throw .missing(field: "salt") }
        return (conversation, decoded, stretching)
    }

    /// The setting of the exchange that follows.
    func setting(_ kind: ExchangeRequest.PasswordKind) -> SPAKE2Plus.Setting {
        SPAKE2Plus.Setting(
            context: said + [kind.rawValue], verifier: Data((welcome.deviceID?.rawValue ?? "").utf8))
    }
}
