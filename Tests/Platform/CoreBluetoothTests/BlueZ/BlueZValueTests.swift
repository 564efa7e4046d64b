import DBus
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("BlueZ: what its values mean")
struct BlueZValueTests {
    @Test("an advertisement is read from a device's properties, with Apple's forms")
    func advertisement() {
        let advertisement = Advertisement(device: [
            "Name": "kitchen",
            "UUIDs": .strings([FakeService.long("180F"), "4c5a0001-7c52-4c0e-9d33-6e7f5a2b9c11"]),
            "TxPower": .int16(-12),
            "ManufacturerData": .dictionary(
                key: "q", value: "v", [BusEntry(.uint16(0x004C), .variant(.bytes(Data([2, 0x15]))))]),
            "ServiceData": .properties([FakeService.long("FEAA"): .bytes(Data([0x20]))]),
            "AdvertisingData": .dictionary(
                key: "y", value: "v", [BusEntry(.byte(0x14), .variant(.bytes(Data([0x0D, 0x18]))))]),
        ])
        #expect(advertisement.localName == "kitchen")
        #expect(
            advertisement.serviceUUIDs.map(\.uuidString) == ["180F", "4C5A0001-7C52-4C0E-9D33-6E7F5A2B9C11"])
        #expect(advertisement.txPowerLevel == -12)
        #expect(advertisement.manufacturerData == Data([0x4C, 0, 2, 0x15]))
        #expect(advertisement.serviceData == [CBUUID(string: "FEAA"): Data([0x20])])
        #expect(advertisement.solicitedServiceUUIDs == [CBUUID(string: "180D")])
    }

    @Test("properties of another type than documented count as absent")
    func malformed() {
        let advertisement = Advertisement(device: [
            "Name": 7, "UUIDs": .strings(["x", "0000180f", String(repeating: "-", count: 36)]), "TxPower": "loud",
            "ManufacturerData": "none",
            "ServiceData": .properties(["FEAA": .bytes(Data([1])), FakeService.long("FEAA"): 5]),
            "AdvertisingData": .dictionary(
                key: "y", value: "v",
                [BusEntry(.byte(0x14), .variant(.bytes(Data([1])))), BusEntry(.byte(0x15), .variant(9))]),
        ])
        #expect(advertisement == Advertisement())
        #expect(Advertisement.signalStrength(in: ["RSSI": "near"]) == nil)
        #expect(Advertisement.signalStrength(in: ["RSSI": .int16(127)]) == nil)
        #expect(Advertisement.signalStrength(in: ["RSSI": .int16(-70)]) == -70)
    }

    @Test("devices and attributes are named by their paths, and nothing else is taken for one")
    func paths() {
        let adapter = "/org/bluez/hci0"
        let address = RadioAddress(number: 0xC012_3456_789A)
        #expect(address.devicePath(adapter: adapter) == adapter + "/dev_C0_12_34_56_78_9A")
        #expect(RadioAddress(devicePath: adapter + "/dev_C0_12_34_56_78_9A", adapter: adapter) == address)
        for path in [
            adapter, adapter + "/dev_C0_12_34_56_78_9", adapter + "/dev_C0_12_34_56_78_9G",
            adapter + "/dev_C0012_34_56_78_9A", adapter + "/xxx_C0_12_34_56_78_9A",
            "/org/bluez/hci1/dev_C0_12_34_56_78_9A", adapter + "/dev_C0_12_34_56_78_9A/service0001",
        ] {
            #expect(RadioAddress(devicePath: path, adapter: adapter) == nil, "\(path)")
        }
        #expect(AttributeID(path: "/d/service0010", kind: "service", below: "/d") == AttributeID(0x10))
        for path in ["/d/service010", "/d/service00zz", "/d/servicf0010", "/e/service0010", "/d/service0010/char0011"] {
            #expect(AttributeID(path: path, kind: "service", below: "/d") == nil, "\(path)")
        }
    }

    @Test(
        "the daemon's errors become the codes that they were made of",
        arguments: [
            (BlueZ.ErrorName.notPermitted, "Read not permitted", CBATTError.Code.readNotPermitted),
            (BlueZ.ErrorName.notPermitted, "Write not permitted", .writeNotPermitted),
            (BlueZ.ErrorName.notPermitted, "Not paired", .insufficientAuthentication),
            (BlueZ.ErrorName.notAuthorized, "Operation Not Authorized", .insufficientAuthorization),
            (BlueZ.ErrorName.notSupported, "Operation is not supported", .requestNotSupported),
            (BlueZ.ErrorName.invalidArguments, "Invalid offset", .invalidOffset),
            (BlueZ.ErrorName.invalidArguments, "Invalid Length", .invalidAttributeValueLength),
            (BlueZ.ErrorName.failed, "Operation failed with ATT error: 0x01", .invalidHandle),
            (BlueZ.ErrorName.failed, "Operation failed with ATT error: 0x0e", .unlikelyError),
        ])
    func attributeErrors(name: String, message: String, code: CBATTError.Code) {
        #expect(RadioFailure(gatt: .remote(name: name, message: message)) == .att(code))
    }

    @Test("other errors say what happened")
    func otherErrors() {
        #expect(
            RadioFailure(
                gatt: .remote(name: BlueZ.ErrorName.failed, message: "Operation failed with ATT error: 0x81"))
                == .att(CBATTError.Code(0x81)))
        func code(_ error: BusError) -> CBError.Code? {
            if case .radio(let code, _) = RadioFailure(gatt: error) { code } else { nil }
        }
        #expect(code(.remote(name: BlueZ.ErrorName.failed, message: "Not connected")) == .notConnected)
        #expect(
            code(.remote(name: BlueZ.ErrorName.failed, message: "Operation failed with ATT error: 0xzz")) == .unknown)
        #expect(code(.remote(name: BlueZ.ErrorName.notPermitted, message: "Notify acquired")) == .operationNotSupported)
        #expect(code(.remote(name: BusError.unknownObject, message: "")) == .invalidHandle)
        #expect(code(.remote(name: BusError.noReply, message: "")) == .notConnected)
        #expect(code(.remote(name: "com.example.Odd", message: "odd")) == .unknown)
        #expect(code(.timedOut("a call")) == .connectionTimeout)
        #expect(code(.disconnected) == .notConnected)
    }

    @Test("a table of attributes is read in the order of handles, without what makes no sense")
    func table() throws {
        let device = "/d"
        let uuid = BusValue.string(FakeService.long("FFF0"))
        let objects: [String: [(path: String, properties: [String: BusValue])]] = [
            BlueZ.gattService: [
                ("/d/service0020", ["UUID": uuid, "Primary": false]),
                ("/d/service0010", ["UUID": uuid, "Includes": .paths(["/d/service0020"])]), ("/d/service0030", [:]),
                ("/d/servicezzzz", ["UUID": uuid]),
                ("/d/service0040", ["UUID": uuid, "Primary": false]),
            ],
            BlueZ.gattCharacteristic: [
                ("/d/service0010/char0015", ["UUID": uuid, "Flags": .strings(["notify", "reliable-write"])]),
                ("/d/service0010/char0011", ["UUID": uuid, "Flags": 3]),
                ("/d/service0030/char0031", ["UUID": uuid]), ("char", ["UUID": uuid]),
            ],
            BlueZ.gattDescriptor: [
                ("/d/service0010/char0015/desc0017", ["UUID": uuid]),
                ("/d/service0010/char0099/desc009a", ["UUID": uuid]),
            ],
        ]
        let table = GATTTable(device: device) { objects[$0] ?? [] }
        #expect(table.services.map(\.id.number) == [0x10, 0x20, 0x40])
        // Only a service that another one includes is secondary, whatever the daemon says.
        #expect(table.services.map(\.isPrimary) == [true, false, true])
        #expect(table.services[0].includes == ["/d/service0020"])
        let characteristics = try #require(table.characteristics[AttributeID(0x10)])
        #expect(characteristics.map(\.id.number) == [0x11, 0x15])
        #expect(characteristics.map(\.properties) == [[], .notify])
        #expect(table[AttributeID(0x17)] == "/d/service0010/char0015/desc0017")
        #expect(table[AttributeID(0x31)] == nil)
        #expect(table[AttributeID(0x9A)] == nil)
    }
}
