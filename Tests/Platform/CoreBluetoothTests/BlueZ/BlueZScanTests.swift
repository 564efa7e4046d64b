import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ: scanning", .timeLimit(.minutes(2)))
struct BlueZScanTests {
    @Test("each advertisement is reported while a scan runs, cached devices are not")
    func discovery() async throws {
        let daemon = try await FakeBlueZ.powered()
        let old = RadioAddress(number: 0xC000_0000_0001)
        daemon.addDevice(old, rssi: nil)
        let probe = try await RadioProbe.on(daemon)
        probe.on { $0.scan(ScanRequest()) }
        let filter = try await daemon.called("SetDiscoveryFilter").arguments.first?.properties
        #expect(filter == ["Transport": "le", "DuplicateData": true])
        try await daemon.called("StartDiscovery")
        daemon.addDevice(name: "kitchen", uuids: [FakeService.long("FFF0")])
        let (address, advertisement, rssi) = try await probe.discovered()
        #expect(address == FakeBlueZ.address)
        #expect(advertisement.localName == "kitchen")
        #expect(advertisement.serviceUUIDs == [CBUUID(string: "FFF0")])
        #expect(rssi == -40)
        daemon.advertise(rssi: 127, more: ["Name": "cellar"])
        daemon.advertise(rssi: -50)
        let renamed = try await probe.discovered()
        #expect(renamed.1.localName == "cellar")
        #expect(renamed.2 == nil)
        #expect(try await probe.discovered().2 == -50)
        probe.on { $0.stopScan() }
        try await daemon.called("StopDiscovery")
        daemon.advertise()
        daemon.power(false)
        try await probe.expect(.poweredOff)
        #expect(probe.events.remaining.isEmpty)
    }

    @Test("without duplicates a device is reported again when it tells more, and only then")
    func later() async throws {
        let daemon = try await FakeBlueZ.powered()
        let state = try TemporaryDirectory()
        let app = CentralProbe([
            RadioSelection.backendKey: BlueZRadio(bus: .address(daemon.bus.address), clock: RadioClock(QuickClock())),
            CBManagerOptionStateDirectoryKey: state.url.path,
        ])
        try await app.expectState(.poweredOn)
        app.manager.scanForPeripherals(withServices: nil)
        try await daemon.called("StartDiscovery")
        daemon.addDevice(name: nil, uuids: [FakeService.long("FFF0")])
        daemon.advertise()
        daemon.advertise(more: ["Name": "late"])
        daemon.advertise()
        daemon.advertise(more: ["UUIDs": .strings([FakeService.long("FFF0"), FakeService.long("FFF1")])])
        var names: [String?] = []
        for _ in 0..<3 {
            names.append(
                try await app.events.next("a discovery") { event in
                    if case .discovered(_, let heard) = event { .some(heard.name) } else { nil }
                })
        }
        #expect(names == [nil, "late", "late"])
        #expect(app.events.remaining.isEmpty)
    }

    @Test("a device whose services are known from a connection is forgotten when they hide what it advertises now")
    func hiddenAdvertisement() async throws {
        let daemon = try await FakeBlueZ.powered()
        let resolved = ["1800", "1801", "FFD0"].map(FakeService.long)
        daemon.addDevice(rssi: nil, uuids: resolved)
        let probe = try await RadioProbe.on(daemon)
        probe.on { $0.scan(ScanRequest(services: [CBUUID(string: "FFD0")])) }
        try await daemon.called("StartDiscovery")
        daemon.advertise()
        #expect(try await probe.discovered().1.serviceUUIDs.last == CBUUID(string: "FFD0"))
        probe.on { $0.scan(ScanRequest(services: [CBUUID(string: "FFF0")])) }
        daemon.advertise()
        #expect(try await daemon.called("RemoveDevice").arguments == [.path(FakeBlueZ.device)])
        daemon.addDevice(uuids: [FakeService.long("FFF0")])
        #expect(try await probe.discovered().1.serviceUUIDs == [CBUUID(string: "FFF0")])
        #expect(probe.events.remaining.isEmpty)
    }

    @Test("but not what is somebody's: trusted, or being connected by another manager", arguments: [true, false])
    func keptDevice(trusted: Bool) async throws {
        let daemon = try await FakeBlueZ.powered()
        let resolved = ["1800", "1801", "FFD0"].map(FakeService.long)
        daemon.addDevice(rssi: nil, uuids: resolved, more: ["Trusted": .bool(trusted)])
        let sharing = AdapterSharing()
        let probe = RadioProbe(daemon, sharing: sharing)
        try await probe.expect(.poweredOn)
        let other = RadioProbe(daemon, sharing: sharing)
        try await other.expect(.poweredOn)
        if !trusted {
            daemon.script("Connect", .silence)
            other.on { $0.connect(FakeBlueZ.address) }
            try await daemon.called("Connect")
        }
        probe.on { $0.scan(ScanRequest(services: [CBUUID(string: "FFF0")])) }
        await probe.catchUp()
        daemon.advertise()
        await probe.catchUp()
        await probe.catchUp()
        #expect(daemon.remaining("RemoveDevice") == 0)
    }

