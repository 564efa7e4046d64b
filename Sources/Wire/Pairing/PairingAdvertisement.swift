public import Foundation

/// The manufacturer data of a pairing camera's advertisement: where it stands, without a connection.
///
/// A client that hung up after the last write learns here why the camera is still not in the cloud. Seven bytes: company
/// 0xFFFF (little-endian; the company id set aside for no company), `P` (0x50), version (1), then ``PairingState``: phase,
/// failure, then the layouts, which the first cameras left out: they offer the standard one. Bytes that follow are of
/// later versions and ignored. Service UUID and these fit one 31-byte packet with the flags; the name goes into the scan
/// response.
public struct PairingAdvertisement: Sendable, Hashable {
    private static let prefix = Data([0xFF, 0xFF, 0x50, 1])

    /// Where the camera stands.
    public var state: PairingState
    /// The layouts it offers.
    public var layouts: PairingInfo.Layouts

    /// Describes a camera.
    public init(state: PairingState, layouts: PairingInfo.Layouts) {
        self.state = state
        self.layouts = layouts
    }

    /// Reads manufacturer data; nil when it is not that of a pairing camera.
    public init?(manufacturerData data: Data) {
        guard data.prefix(Self.prefix.count) == Self.prefix else { return nil }
        let rest = Array(data.dropFirst(Self.prefix.count).prefix(3))
        guard rest.count >= 2, let state = try? PairingState(decoding: Data(rest.prefix(2))) else { return nil }
        self.init(state: state, layouts: rest.count < 3 ? .standard : PairingInfo.Layouts(rawValue: rest[2]))
    }

    /// The value for the manufacturer data, company id included.
    public var manufacturerData: Data { Self.prefix + state.encoded() + [layouts.rawValue] }
}
