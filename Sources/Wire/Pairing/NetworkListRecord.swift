public import Foundation

/// One message of a network scan's answer: a network, or the end of the list.
///
/// An answer is any number of `.network` records and one `.end` whose count lets the client see that none was lost, or a
/// single `.failed`.
public enum NetworkListRecord: Sendable, Hashable {
    /// A network the camera hears.
    case network(HeardNetwork)
    /// The list is complete and had this many networks.
    case end(count: Int)
    /// The camera could not scan.
    case failed

    private static let networkTag: UInt8 = 1
    private static let endTag: UInt8 = 2
    private static let failedTag: UInt8 = 3

    /// Reads a reassembled message.
    public init(decoding data: Data) throws(WireError) {
        let bytes = Array(data.prefix(64))
        guard let tag = bytes.first else { throw .missing(field: "record") }
        switch tag {
        case Self.networkTag:
            guard data.count >= 5, data.count <= 36 else {
                throw .length(field: "network", actual: data.count, allowed: 5...36)
            }
            guard let security = WiFiSecurity(rawValue: bytes[1]) else {
                throw .value(field: "security", reason: "code \(bytes[1]) is not known")
            }
            self = .network(
                HeardNetwork(
                    ssid: Data(bytes[4...]), security: security, rssi: Int(Int8(bitPattern: bytes[2])),
                    bands: WiFiBands(rawValue: bytes[3])))
        case Self.endTag:
            guard data.count == 3 else { throw .length(field: "end", actual: data.count, allowed: 3...3) }
            self = .end(count: Int(bytes[1]) << 8 | Int(bytes[2]))
        case Self.failedTag:
            guard data.count == 1 else { throw .length(field: "failed", actual: data.count, allowed: 1...1) }
            self = .failed
        default:
            throw .value(field: "record", reason: "kind \(tag) is not known")
        }
    }

    /// The message's bytes: kind (1 byte), then for a network security (1), strength (1, signed dBm), bands (1) and the
    /// SSID (1 to 32), for the end the count (2, big-endian).
    public func encoded() throws(WireError) -> Data {
        switch self {
        case .network(let network):
            guard (1...32).contains(network.ssid.count) else {
                throw .length(field: "ssid", actual: network.ssid.count, allowed: 1...32)
            }
            let strength = UInt8(bitPattern: Int8(clamping: network.rssi))
            return Data([Self.networkTag, network.security.rawValue, strength, network.bands.rawValue]) + network.ssid
        case .end(let count):
            guard (0...0xFFFF).contains(count) else {
                throw .value(field: "count", reason: "\(count) is not 0 to 65535")
            }
            return Data([Self.endTag, UInt8(count >> 8), UInt8(count & 0xFF)])
        case .failed:
            return Data([Self.failedTag])
        }
    }
}

/// A Wi-Fi network as the camera hears it. An SSID is bytes: nothing makes it text.
public struct HeardNetwork: Sendable, Hashable {
    /// 1 to 32 bytes.
    public var ssid: Data
    /// How it is protected.
    public var security: WiFiSecurity
    /// Strength at the camera in dBm, −128 to 127.
    public var rssi: Int
    /// Where it was heard.
    public var bands: WiFiBands

    /// Describes a network.
    public init(ssid: Data, security: WiFiSecurity, rssi: Int, bands: WiFiBands) {
        self.ssid = ssid
        self.security = security
        self.rssi = rssi
        self.bands = bands
    }
}

/// What a client may write to the networks characteristic: one byte.
public enum NetworkScanCommand: UInt8, Sendable {
    /// Scan now, and notify the records.
    case scan = 1
}
