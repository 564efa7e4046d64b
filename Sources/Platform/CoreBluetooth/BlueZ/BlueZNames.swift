import Basics
import DBus

/// What `bluetoothd` calls things on the bus (BlueZ 5.66, doc/*-api.txt).
enum BlueZ {
    /// The daemon's name on the bus.
    static let service = "org.bluez"

    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let gattCharacteristic = "org.bluez.GattCharacteristic1"
    static let gattDescriptor = "org.bluez.GattDescriptor1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"

    /// A remote characteristic's value: signalled for each notification, and for each read.
    static let value = BusProperty(gattCharacteristic, "Value")

    /// Names of the daemon's errors.
    enum ErrorName {
        static let failed = "org.bluez.Error.Failed"
        static let inProgress = "org.bluez.Error.InProgress"
        static let invalidArguments = "org.bluez.Error.InvalidArguments"
        static let notAuthorized = "org.bluez.Error.NotAuthorized"
        static let notConnected = "org.bluez.Error.NotConnected"
        static let notPermitted = "org.bluez.Error.NotPermitted"
        static let notReady = "org.bluez.Error.NotReady"
        static let notSupported = "org.bluez.Error.NotSupported"
    }
}

extension Backoff {
    /// Between requests that the daemon refuses for the moment: scans, connections.
    static let radio = Backoff(first: .milliseconds(100), factor: 4, limit: .seconds(4))
}

extension RadioAddress {
    /// Reads the object path of a device below an adapter, such as `/org/bluez/hci0/dev_C0_12_34_56_78_9A`.
    init?(devicePath path: String, adapter: String) {
        guard path.utf8.count == adapter.utf8.count + 22, path.hasPrefix(adapter) else { return nil }
        let name = path.utf8.suffix(22)
        guard name.starts(with: "/dev_".utf8) else { return nil }
        var digits: UInt64 = 0
        for (index, character) in name.suffix(17).enumerated() {
            if index % 3 == 2 {
                guard character == UInt8(ascii: "_") else { return nil }
            } else {
                guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
                digits = digits << 4 | UInt64(digit)
            }
        }
        self.init(number: digits)
    }

    /// The object path of the device with this address.
    func devicePath(adapter: String) -> String {
        adapter + "/dev_" + description.replacing(":", with: "_")
    }
}

extension CBUUID {
    /// Reads a UUID as the daemon writes it: 36 characters whatever its width. The 16-bit form where there is one, as
    /// over the air; nil for anything else.
    convenience init?(blueZ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var index = 0
        var high: UInt8?
        for character in text.utf8 {
            defer { index += 1 }
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.digit(character) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.init(shortening: bytes)
    }

    /// A device tells dozens of UUIDs each time it connects, so they are read byte by byte.
    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
