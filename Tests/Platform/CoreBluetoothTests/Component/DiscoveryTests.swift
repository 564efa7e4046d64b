import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@Suite("Discovery", .timeLimit(.minutes(2)))
struct DiscoveryTests {
    let air: any AirFixture

    init() async throws { air = try await Air.fresh() }

    @Test("an advertisement arrives with all its fields")
    func fields() async throws {
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise(
            "kitchen", services: [CBUUID(string: "180F"), CBUUID(string: "FEAA")],
            more: [
                CBAdvertisementDataManufacturerDataKey: Data([0x4C, 0x00, 0x02, 0x15]),
                CBAdvertisementDataServiceDataKey: [CBUUID(string: "FEAA"): Data([0x20, 0x00])],
                CBAdvertisementDataTxPowerLevelKey: NSNumber(value: -12),
            ])
        #expect(camera.manager.isAdvertising)
        let app = try await CentralProbe.ready(air)
        app.manager.scanForPeripherals(withServices: nil)
        #expect(app.manager.isScanning)
        let (peripheral, heard) = try await app.discovered("kitchen")
        #expect(peripheral.name == "kitchen")
        #expect(peripheral.state == .disconnected)
        #expect(heard.services == [CBUUID(string: "180F"), CBUUID(string: "FEAA")])
        #expect(heard.data[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0x00, 0x02, 0x15]))
        #expect(
            heard.data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
                == [CBUUID(string: "FEAA"): Data([0x20, 0x00])])
        #expect(heard.data[CBAdvertisementDataTxPowerLevelKey] as? Int == Air.txPower)
        #expect(heard.data[CBAdvertisementDataIsConnectable] as? Bool == true)
        #expect(heard.rssi == -50)
        app.manager.stopScan()
        #expect(!app.manager.isScanning)
    }

    @Test("a filter lets only matching services through")
    func filter() async throws {
        let wanted = try await PeripheralProbe.ready(air)
        let other = try await PeripheralProbe.ready(air)
        try await other.advertise("other", services: [CBUUID(string: "180A")])
        try await wanted.advertise("wanted", services: [CBUUID(string: "180F")])
        let app = try await CentralProbe.ready(air)
        app.manager.scanForPeripherals(
            withServices: [CBUUID(string: "0000180F-0000-1000-8000-00805F9B34FB")],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        for _ in 0..<5 {
            let name = try await app.events.next("a discovery") { event in
                if case .discovered(_, let heard) = event { heard.name } else { nil }
            }
            #expect(name == "wanted")
        }
    }

    @Test("without duplicates each peripheral is reported once, and again by a new scan")
    func duplicates() async throws {
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise("once")
        let app = try await CentralProbe.ready(air)
        let witness = try await CentralProbe.ready(air)
        app.manager.scanForPeripherals(withServices: nil)
        witness.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
        let (first, _) = try await app.discovered("once")
        for _ in 0..<5 { _ = try await witness.discovered("once") }
        #expect(app.events.remaining.isEmpty)
        app.manager.scanForPeripherals(withServices: nil)
        let (again, _) = try await app.discovered("once")
        #expect(again === first)
    }

    @Test(
        "signal strength changes while it is watched",
        .softwareRadio(because: "BlueZ's air has no strength that could be set"))
    func strength() async throws {
        let conditions = SoftwareAirFixture.quick()
        let camera = try await PeripheralProbe.ready(air, conditions)
        try await camera.advertise("before")
        let app = try await CentralProbe.ready(air)
        app.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        let (peripheral, heard) = try await app.discovered("before")
        #expect(heard.rssi == -50)
        conditions.signalStrength = -81
        try await app.events.next("a weaker signal") { event in
            if case .discovered(peripheral, let heard) = event, heard.rssi == -81 { () } else { nil }
        }
    }

    @Test("a name changes while it is watched")
    func renamed() async throws {
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise("before")
        let app = try await CentralProbe.ready(air)
        app.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        let (peripheral, _) = try await app.discovered("before")
        peripheral.delegate = app
        camera.manager.stopAdvertising()
        try await camera.advertise("after")
        try await app.events.next("the new name") { event in
            if case .renamed(peripheral) = event { () } else { nil }
        }
        #expect(peripheral.name == "after")
    }

    @Test("a peripheral is found whichever side begins, and not after it stopped")
    func order() async throws {
        let app = try await CentralProbe.ready(air)
        app.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise("late")
        _ = try await app.discovered("late")
        camera.manager.stopAdvertising()
        // A second peripheral that comes later proves that the scan still runs when the first one is silent.
        let second = try await PeripheralProbe.ready(air)
        try await second.advertise("second")
        _ = try await app.discovered("second")
        app.manager.scanForPeripherals(withServices: nil)
        _ = try await app.discovered("second")
        #expect(!camera.manager.isAdvertising)
        app.manager.stopScan()
    }

    @Test("advertisements that cannot be sent are refused with the reason")
    func refused() async throws {
        let camera = try await PeripheralProbe.ready(air)
        await #expect(throws: CBError(.outOfSpace)) {
            try await camera.advertise(
                "x", more: [CBAdvertisementDataManufacturerDataKey: Data(repeating: 1, count: 30)])
        }
        await #expect(throws: CBError(.invalidParameters)) {
            try await camera.advertise("x", more: [CBAdvertisementDataManufacturerDataKey: "no data"])
        }
        try await camera.advertise("x")
        await #expect(throws: CBError(.alreadyAdvertising)) { try await camera.advertise("y") }
    }

    @Test("identifiers outlive the managers, and peripherals can be retrieved by them")
    func identifiers() async throws {
        let address = "C0:00:00:00:00:01"
        let identifier = try await {
            let camera = PeripheralProbe(air.peripheral(at: address), in: air)
            try await camera.expectState(.poweredOn)
            try await camera.advertise("stable")
            let app = try await CentralProbe.ready(air)
            return try await app.find("stable").identifier
        }()
        let app = try await CentralProbe.ready(air)
        let retrieved = try #require(app.manager.retrievePeripherals(withIdentifiers: [UUID(), identifier]).first)
        #expect(retrieved.identifier == identifier)
        #expect(retrieved.name == "stable")
        let camera = PeripheralProbe(air.peripheral(at: address), in: air)
        try await camera.expectState(.poweredOn)
        try await camera.advertise("stable")
        #expect(try await app.find("stable") === retrieved)
        try await app.connect(retrieved)
    }
}