    @Test("200 advertisers, each heard three times")
    func crowd() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon)
        probe.on { $0.scan(ScanRequest()) }
        try await daemon.called("StartDiscovery")
        let addresses = (0..<200).map { RadioAddress(number: 0xC000_0000_1000 + UInt64($0)) }
        for address in addresses { daemon.addDevice(address, name: nil) }
        for _ in 0..<2 { for address in addresses { daemon.advertise(address) } }
        var heard: [RadioAddress: Int] = [:]
        for _ in 0..<600 { heard[try await probe.discovered().0, default: 0] += 1 }
        #expect(heard.count == 200)
        #expect(heard.values.allSatisfy { $0 == 3 })
        #expect(probe.events.remaining.isEmpty)
    }

    @Test("devices with properties of wrong types are reported with what makes sense")
    func malformed() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon)
        probe.on { $0.scan(ScanRequest()) }
        try await daemon.called("StartDiscovery")
        daemon.addDevice(
            name: nil,
            more: ["Name": 4, "UUIDs": "none", "ManufacturerData": true, "ServiceData": 1, "Connected": "yes"])
        let (_, advertisement, rssi) = try await probe.discovered()
        #expect(advertisement == Advertisement())
        #expect(rssi == -40)
        daemon.change { try $0.add("/org/bluez/hci0/dev_nonsense", BlueZ.device, properties: ["RSSI": 1]) }
        daemon.change { try $0.add("/org/bluez/hci0/dev_C0_FE_00_00_00_02", BlueZ.device, properties: ["RSSI": "x"]) }
        let second = try await probe.discovered()
        #expect(second.0 == RadioAddress(number: 0xC0FE_0000_0002))
        #expect(second.2 == nil)
    }

    @Test(
        "a scan that does not start is tried again",
        arguments: [BlueZ.ErrorName.inProgress, BlueZ.ErrorName.notReady, BlueZ.ErrorName.failed])
    func failures(_ name: String) async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.script("StartDiscovery", .error(name), .error(name), .error(name), .error(name), .error(name))
        let probe = try await RadioProbe.on(daemon)
        probe.on { $0.scan(ScanRequest()) }
        for _ in 0..<6 { try await daemon.called("StartDiscovery") }
        daemon.addDevice()
        _ = try await probe.discovered()
        #expect(daemon.isDiscovering)
    }

    @Test("a session that StopDiscovery does not find is over all the same")
    func stopFails() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.script("StopDiscovery", .error(BlueZ.ErrorName.inProgress), .error(BlueZ.ErrorName.failed))
        let probe = try await RadioProbe.on(daemon)
        for _ in 0..<2 {
            probe.on { $0.scan(ScanRequest()) }
            try await daemon.called("StartDiscovery")
            probe.on { $0.stopScan() }
            try await daemon.called("StopDiscovery")
        }
    }

    @Test("a scan that has been silent for 90 s is begun again")
    func watchdog() async throws {
        let daemon = try await FakeBlueZ.powered()
        let clock = ManualClock()
        let probe = try await RadioProbe.on(daemon, clock: clock)
        probe.on { $0.scan(ScanRequest()) }
        try await daemon.called("StartDiscovery")
        await clock.sleepers()
        clock.advance(by: .seconds(60))
        daemon.addDevice()
        _ = try await probe.discovered()
        // It was heard 30 s ago: nothing happens before another 60 s.
        clock.advance(by: .seconds(30))
        await probe.settle()
        await clock.sleepers()
        #expect(daemon.remaining("StopDiscovery") == 0)
        clock.advance(by: .seconds(60))
        try await daemon.called("StopDiscovery")
        try await daemon.called("StartDiscovery")
        daemon.advertise()
        _ = try await probe.discovered()
    }

    @Test("discovery that ends behind the daemon's back is begun again")
    func discoveringFalse() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon)
        probe.on { $0.scan(ScanRequest()) }
        try await daemon.called("StartDiscovery")
        await probe.settle()
        daemon.change { try $0.notify("/org/bluez/hci0", BlueZ.adapter, "Discovering", false) }
        try await daemon.called("StopDiscovery")
        try await daemon.called("StartDiscovery")
    }

    @Test("a power cycle and a restarted daemon end the scan; the next one works")
    func cycles() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon)
        for cycle in 0..<2 {
            probe.on { $0.scan(ScanRequest()) }
            try await daemon.called("StartDiscovery")
            daemon.addDevice()
            _ = try await probe.discovered()
            if cycle == 0 {
                daemon.power(false)
                try await probe.expect(.poweredOff)
                daemon.removeDevice()
                daemon.power(true)
            } else {
                daemon.kill()
                try await probe.expect(.resetting)
                try await daemon.start()
                daemon.addAdapter()
            }
            try await probe.expect(.poweredOn)
            #expect(!daemon.isDiscovering)
        }
        probe.on { $0.scan(ScanRequest()) }
        try await daemon.called("StartDiscovery")
    }

    @Test("two managers of a process: one connects while the other's scan rests")
    func rests() async throws {
        let daemon = try await FakeBlueZ.powered()
        let sharing = AdapterSharing()
        let scanner = RadioProbe(daemon, sharing: sharing)
        let connector = RadioProbe(daemon, sharing: sharing)
        try await scanner.expect(.poweredOn)
        try await connector.expect(.poweredOn)
        scanner.on { $0.scan(ScanRequest()) }
        try await daemon.called("StartDiscovery")
        daemon.addDevice()
        _ = try await scanner.discovered()
        daemon.script("Connect", .silence)
        connector.on { $0.connect(FakeBlueZ.address) }
        try await daemon.called("StopDiscovery")
        try await daemon.called("Connect")
        daemon.change { try $0.set(FakeBlueZ.device, BlueZ.device, "Connected", true) }
        daemon.answerSilenced("Connect")
        try await connector.connected()
        try await daemon.called("StartDiscovery")
    }
}
