public import Foundation

/// What a camera says of itself at the beginning of a conversation.
public struct ExchangeWelcome: Sendable, Hashable {
    /// How the password of the protected layout is stretched before it is used: scrypt (RFC 7914).
    public struct Stretching: Sendable, Hashable {
        /// Bytes of the salt.
        public static let saltBytes = 16

        /// The camera's own, 16 bytes.
        public var salt: Data
        /// The cost, as the power of two that N is.
        public var logN: UInt8
        /// The size of a block.
        public var r: UInt8
        /// The parallelism.
        public var p: UInt8

        /// Describes the parameters.
        public init(salt: Data, logN: UInt8, r: UInt8, p: UInt8) {
            self.salt = salt
            self.logN = logN
            self.r = r
            self.p = p
        }
    }

    /// What the camera is and can do.
    public var info: PairingInfo
    /// Nil when it has none to report.
    public var deviceID: DeviceID?
    /// Where it stands.
    public var state: PairingState
    /// On the protected layout.
    public var stretching: Stretching?

    /// Describes a camera.
    public init(info: PairingInfo, deviceID: DeviceID?, state: PairingState, stretching: Stretching? = nil) {
        self.info = info
        self.deviceID = deviceID
        self.state = state
        self.stretching = stretching
    }

    init(_ reader: inout ByteReader) throws(WireError) {
        let version = try reader.byte("version")
        guard version == ExchangeRequest.version else { throw .version(Int(version)) }
        info = try PairingInfo(decoding: try reader.counted("info"))
        let id = try reader.counted("device id")
        if !id.isEmpty {
            guard let text = String(validating: id, as: UTF8.self) else { throw .notText(field: "device id") }
            guard let parsed = DeviceID(rawValue: text), parsed.rawValue == text else {
                throw .value(field: "device id", reason: "it is none")
            }
            deviceID = parsed
        }
        state = try PairingState(decoding: try reader.bytes(2, "state"))
        if !reader.isAtEnd {
            let salt = try reader.counted("salt")
            guard salt.count == Stretching.saltBytes else {
                throw .length(
                    field: "salt", actual: salt.count, allowed: Stretching.saltBytes...Stretching.saltBytes)
            }
            stretching = Stretching(
                salt: salt, logN: try reader.byte("N"), r: try reader.byte("r"), p: try reader.byte("p"))
        }
    }

    func encoded() throws(WireError) -> Data {
        let info = try info.encoded()
        let id = Data((deviceID?.rawValue ?? "").utf8)
        var bytes = Data([ExchangeRequest.version, UInt8(info.count)]) + info
        bytes += Data([UInt8(id.count)]) + id + state.encoded()
        if let stretching {
            bytes += Data([UInt8(truncatingIfNeeded: stretching.salt.count)]) + stretching.salt
            bytes += [stretching.logN, stretching.r, stretching.p]
        }
        return bytes
    }
}
