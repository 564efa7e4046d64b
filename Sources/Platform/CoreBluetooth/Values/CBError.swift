// Apple's names are not lowerCamelCase.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// What went wrong with the radio or a connection.
///
/// Made with `CBError(.notConnected)`; caught with `catch let error as CBError` and compared by `error.code`.
public struct CBError: CustomNSError, Hashable, CustomStringConvertible {
    /// The kinds of failure, with Apple's numbers.
    public enum Code: Int, Sendable {
        /// No more is known.
        case unknown = 0
        /// An argument is wrong; the description says which.
        case invalidParameters = 1
        /// The attribute is not there any more: discover again.
        case invalidHandle = 2
        /// There is no connection: connect first.
        case notConnected = 3
        /// The radio has no room for this: shorten or remove something.
        case outOfSpace = 4
        /// Called off before it was done.
        case operationCancelled = 5
        /// The other side fell silent.
        case connectionTimeout = 6
        /// The other side hung up.
        case peripheralDisconnected = 7
        /// This UUID is the system's own.
        case uuidNotAllowed = 8
        /// Advertising runs already: stop it first.
        case alreadyAdvertising = 9
        /// The connection was not accepted.
        case connectionFailed = 10
        /// No connection slot is free: disconnect something.
        case connectionLimitReached = 11
        /// Nothing is known of this device: scan for it.
        case unknownDevice = 12
        /// This radio cannot do that.
        case operationNotSupported = 13
        /// The other side forgot the bond.
        case peerRemovedPairingInformation = 14
        /// Encryption was not agreed in time.
        case encryptionTimedOut = 15
        /// No room for another bond.
        case tooManyLEPairedDevices = 16
        /// Apple's limit of notifications in the background is reached.
        case leGattExceededBackgroundNotificationLimit = 17
        /// Apple's limit of notifications in the background is near.
        case leGattNearBackgroundNotificationLimit = 18

        /// Lets `catch CBError.connectionTimeout` work.
        public static func ~= (code: CBError.Code, error: any Error) -> Bool { (error as? CBError)?.code == code }
    }

    /// The kind of failure.
    public let code: Code
    private let reason: String?

    /// An error of a kind.
    /// - Parameter userInfo: `NSLocalizedDescriptionKey` replaces the standing description.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        reason = userInfo[NSLocalizedDescriptionKey] as? String
    }

    init(_ code: Code, because reason: String) {
        self.code = code
        self.reason = reason
    }

    /// ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The description under `NSLocalizedDescriptionKey`.
    public var userInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
    /// The same as ``userInfo``, for the bridge to `NSError`.
    public var errorUserInfo: [String: Any] { userInfo }
    /// What happened, in a sentence.
    public var localizedDescription: String { description }

    /// What happened, in a sentence.
    public var description: String { reason ?? code.sentence }

    /// Two errors are the same when their kinds are.
    public static func == (left: CBError, right: CBError) -> Bool { left.code == right.code }
    /// Hashes the kind.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// No more is known.
    public static var unknown: Code { .unknown }
    /// An argument is wrong.
    public static var invalidParameters: Code { .invalidParameters }
    /// The attribute is not there any more.
    public static var invalidHandle: Code { .invalidHandle }
    /// There is no connection.
    public static var notConnected: Code { .notConnected }
    /// The radio has no room for this.
    public static var outOfSpace: Code { .outOfSpace }
    /// Called off before it was done.
    public static var operationCancelled: Code { .operationCancelled }
    /// The other side fell silent.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// The other side hung up.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// This UUID is the system's own.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// Advertising runs already.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// The connection was not accepted.
    public static var connectionFailed: Code { .connectionFailed }
    /// No connection slot is free.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// Nothing is known of this device.
    public static var unknownDevice: Code { .unknownDevice }
    /// This radio cannot do that.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// The other side forgot the bond.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// Encryption was not agreed in time.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
}

extension CBError.Code {
    fileprivate var sentence: String {
        switch self {
        case .unknown: "the radio failed without saying why"
        case .invalidParameters: "an argument of the Bluetooth call is wrong"
        case .invalidHandle: "the attribute is not there any more; discover the services again"
        case .notConnected: "the peripheral is not connected; connect to it first"
        case .outOfSpace: "the radio has no room for this; shorten the data or remove something"
        case .operationCancelled: "the Bluetooth operation was cancelled"
        case .connectionTimeout: "the connection timed out: the other device fell silent"
        case .peripheralDisconnected: "the other device disconnected"
        case .uuidNotAllowed: "this UUID is reserved for the system"
        case .alreadyAdvertising: "advertising is already running; stop it first"
        case .connectionFailed: "the other device did not accept the connection"
        case .connectionLimitReached: "no connection slot is free; disconnect another device first"
        case .unknownDevice: "this device is unknown; scan for it first"
        case .operationNotSupported: "this radio does not support the operation"
        case .peerRemovedPairingInformation: "the other device forgot the bond; remove it here and pair again"
        case .encryptionTimedOut: "encryption was not agreed in time"
        case .tooManyLEPairedDevices: "no room for another bonded device"
        case .leGattExceededBackgroundNotificationLimit: "too many notifications in the background"
        case .leGattNearBackgroundNotificationLimit: "nearly too many notifications in the background"
        }
    }
}
