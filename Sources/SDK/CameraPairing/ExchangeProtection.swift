import Foundation
import Wire

/// The client's half of the protected layout: the handshake, then the key.
///
/// Confined to the central's queue. Stretching the password takes tens of milliseconds, and is done beside it.
final class ExchangeProtection {
    private let hello: Data
    private var code: SetupCode?
    private var handshake: ProtectedClientHandshake?
    private var channel: SealedChannel?

    /// - Parameter hello: The whole message, as it was sent.
    init(hello: Data) { self.hello = hello }

    /// Whether there is a key. The camera has proved that it knows the password; only its last word is still to come.
    var isAgreed: Bool { channel != nil }

    /// Makes the first message of the handshake.
    /// - Parameters:
    ///   - welcome: The whole message, as it came.
    ///   - done: Called on the queue with what is to be sent.
    func begin(
        welcome: Data, _ setting: ConversationSetting,
        done: @escaping (Result<ExchangeRequest, CameraPairingError>) -> Void
    ) {
        let code = setting.wishes.setupCode
        self.code = code
        let work: @Sendable () -> Result<ProtectedClientHandshake, CameraPairingError> = {
            [hello, randomness = setting.randomness] in
            Result { try randomness.handshake(hello, welcome, code) }.mapError { CameraPairingError($0, code: code) }
        }
        setting.runBeside(work) { [weak self] result in
            guard let self else { return }
            if case .success(let handshake) = result { self.handshake = handshake }
            done(result.map(\.share))
        }
    }

    /// Checks the camera's proof, and makes the key.
    /// - Returns: What is to be sent.
    func finish(share: Data, confirmation: Data) throws(CameraPairingError) -> ExchangeRequest {
        guard var handshake else { throw .sessionLost }
        self.handshake = nil
        do {
            let (confirm, channel) = try handshake.finish(share: share, confirmation: confirmation)
            self.channel = channel
            return confirm
        } catch {
            throw CameraPairingError(error, code: code)
        }
    }

    /// A request as it travels.
    func seal(_ request: ExchangeRequest) throws -> ExchangeRequest {
        guard channel != nil, let sealed = try channel?.seal(request.encoded) else {
            throw CameraPairingError.sessionLost
        }
        return .sealed(sealed)
    }

    /// What was sealed. Bytes that open and mean nothing are a later version's.
    func open(_ sealed: Data) throws -> ExchangeAnswer? {
        guard let message = try channel?.open(sealed) else { return nil }
        return try? ExchangeAnswer(decodingSealed: message)
    }
}

extension CameraPairingError {
    /// What a refusal of the whole conversation means to a person.
    init(_ refusal: PairingService.WriteRefusal) {
        self =
            switch refusal {
            case .busy: .cameraBusy
            case .locked: .pairingLocked
            case .wrongSetupCode: .wrongSetupCode
            case .setupCodeRequired: .setupCodeRequired
            case .noSession: .sessionLost
            default: .refused(refusal)
            }
    }

    /// What a failed handshake means. Without a code there is none that could be wrong.
    init(_ error: any Error, code: SetupCode?) {
        self =
            switch error as? ProtectedPairingError {
            case .wrongPassword where code != nil: .wrongSetupCode
            case .layoutNotListed: .layoutHidden
            case .unusable(let reason): .connectionFailed("the camera's welcome is of no use: \(reason)")
            default: .sessionLost
            }
    }
}
