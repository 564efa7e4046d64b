import DBus
import Foundation

extension Advertisement {
    /// Kinds of advertising structures that `AdvertisingData` holds (experimental interfaces only) and no property has.
    private enum Kind {
        static let solicited16: UInt8 = 0x14
        static let solicited128: UInt8 = 0x15
        static let solicited32: UInt8 = 0x1F
    }

    /// The fields of `org.bluez.Device1`. What is missing or of another type than documented counts as absent.
    ///
    /// The daemon does not say whether an advertisement accepts connections, so every one counts as connectable.
    init(device properties: [String: BusValue]) {
        self.init(
            localName: properties["Name"]?.string,
            serviceUUIDs: properties["UUIDs"]?.strings?.compactMap { CBUUID(blueZ: $0) } ?? [],
            txPowerLevel: properties["TxPower"]?.int)
        for entry in properties["ServiceData"]?.entries ?? [] {
            guard let uuid = entry.key.string.flatMap({ CBUUID(blueZ: $0) }), let data = entry.value.data else {
                continue
            }
            serviceData[uuid] = data
        }
        // One structure of manufacturer data is what Apple's interface can give; the daemon keeps one for each company.
        for entry in properties["ManufacturerData"]?.entries ?? [] {
            guard let company = entry.key.int.flatMap(UInt16.init(exactly:)), let data = entry.value.data else {
                continue
            }
            manufacturerData = Data([UInt8(company & 0xFF), UInt8(company >> 8)]) + data
            break
        }
        for entry in properties["AdvertisingData"]?.entries ?? [] {
            guard let kind = entry.key.int, let data = entry.value.data else { continue }
            let width = [Kind.solicited16: 2, Kind.solicited32: 4, Kind.solicited128: 16][
                UInt8(truncatingIfNeeded: kind)]
            guard let width else { continue }
            let bytes = [UInt8](data)
            solicitedServiceUUIDs += stride(from: 0, through: bytes.count - width, by: width).compactMap {
                CBUUID(littleEndian: bytes[$0..<$0 + width])
            }
        }
    }

    /// Whether a change of these properties of a device means that it was heard just now.
    static func isHeard(in changed: [String: BusValue]) -> Bool {
        changed["RSSI"] != nil || changed["ManufacturerData"] != nil || changed["ServiceData"] != nil
            || changed["AdvertisingData"] != nil
    }

    /// Whether the services of a device's properties are those that a connection has found, instead of those that it
    /// advertises: the daemon keeps to them for as long as it knows the device (BlueZ 5.66, `device_add_eir_uuids`). The
    /// two that every device has and none advertises give it away. False for what is connected or bonded, or what somebody
    /// has marked as trusted: that the daemon must not be made to forget.
    static func isHidden(in properties: [String: BusValue]) -> Bool {
        let isKept = ["Connected", "Paired", "Bonded", "Trusted"].contains { properties[$0]?.bool == true }
        guard !isKept else { return false }
        let foundations = [CBUUID(string: "1800"), CBUUID(string: "1801")]
        return (properties["UUIDs"]?.strings ?? []).contains { CBUUID(blueZ: $0).map(foundations.contains) ?? false }
    }

    /// The signal strength in dBm, if the controller measured one: 127 means that it cannot.
    /// (Core Specification, volume 4, part E, 7.7.65.2.)
    static func signalStrength(in properties: [String: BusValue]) -> Int? {
        properties["RSSI"]?.int.flatMap { (-127...20).contains($0) ? $0 : nil }
    }
}
