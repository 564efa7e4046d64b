import DBus
import Foundation

extension Advertisement {
    /// How often an advertisement is sent, in milliseconds: quick to be found, as Apple's systems do it in the foreground.
    /// The kernel's own choice is 1,280.
    private static let interval: ClosedRange<UInt32> = 100...150

    /// The properties of `org.bluez.LEAdvertisement1`.
    ///
    /// The daemon puts the name into the response to a scan and everything else into the advertising packet itself
    /// (BlueZ 5.66, src/advertising.c). A name that is too long is shortened.
    /// - Throws: ``RadioFailure`` (`outOfSpace`) when the rest does not fit the one packet.
    func registration() throws(RadioFailure) -> [String: BusValue] {
        let size = packetSize
        guard size <= AdvertisementPacket.capacity else {
            throw .radio(
                .outOfSpace,
                "the advertisement needs \(size) bytes beside the name, and \(AdvertisementPacket.capacity) fit: leave out"
                    + " or shorten services, service data or manufacturer data")
        }
        var properties: [String: BusValue] = [
            "Type": .string(isConnectable ? "peripheral" : "broadcast"),
            "MinInterval": .uint32(Self.interval.lowerBound), "MaxInterval": .uint32(Self.interval.upperBound),
        ]
        if isConnectable { properties["Discoverable"] = true }
        if let name = localName.map(Self.shortened), !name.isEmpty { properties["LocalName"] = .string(name) }
        if !serviceUUIDs.isEmpty { properties["ServiceUUIDs"] = .strings(serviceUUIDs.map(\.uuidString)) }
        if !solicitedServiceUUIDs.isEmpty {
            properties["SolicitUUIDs"] = .strings(solicitedServiceUUIDs.map(\.uuidString))
        }
        if !serviceData.isEmpty {
            let entries = serviceData.map { BusEntry(.string($0.key.uuidString), .variant(.bytes($0.value))) }
            properties["ServiceData"] = .dictionary(key: "s", value: "v", entries)
        }
        if let bytes = manufacturerData.map([UInt8].init), bytes.count >= 2 {
            let company = BusValue.uint16(UInt16(littleEndian: bytes, at: 0))
            let entry = BusEntry(company, .variant(.bytes(Data(bytes[2...]))))
            properties["ManufacturerData"] = .dictionary(key: "q", value: "v", [entry])
        }
        if let txPowerLevel {
            // The controller is asked for this power, and what it then says of itself is what is sent.
            properties["TxPower"] = .int16(Int16(clamping: txPowerLevel))
            properties["Includes"] = .strings(["tx-power"])
        }
        return properties
    }

    /// Bytes of the advertising packet.
    private var packetSize: Int {
        var size = isConnectable ? 3 : 0
        for uuids in [serviceUUIDs, solicitedServiceUUIDs] {
            for (_, group) in Dictionary(grouping: uuids, by: \.width) { size += group.reduce(2) { $0 + $1.width } }
        }
        for (uuid, data) in serviceData { size += 2 + uuid.width + data.count }
        if let manufacturerData { size += 2 + manufacturerData.count }
        if txPowerLevel != nil { size += 3 }
        return size
    }

    /// A name for the response to a scan.
    ///
    /// The daemon cuts a long name to 29 bytes and says so in the packet, so it may do that, but not inside a character.
    private static func shortened(_ name: String) -> String {
        let room = AdvertisementPacket.capacity - 2
        let name = name.replacing("\0", with: "")
        guard name.utf8.count > room else { return name }
        let cut = name.utf8.index(name.utf8.startIndex, offsetBy: room)
        return cut.samePosition(in: name.unicodeScalars) == nil
            ? String(decoding: AdvertisementPacket.prefix(of: name, bytes: room), as: UTF8.self) : name
    }
}

extension CBUUID {
    /// Bytes over the air: the daemon sends the short form of a UUID that has one.
    fileprivate var width: Int { shortForm != nil ? 2 : data.count == 4 ? 4 : 16 }
}
