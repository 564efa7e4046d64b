import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ peripheral: advertising", .timeLimit(.minutes(1)))
struct PeripheralAdvertisingTests {
    private func nextAdvertisement(
        _ probe: PeripheralRadioProbe
    ) async throws -> (properties: [String: BusValue], path: String) {
        try await probe.server.events.next("an advertisement") { event in
            if case .advertised(let properties, let path) = event { (properties, path) } else { nil }
        }
    }

    @Test("every field goes out")
    func fields() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        let advertisement = Advertisement(
            localName: "camera", serviceUUIDs: [CBUUID(string: "180D")],
            solicitedServiceUUIDs: [CBUUID(string: "180F")], serviceData: [CBUUID(string: "4677"): Data([1, 2])],
            manufacturerData: Data([0xFF, 0x0A, 3]), txPowerLevel: -7)
        try await probe.advertise(advertisement).get()
        let properties = try await nextAdvertisement(probe).properties
        #expect(properties["Type"] == "peripheral")
        #expect(properties["Discoverable"] == true)
        #expect(properties["LocalName"] == "camera")
        #expect(properties["ServiceUUIDs"]?.strings == ["180D"])
        #expect(properties["SolicitUUIDs"]?.strings == ["180F"])
        #expect(properties["ServiceData"]?.entries == [BusEntry("4677", .variant(.bytes(Data([1, 2]))))])
        #expect(properties["ManufacturerData"]?.entries == [BusEntry(.uint16(0x0AFF), .variant(.bytes(Data([3]))))])
        #expect(properties["TxPower"] == .int16(-7))
        #expect(properties["Includes"]?.strings == ["tx-power"])
        #expect(properties["MinInterval"] == .uint32(100))
        #expect(properties["MaxInterval"] == .uint32(150))
    }

    @Test("what cannot be connected to is a broadcast, which may not be discoverable")
    func broadcast() throws {
        let properties = try Advertisement(localName: "beacon", isConnectable: false).registration()
        #expect(properties["Type"] == "broadcast")
        #expect(properties["Discoverable"] == nil)
    }

    @Test("the name is cut to what fits, between characters; the rest fits or is refused")
    func limits() throws {
        func name(_ name: String) throws -> BusValue? { try Advertisement(localName: name).registration()["LocalName"] }
        #expect(try name(String(repeating: "x", count: 29)) == .string(String(repeating: "x", count: 29)))
        // The daemon cuts this one, and the packet says so.
        #expect(try name(String(repeating: "x", count: 40)) == .string(String(repeating: "x", count: 40)))
        #expect(try name(String(repeating: "x", count: 28) + "é") == .string(String(repeating: "x", count: 28)))
        #expect(try name("") == nil)
        #expect(try name("a\0b") == "ab")
        // Flags 3, a UUID of 128 bits 18: ten are left.
        _ = try Advertisement(serviceUUIDs: [Sample.uuid(1)], manufacturerData: Data(count: 8)).registration()
        #expect {
            try Advertisement(serviceUUIDs: [Sample.uuid(1)], manufacturerData: Data(count: 9)).registration()
        } throws: { error in
            if case .radio(.outOfSpace, _)? = error as? RadioFailure { true } else { false }
        }
        // 128-bit digits of a short one go out short.
        let long = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
        _ = try Advertisement(serviceUUIDs: [long], manufacturerData: Data(count: 22)).registration()
    }

    @Test(
        "refusals have their reasons",
        arguments: [
            ("org.bluez.Error.NotPermitted", CBError.Code.outOfSpace),
            ("org.bluez.Error.AlreadyExists", .alreadyAdvertising),
            ("org.bluez.Error.InvalidArguments", .invalidParameters), ("org.bluez.Error.Failed", .unknown),
            ("org.freedesktop.DBus.Error.UnknownMethod", .operationNotSupported),
            ("org.freedesktop.DBus.Error.UnknownObject", .operationNotSupported),
            ("org.freedesktop.DBus.Error.AccessDenied", .operationNotSupported),
        ])
    func refusals(name: String, code: CBError.Code) async throws {
        let probe = try await PeripheralRadioProbe.ready()
        probe.daemon.script("RegisterAdvertisement", .error(name, "so it is"))
        #expect(try await probe.advertise().failure == code)
        try await probe.advertise().get()
    }

    @Test("one at a time; stopped, it is gone, and the next one can begin at once")
    func oneAtATime() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        try await probe.advertise().get()
        #expect(try await probe.advertise().failure == .alreadyAdvertising)
        let path = try await nextAdvertisement(probe).path
        probe.run { $0.stopAdvertising() }
        try await probe.advertise().get()
        let next = try await nextAdvertisement(probe).path
        #expect(next != path)
        #expect(probe.server.onAir == [next])
    }

    @Test("stopped before it began, it does not begin")
    func stoppedEarly() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        probe.daemon.script("RegisterAdvertisement", .silence)
        probe.beginAdvertising(Sample.advertisement)
        try await probe.daemon.called("RegisterAdvertisement")
        probe.run { $0.stopAdvertising() }
        #expect(try await probe.advertising().failure == .operationCancelled)
        probe.beginAdvertising(Advertisement(localName: "other"))
        probe.daemon.answerSilenced("RegisterAdvertisement")
        try await probe.daemon.called("UnregisterAdvertisement")
        try await probe.advertising().get()
        #expect(try await nextAdvertisement(probe).properties["LocalName"] == "other")
    }

    @Test("a manager that goes while its advertisement is being registered takes it back when it is, and leaves then")
    func gone() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        probe.daemon.script("RegisterAdvertisement", .silence)
        probe.beginAdvertising(Sample.advertisement)
        try await probe.daemon.called("RegisterAdvertisement")
        probe.shutdown()
        // What was sent before has arrived when another program has come to know the daemon.
        let other = PeripheralRadioProbe(probe.daemon, probe.server)
        try await other.expect(.poweredOn)
        #expect(probe.daemon.remaining("UnregisterAdvertisement") == 0)
        probe.daemon.answerSilenced("RegisterAdvertisement")
        try await probe.daemon.called("UnregisterAdvertisement")
        #expect(try await probe.advertising().failure == .operationCancelled)
    }

    @Test("a central's connection ends the sending, so the advertisement is registered again")
    func renewal() async throws {
        let probe = try await PeripheralRadioProbe.published()
        try await probe.advertise().get()
        let path = try await nextAdvertisement(probe).path
        probe.server.connect(FakeRemoteCentral(number: 1))
        #expect(try await nextAdvertisement(probe).path != path)
        #expect(probe.server.onAir.count == 1)
        #expect(!probe.happenings.remaining.contains { if case .advertising = $0 { true } else { false } })
    }

    @Test("a controller that cannot advertise beside a connection does so again after it")
    func pause() async throws {
        let probe = try await PeripheralRadioProbe.published()
        try await probe.advertise().get()
        _ = try await nextAdvertisement(probe)
        probe.daemon.script(
            "RegisterAdvertisement", .error("org.bluez.Error.Failed", "Failed to register advertisement"))
        let central = FakeRemoteCentral(number: 1)
        probe.server.connect(central)
        try await probe.daemon.called("UnregisterAdvertisement")
        try await probe.settle()
        #expect(probe.server.onAir.isEmpty)
        probe.server.disconnect(central)
        _ = try await nextAdvertisement(probe)
        #expect(
            !probe.happenings.remaining.contains { happening in
                if case .event(.advertisingStopped) = happening { true } else { false }
            })
    }

    @Test("an advertisement that the daemon ends by itself has stopped, and can be started again")
    func release() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        try await probe.advertise().get()
        probe.server.release(try await nextAdvertisement(probe).path)
        try await probe.event("the end of advertising") { event in
            if case .advertisingStopped = event { () } else { nil }
        }
        try await probe.advertise().get()
        _ = try await nextAdvertisement(probe)
    }

    @Test("a full adapter refuses, and takes it when another program has ended")
    func full() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        var others: [PeripheralRadioProbe] = []
        for _ in 0..<FakeGATTServer.advertisementLimit {
            let other = PeripheralRadioProbe(probe.daemon, probe.server)
            try await other.expect(.poweredOn)
            try await other.advertise().get()
            others.append(other)
        }
        #expect(try await probe.advertise().failure == .outOfSpace)
        others.first?.run { $0.stopAdvertising() }
        try await probe.daemon.called("UnregisterAdvertisement")
        try await probe.advertise().get()
    }

    @Test("a daemon that has just started adds the interface for advertising last: it is waited for")
    func lateInterface() async throws {
        let daemon = try await FakeBlueZ.powered()
        let server = FakeGATTServer(daemon, interfaces: [BlueZ.gattManager])
        let probe = PeripheralRadioProbe(daemon, server)
        try await probe.expect(.poweredOn)
        probe.beginAdvertising(Sample.advertisement)
        server.attach([BlueZ.advertisingManager])
        try await probe.advertising().get()
    }

    @Test("an adapter that never gets the interface cannot advertise")
    func noInterface() async throws {
        let daemon = try await FakeBlueZ.powered()
        let clock = ManualClock()
        let server = FakeGATTServer(daemon, interfaces: [BlueZ.gattManager])
        let probe = PeripheralRadioProbe(daemon, server, clock: RadioClock(clock))
        try await probe.expect(.poweredOn)
        probe.beginAdvertising(Sample.advertisement)
        await clock.sleepers()
        clock.advance(by: BlueZAdvertiser.patience)
        #expect(try await probe.advertising().failure == .operationNotSupported)
        // Called off in time, it is called off and nothing else.
        probe.beginAdvertising(Sample.advertisement)
        await clock.sleepers()
        probe.run { $0.stopAdvertising() }
        #expect(try await probe.advertising().failure == .operationCancelled)
        clock.advance(by: BlueZAdvertiser.patience)
        try await probe.add(Sample.service).get()
        try await probe.settle()
    }
}
