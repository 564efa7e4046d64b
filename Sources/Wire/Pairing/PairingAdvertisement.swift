public import Foundation

/// The manufacturer data of a pairing camera's advertisement: where it stands, without a connection.
///
/// A client that hung up after the last write learns here why the camera is still not in the cloud. Six bytes: company
/// 0xFFFF (little-endian; the company id set aside for no company), `P` (0x50), version (1), then ``PairingState``: phase,
/// failure. Bytes that follow are of later versions and ignored. Service UUID and these fit one 31-byte packet with the
/// flags; the name goes into the scan response.
public enum PairingAdvertisement {
    private static let prefix = Data([0xFF, 0xFF, 0x50, 1])

    /// The value for the manufacturer data, company id included.
    public static func manufacturerData(_ state: PairingState) -> Data { prefix + state.encoded() }

    /// Reads manufacturer data; nil when it is not that of a pairing camera.
    public static func state(manufacturerData data: Data) -> PairingState? {
        guard data.count >= prefix.count + 2, data.prefix(prefix.count) == prefix else { return nil }
        return try? PairingState(decoding: Data(data.dropFirst(prefix.count).prefix(2)))
    }
}
