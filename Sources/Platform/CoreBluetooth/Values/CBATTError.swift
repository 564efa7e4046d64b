// Apple's names are not lowerCamelCase.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// What the other side's attribute server answered instead of doing what was asked.
///
/// Made with `CBATTError(.writeNotPermitted)`. A profile's own codes, 0x80 to 0x9F, keep their number:
/// `CBATTError.Code(rawValue: 0x81)` on one side arrives as `error.code.rawValue == 0x81` on the other.
/// (Bluetooth Core Specification, volume 3, part F, 3.4.1.1.)
public struct CBATTError: CustomNSError, Hashable, CustomStringConvertible {
    /// An ATT error code. Every number from 0 to 255 is a value, so that no code is lost.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number on the air, 0 to 255.
        public let rawValue: Int

        /// Takes a code by its number. Never nil for 0 to 255; optional as in Apple's interface.
        public init?(rawValue: Int) {
            guard (0...255).contains(rawValue) else { return nil }
            self.rawValue = rawValue
        }

        init(_ byte: UInt8) { rawValue = Int(byte) }

        /// No error: the request was carried out.
        public static let success = Code(0x00)
        /// There is no such handle.
        public static let invalidHandle = Code(0x01)
        /// The attribute cannot be read.
        public static let readNotPermitted = Code(0x02)
        /// The attribute cannot be written.
        public static let writeNotPermitted = Code(0x03)
        /// The request was malformed.
        public static let invalidPdu = Code(0x04)
        /// Bonding with authentication is needed.
        public static let insufficientAuthentication = Code(0x05)
        /// The server does not know this request.
        public static let requestNotSupported = Code(0x06)
        /// The offset is past the end of the value.
        public static let invalidOffset = Code(0x07)
        /// The application refuses.
        public static let insufficientAuthorization = Code(0x08)
        /// Too many prepared writes.
        public static let prepareQueueFull = Code(0x09)
        /// Nothing of that kind in the range.
        public static let attributeNotFound = Code(0x0A)
        /// The value fits one answer; no blob reads.
        public static let attributeNotLong = Code(0x0B)
        /// The link's key is too short.
        public static let insufficientEncryptionKeySize = Code(0x0C)
        /// The value's length is wrong for this attribute.
        public static let invalidAttributeValueLength = Code(0x0D)
        /// Something unlikely happened on the server.
        public static let unlikelyError = Code(0x0E)
        /// The link must be encrypted.
        public static let insufficientEncryption = Code(0x0F)
        /// The group's type cannot be used for grouping.
        public static let unsupportedGroupType = Code(0x10)
        /// The server lacks resources.
        public static let insufficientResources = Code(0x11)

        /// Whether the number is one that profiles define for themselves (0x80 to 0x9F).
        public var isApplicationDefined: Bool { (0x80...0x9F).contains(rawValue) }

        /// The name of a listed code, else its number.
        public var description: String {
            Self.names[rawValue] ?? (isApplicationDefined ? "application error " : "error ")
                + "0x" + String(rawValue, radix: 16, uppercase: true)
        }

        /// Lets `catch CBATTError.invalidOffset` work.
        public static func ~= (code: CBATTError.Code, error: any Error) -> Bool { (error as? CBATTError)?.code == code }

        private static let names: [Int: String] = [
            0x00: "success", 0x01: "invalid handle", 0x02: "read not permitted", 0x03: "write not permitted",
            0x04: "invalid PDU", 0x05: "insufficient authentication", 0x06: "request not supported",
            0x07: "invalid offset", 0x08: "insufficient authorization", 0x09: "prepare queue full",
            0x0A: "attribute not found", 0x0B: "attribute not long", 0x0C: "insufficient encryption key size",
            0x0D: "invalid attribute value length", 0x0E: "unlikely error", 0x0F: "insufficient encryption",
            0x10: "unsupported group type", 0x11: "insufficient resources",
        ]
    }

    /// The server's code.
    public let code: Code

    /// An error with a code.
    /// - Parameter userInfo: Accepted for Apple's signature; the description follows from the code.
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }

    /// ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The description under `NSLocalizedDescriptionKey`.
    public var userInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
    /// The same as ``userInfo``, for the bridge to `NSError`.
    public var errorUserInfo: [String: Any] { userInfo }
    /// What happened, in a sentence.
    public var localizedDescription: String { description }
    /// What happened, in a sentence.
    public var description: String { "the other device refused the request: \(code)" }

    /// No error.
    public static var success: Code { .success }
    /// There is no such handle.
    public static var invalidHandle: Code { .invalidHandle }
    /// The attribute cannot be read.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// The attribute cannot be written.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// The request was malformed.
    public static var invalidPdu: Code { .invalidPdu }
    /// Bonding with authentication is needed.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// The server does not know this request.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// The offset is past the end of the value.
    public static var invalidOffset: Code { .invalidOffset }
    /// The application refuses.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// Too many prepared writes.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// Nothing of that kind in the range.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// The value fits one answer.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// The link's key is too short.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// The value's length is wrong.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// Something unlikely happened.
    public static var unlikelyError: Code { .unlikelyError }
    /// The link must be encrypted.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// The group's type cannot be used for grouping.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// The server lacks resources.
    public static var insufficientResources: Code { .insufficientResources }
}
