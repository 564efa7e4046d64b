import Foundation

/// An advertisement as it is sent: a packet and the response to a scan, each of at most 31 bytes of structures
/// (length, type, data). (Core Specification, volume 3, part C, 11; supplement, part A.)
struct AdvertisementPacket: Equatable, Sendable {
    var advertising: Data
    var scanResponse: Data

    /// Bytes of structures that fit one legacy advertising packet.
    static let capacity = 31

    private enum Kind {
        static let flags: UInt8 = 0x01
        static let someUUIDs16: UInt8 = 0x02
        static let allUUIDs16: UInt8 = 0x03
        static let someUUIDs32: UInt8 = 0x04
        static let allUUIDs32: UInt8 = 0x05
        static let someUUIDs128: UInt8 = 0x06
        static let allUUIDs128: UInt8 = 0x07
        static let shortName: UInt8 = 0x08
        static let fullName: UInt8 = 0x09
        static let txPower: UInt8 = 0x0A
        static let solicited16: UInt8 = 0x14
        static let solicited128: UInt8 = 0x15
        static let serviceData16: UInt8 = 0x16
        static let solicited32: UInt8 = 0x1F
        static let serviceData32: UInt8 = 0x20
        static let serviceData128: UInt8 = 0x21
        static let manufacturerData: UInt8 = 0xFF
    }

    init(advertising: Data, scanResponse: Data) {
        self.advertising = advertising
        self.scanResponse = scanResponse
    }

    /// Packs an advertisement: services first, each structure where it fits, the name last and shortened if it must be.
    /// - Throws: ``CBError`` (`outOfSpace`) naming the field that fits neither packet.
    init(_ advertisement: Advertisement) throws(CBError) {
        var packets = [Data([2, Kind.flags, 0x06]), Data()]
        func place(_ kind: UInt8, _ data: some Collection<UInt8>, _ what: String) throws(CBError) {
            guard let index = packets.firstIndex(where: { $0.count + 2 + data.count <= Self.capacity }) else {
                throw CBError(
                    .outOfSpace,
                    because: "\(what) of \(data.count) bytes does not fit the advertisement (two packets of 31 bytes)")
            }
            packets[index] += [UInt8(data.count + 1), kind] + data
        }
        for (kinds, uuids, what) in [
            ([Kind.allUUIDs16, Kind.allUUIDs32, Kind.allUUIDs128], advertisement.serviceUUIDs, "service UUIDs"),
            (
                [Kind.solicited16, Kind.solicited32, Kind.solicited128], advertisement.solicitedServiceUUIDs,
                "solicited service UUIDs"
            ),
        ] {
            for (kind, width) in zip(kinds, [2, 4, 16]) {
                let bytes = uuids.filter { $0.data.count == width }.flatMap { $0.data.reversed() }
                if !bytes.isEmpty { try place(kind, bytes, what) }
            }
        }
        for (uuid, data) in advertisement.serviceData.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            let kinds = [2: Kind.serviceData16, 4: Kind.serviceData32, 16: Kind.serviceData128]
            try place(kinds[uuid.data.count] ?? Kind.serviceData128, uuid.data.reversed() + data, "service data")
        }
        if let data = advertisement.manufacturerData { try place(Kind.manufacturerData, data, "manufacturer data") }
        if let power = advertisement.txPowerLevel {
            try place(Kind.txPower, [UInt8(bitPattern: Int8(clamping: power))], "transmit power")
        }
        if let name = advertisement.localName {
            let room = packets.map { Self.capacity - $0.count - 2 }
            let longest = room[1] >= min(name.utf8.count, room[0]) ? 1 : 0
            let shortened = Self.prefix(of: name, bytes: room[longest])
            if !shortened.isEmpty {
                let kind = shortened.count == name.utf8.count ? Kind.fullName : Kind.shortName
                packets[longest] += [UInt8(shortened.count + 1), kind] + shortened
            }
        }
        advertising = packets[0]
        scanResponse = packets[1]
    }

    /// The fields. Structures that are malformed or cut off are skipped: a radio passes on whatever it hears.
    func advertisement(isConnectable: Bool) -> Advertisement {
        var result = Advertisement(isConnectable: isConnectable)
        for packet in [advertising, scanResponse] { Self.read([UInt8](packet), into: &result) }
        return result
    }

    private static func read(_ bytes: [UInt8], into result: inout Advertisement) {
        var rest = bytes[...]
        // A length of zero ends the packet early; a length beyond the end is a cut-off structure.
        while let length = rest.popFirst(), length > 0, rest.count >= Int(length) {
            let structure = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            guard let kind = structure.first else { continue }
            let data = structure.dropFirst()
            switch kind {
            case Kind.someUUIDs16, Kind.allUUIDs16: result.serviceUUIDs.addNew(uuids(data, width: 2))
            case Kind.someUUIDs32, Kind.allUUIDs32: result.serviceUUIDs.addNew(uuids(data, width: 4))
            case Kind.someUUIDs128, Kind.allUUIDs128: result.serviceUUIDs.addNew(uuids(data, width: 16))
            case Kind.solicited16: result.solicitedServiceUUIDs.addNew(uuids(data, width: 2))
            case Kind.solicited32: result.solicitedServiceUUIDs.addNew(uuids(data, width: 4))
            case Kind.solicited128: result.solicitedServiceUUIDs.addNew(uuids(data, width: 16))
            case Kind.serviceData16: readServiceData(data, width: 2, into: &result)
            case Kind.serviceData32: readServiceData(data, width: 4, into: &result)
            case Kind.serviceData128: readServiceData(data, width: 16, into: &result)
            case Kind.fullName: result.localName = String(decoding: data, as: UTF8.self)
            case Kind.shortName where result.localName == nil:
                result.localName = String(decoding: data, as: UTF8.self)
            case Kind.txPower where data.count == 1: result.txPowerLevel = data.first.map { Int(Int8(bitPattern: $0)) }
            case Kind.manufacturerData where data.count >= 2 && result.manufacturerData == nil:
                result.manufacturerData = Data(data)
            default: continue
            }
        }
    }

    private static func uuids(_ data: ArraySlice<UInt8>, width: Int) -> [CBUUID] {
        stride(from: data.startIndex, through: data.endIndex - width, by: width).compactMap {
            CBUUID(littleEndian: data[$0..<$0 + width])
        }
    }

    private static func readServiceData(_ data: ArraySlice<UInt8>, width: Int, into result: inout Advertisement) {
        guard data.count >= width, let uuid = CBUUID(littleEndian: data.prefix(width)) else { return }
        result.serviceData[uuid] = Data(data.dropFirst(width))
    }

    /// The longest prefix of whole characters in at most `bytes` bytes.
    static func prefix(of name: String, bytes: Int) -> [UInt8] {
        var result: [UInt8] = []
        for character in name {
            let next = Array(String(character).utf8)
            if result.count + next.count > bytes { break }
            result += next
        }
        return result
    }
}

extension [CBUUID] {
    fileprivate mutating func addNew(_ others: [CBUUID]) { append(contentsOf: others.filter { !contains($0) }) }
}
