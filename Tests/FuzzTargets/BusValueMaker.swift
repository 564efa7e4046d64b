#if DEBUG
    import DBus
    import Foundation

    /// Builds what another process may say on the bus out of any bytes: every byte string makes some value, and the names
    /// that decoders look for come often.
    struct BusValueMaker {
        private static let texts = [
            "", "read", "write", "notify", "infrastructure", "wpa-psk", "sae", "wpa-eap", "owe", "none", "Name", "ccmp",
            "/org/bluez/hci0/dev_00_AA_01_01_00_01", "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0010",
            "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0010/char0011",
            "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0010/char0011/desc0013",
            "00001800-0000-1000-8000-00805f9b34fb", "12345678-0000-1000-8000-00805f9b34fb",
            "5f6d4f53-5f52-5043-5f53-56435f49445f",
        ]
        private static let names = [
            "UUIDs", "ServiceData", "ManufacturerData", "AdvertisingData", "RSSI", "TxPower", "Connected", "Paired",
            "Name", "UUID", "Primary", "Includes", "Flags", "SSID", "Mode", "Signal", "Frequency", "Age", "WPA", "RSN",
            "Privacy", "KeyMgmt", "Pairwise", "Group",
        ]
        private var rest: ArraySlice<UInt8>

        init(_ input: Data) { rest = [UInt8](input)[...] }

        var isDone: Bool { rest.isEmpty }

        mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

        mutating func bytes() -> Data {
            let length = Int(byte())
            defer { rest = rest.dropFirst(length) }
            return Data(rest.prefix(length))
        }

        mutating func text() -> String {
            let choice = Int(byte())
            return choice < Self.texts.count ? Self.texts[choice] : String(decoding: bytes(), as: UTF8.self)
        }

        mutating func properties(depth: Int = 0) -> [String: BusValue] {
            var properties: [String: BusValue] = [:]
            for _ in 0..<byte() % 8 {
                let choice = Int(byte())
                let name = choice < Self.names.count ? Self.names[choice] : text()
                properties[name] = value(depth: depth + 1)
            }
            return properties
        }

        private mutating func integer() -> UInt64 {
            var number: UInt64 = 0
            for _ in 0..<8 { number = number << 8 | UInt64(byte()) }
            return number
        }

        private mutating func value(depth: Int) -> BusValue {
            switch byte() % (depth < 4 ? 16 : 12) {
            case 0: .byte(byte())
            case 1: .bool(byte() & 1 == 1)
            case 2: .int16(Int16(bitPattern: UInt16(byte()) << 8 | UInt16(byte())))
            case 3: .uint16(UInt16(byte()) << 8 | UInt16(byte()))
            case 4: .int32(Int32(truncatingIfNeeded: integer()))
            case 5: .uint32(UInt32(truncatingIfNeeded: integer()))
            case 6: .int64(Int64(bitPattern: integer()))
            case 7: .uint64(integer())
            case 8: .double(Double(bitPattern: integer()))
            case 9: .string(text())
            case 10: .path(text())
            case 11: .bytes(bytes())
            case 12: .strings((0..<byte() % 8).map { _ in text() })
            case 13: .properties(properties(depth: depth))
            case 14:
                .dictionary(
                    key: "v", value: "v",
                    (0..<byte() % 8).map { _ in
                        BusEntry(value(depth: depth + 1), value(depth: depth + 1))
                    })
            default: .variant(value(depth: depth + 1))
            }
        }
    }
#endif
