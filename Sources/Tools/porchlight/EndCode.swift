import Porchlight
import Wire

/// How a pairing ends for a script: an exit code, and a name for it. Part of the interface; documented in
/// docs/guide/command-line.md.
enum EndCode: Int32, Sendable, CaseIterable {
    /// Something that has no code of its own.
    case failed = 1
    /// There is no Bluetooth here, it is off, or not allowed.
    case noBluetooth = 10
    /// No camera, or not the one that was named, is heard.
    case noCamera = 11
    /// The connection to the camera failed or broke, or the camera did not answer.
    case noConnection = 12
    /// The camera does not hear the network, or none at all.
    case noNetwork = 13
    /// The network's password is wrong.
    case wrongPassword = 14
    /// The camera did not get onto the network, for another reason or an unknown one.
    case notJoined = 15
    /// The setup code is wrong.
    case wrongSetupCode = 16
    /// After too many wrong setup codes the camera takes none for a while.
    case locked = 17
    /// The camera and the options do not agree on protected pairing: one of them insists on what the other has not.
    case notProtected = 18
    /// The cloud is not reached, or does not accept the token or the space.
    case cloud = 20
    /// The camera does not reach the cloud, or the cloud does not accept it.
    case cameraNotAccepted = 21
    /// The camera is paired, and its picture does not come.
    case noPicture = 22
    /// The words are wrong, or a question had no answer.
    case usage = 64
    /// By Ctrl-C or a signal.
    case interrupted = 130

    /// The code for an error of the SDK; nil where the step knows better.
    init?(for error: any Error) {
        switch error {
        case let error as CameraPairingError:
            guard let code = Self.code(for: error) else { return nil }
            self = code
        case let failure as PairingFailure: self = Self.code(for: failure)
        case let refusal as JoinRefusal: self = Self.code(for: refusal.failure)
        case is CloudError: self = .cloud
        case PairingSessionError.cloud: self = .cloud
        case is PairingSessionError: self = .notJoined
        case is LiveViewError: self = .noPicture
        default: return nil
        }
    }

    private static func code(for error: CameraPairingError) -> EndCode? {
        switch error {
        case .bluetoothOff, .bluetoothNotAllowed, .bluetoothUnsupported: .noBluetooth
        case .noCameraFound, .cameraUnknown: .noCamera
        case .noNetworks, .networkScanFailed, .networkListEndless: .noNetwork
        case .noOutcome, .alreadyOnNetwork: .notJoined
        case .notJoined(let failure): code(for: failure)
        case .invalidField, .invalidSetupCode: .usage
        case .wrongSetupCode: .wrongSetupCode
        case .pairingLocked: .locked
        case .setupCodeRequired, .protectedPairingNotOffered, .layoutHidden: .notProtected
        default: .noConnection
        }
    }

    private static func code(for failure: PairingFailure) -> EndCode {
        switch failure {
        case .wrongPassword, .invalidCredentials: .wrongPassword
        case .networkNotFound: .noNetwork
        case .cloudUnreachable, .keyRefused, .unknownDestination, .alreadyClaimed: .cameraNotAccepted
        case .internalFault: .failed
        default: .notJoined
        }
    }
}

/// A camera has tried to join, and says why it has not.
struct JoinRefusal: Error, CustomStringConvertible {
    var failure: PairingFailure
    /// Whether other credentials can be given at once.
    var isStillConnected: Bool

    var description: String { failure.description }
}
