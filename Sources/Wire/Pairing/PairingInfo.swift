public import Foundation

/// What a camera says of itself on the info characteristic.
///
/// Layout: version (1 byte, 1), layouts (1 byte), capabilities (2 bytes, big-endian), model (UTF-8, the rest, at most 32
/// bytes). A later version may append fields only by raising the version byte.
public struct PairingInfo: Sendable, Hashable {
    /// The ways of writing credentials that a camera offers.
    public struct Layouts: OptionSet, Sendable, Hashable {
        /// The bits as they stand on the wire.
        public let rawValue: UInt8
        /// Wraps bits as read; unknown ones are kept.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// One characteristic a field.
        public static let standard = Layouts(rawValue: 1 << 0)
        /// Framed messages on one characteristic.
        public static let chunked = Layouts(rawValue: 1 << 1)
        /// Framed messages inside an authenticated session.
        public static let protected = Layouts(rawValue: 1 << 2)
    }

    /// What the camera can do.
    public struct Capabilities: OptionSet, Sendable, Hashable {
        /// The bits as they stand on the wire.
        public let rawValue: UInt16
        /// Wraps bits as read; unknown ones are kept.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// It joins a Wi-Fi network itself. Absent: it is wired, and takes credentials of a simulated network list.
        public static let managesWiFi = Capabilities(rawValue: 1 << 0)
        /// It can join 5 GHz networks.
        public static let fiveGigahertz = Capabilities(rawValue: 1 << 1)
        /// A setup code is printed on it.
        public static let setupCode = Capabilities(rawValue: 1 << 2)
        /// It takes nobody without that code, and offers the protected layout alone.
        public static let insistsOnSetupCode = Capabilities(rawValue: 1 << 3)
    }

    /// The ways of writing credentials.
    public var layouts: Layouts
    /// What the camera can do.
    public var capabilities: Capabilities
    /// The maker's name for the model, at most 32 bytes of UTF-8.
    public var model: String

    /// Describes a camera.
    public init(layouts: Layouts, capabilities: Capabilities, model: String) {
        self.layouts = layouts
        self.capabilities = capabilities
        self.model = model
    }

    /// Reads the characteristic's value.
    public init(decoding data: Data) throws(WireError) {
        let bytes = Array(data.prefix(64))
        guard data.count >= 4, data.count <= 36 else {
            throw .length(field: "info", actual: data.count, allowed: 4...36)
        }
        guard bytes[0] == 1 else { throw .version(Int(bytes[0])) }
        guard let model = String(validating: bytes[4...], as: UTF8.self) else { throw .notText(field: "model") }
        self.init(
            layouts: Layouts(rawValue: bytes[1]),
            capabilities: Capabilities(rawValue: UInt16(bytes[2]) << 8 | UInt16(bytes[3])), model: model)
    }

    /// The characteristic's value.
    public func encoded() throws(WireError) -> Data {
        let model = Array(self.model.utf8)
        guard model.count <= 32 else { throw .length(field: "model", actual: model.count, allowed: 0...32) }
        let capabilities = self.capabilities.rawValue
        return Data([1, layouts.rawValue, UInt8(capabilities >> 8), UInt8(capabilities & 0xFF)] + model)
    }
}
