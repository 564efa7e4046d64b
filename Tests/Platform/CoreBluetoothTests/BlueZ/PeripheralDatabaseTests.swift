import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ peripheral: the database", .timeLimit(.minutes(1)))
struct PeripheralDatabaseTests {
    @Test("a service is registered with its attributes in order, and with flags for what may be done")
    func publishing() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let services = probe.server.objects(of: BlueZ.gattService)
        #expect(services.map(\.uuid) == [Sample.uuid(1)])
        #expect(services.first?.properties["Primary"]?.bool == true)
        let characteristics = probe.server.objects(of: BlueZ.gattCharacteristic)
        #expect(characteristics.map(\.uuid) == [2, 4, 5, 6].map(Sample.uuid))
        #expect(characteristics.map(\.flags) == [["read", "write"], ["notify"], ["indicate"], ["read", "write"]])
        #expect(characteristics.map { $0.properties["NotifyAcquired"] != nil } == [false, true, true, false])
        #expect(characteristics.allSatisfy { $0.properties["Service"]?.string == services.first?.path })
        let descriptor = try #require(probe.server.objects(of: BlueZ.gattDescriptor).first)
        #expect(descriptor.uuid == CBUUID(string: "2901"))
        #expect(descriptor.flags == ["read"])
        #expect(descriptor.properties["Characteristic"]?.string == characteristics.first?.path)
    }

    @Test(
        "flags say encryption, extended properties and every kind of access",
        arguments: [
            ([.read], [.readEncryptionRequired], ["encrypt-read"]),
            ([.write], [.writeEncryptionRequired], ["encrypt-write"]),
            ([.writeWithoutResponse], [.writeable], ["write-without-response"]),
            ([.writeWithoutResponse], [.writeEncryptionRequired], ["write-without-response", "encrypt-write"]),
            ([.notifyEncryptionRequired, .notify], [.readable], ["encrypt-notify"]),
            ([.indicateEncryptionRequired], [.readable], ["encrypt-indicate"]),
            ([.extendedProperties, .write], [.writeable], ["write", "reliable-write"]),
            ([.broadcast, .authenticatedSignedWrites], [], ["broadcast", "authenticated-signed-writes"]),
            ([.notify, .indicate], [.readable], ["notify", "indicate"]),
        ] as [(CBCharacteristicProperties, CBAttributePermissions, [String])])
    func flags(properties: CBCharacteristicProperties, permissions: CBAttributePermissions, flags: [String]) {
        let characteristic = LocalCharacteristic(
            id: Sample.value, uuid: Sample.uuid(2), properties: properties, permissions: permissions)
        #expect(characteristic.blueZFlags == flags)
    }

    @Test("services are applications of their own: one comes and goes without the others")
    func separate() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let battery = Sample.small(20, uuid: "180F")
        try await probe.add(battery).get()
        #expect(probe.server.objects(of: BlueZ.gattService).map(\.uuid) == [Sample.uuid(1), battery.uuid])
        probe.run { $0.remove(battery.id) }
        try await probe.server.events.next("the end of the application") { event in
            if case .unregistered = event { () } else { nil }
        }
        #expect(probe.server.objects(of: BlueZ.gattService).map(\.uuid) == [Sample.uuid(1)])
        #expect(probe.daemon.remaining("UnregisterApplication") == 1)
    }

    @Test("a service and those it includes share an application; each can still be removed alone")
    func includes() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let battery = Sample.small(20, uuid: "180F")
        let whole = Sample.small(30, uuid: "1812", includes: [battery.id])
        try await probe.add(battery).get()
        try await probe.add(whole).get()
        let services = probe.server.objects(of: BlueZ.gattService)
        #expect(services.map(\.uuid) == [Sample.uuid(1), battery.uuid, whole.uuid])
        #expect(services.last?.properties["Includes"]?.strings == [services[1].path])
        probe.run { $0.remove(battery.id) }
        try await probe.server.events.next("the end of the service") { event in
            if case .removed(let path) = event, path == services[1].path { () } else { nil }
        }
        #expect(probe.server.objects(of: BlueZ.gattService).map(\.uuid) == [Sample.uuid(1), whole.uuid])
        // The other one still works.
        try await probe.add(Sample.small(40, uuid: "180A")).get()
    }

    @Test("an included service that is not there, or one that cannot be joined, leaves the others in place")
    func failedInclude() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let stranger = Sample.small(30, uuid: "1812", includes: [Sample.id(99)])
        #expect(try await probe.add(stranger).failure == .invalidParameters)
        probe.daemon.script(
            "RegisterApplication", .error("org.bluez.Error.Failed", "Failed to create entry in database"))
        let whole = Sample.small(40, uuid: "1812", includes: [Sample.service.id])
        #expect(try await probe.add(whole).failure == .unknown)
        #expect(probe.server.objects(of: BlueZ.gattService).map(\.uuid) == [Sample.uuid(1)])
    }

    @Test(
        "refusals have their reasons",
        arguments: [
            ("org.bluez.Error.Failed", CBError.Code.unknown), ("org.bluez.Error.InvalidArguments", .invalidParameters),
            ("org.bluez.Error.AlreadyExists", .unknown), ("org.bluez.Error.NotPermitted", .unknown),
            ("org.freedesktop.DBus.Error.AccessDenied", .operationNotSupported),
            ("org.freedesktop.DBus.Error.UnknownMethod", .operationNotSupported),
            ("org.freedesktop.DBus.Error.NoReply", .unknown),
        ])
    func refusals(name: String, code: CBError.Code) async throws {
        let probe = try await PeripheralRadioProbe.ready()
        probe.daemon.script("RegisterApplication", .error(name, "so it is"))
        guard case .failure(.radio(code, let reason?)) = try await probe.add(Sample.service) else {
            Issue.record("no failure with the code \(code)")
            return
        }
        // Advice that is for advertisements is none for services.
        #expect(reason.contains("service") && !reason.contains("advertise"), "\(reason)")
        // Nothing of it is left over.
        try await probe.add(Sample.service).get()
    }

    @Test("the system's own services are not published twice", arguments: ["1800", "1801"])
    func reserved(uuid: String) async throws {
        let probe = try await PeripheralRadioProbe.ready()
        #expect(try await probe.add(Sample.small(20, uuid: uuid)).failure == .uuidNotAllowed)
        #expect(probe.daemon.remaining("RegisterApplication") == 0)
    }

    @Test("a service that is removed before it is published never appears")
    func removedEarly() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        probe.daemon.script("RegisterApplication", .silence)
        probe.beginAdding(Sample.small(20, uuid: "180F"))
        try await probe.daemon.called("RegisterApplication")
        probe.beginAdding(Sample.service)
        probe.run { $0.remove(Sample.service.id) }
        #expect(try await probe.added(Sample.service.id).failure == .operationCancelled)
        probe.daemon.answerSilenced("RegisterApplication")
        try await probe.added(Sample.id(20)).get()
        try await probe.add(Sample.small(40, uuid: "180A")).get()
        #expect(probe.server.objects(of: BlueZ.gattService).map(\.uuid) == [CBUUID(string: "180A")])
    }

    @Test("a removed service loses its subscribers, and the values under way to them are over")
    func removedWithSubscribers() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        probe.server.connect(central)
        probe.server.configure(Sample.uuid(5), 2, by: central)
        try await probe.expectSubscribed(central, Sample.indicating)
        probe.notify(Data([1]), Sample.indicating, to: [central])
        probe.run { $0.remove(Sample.service.id) }
        try await probe.expectUnsubscribed(central, Sample.indicating)
        try await probe.room()
    }
}

extension Result where Failure == RadioFailure {
    /// The code of a failure of the radio.
    var failure: CBError.Code? {
        if case .failure(.radio(let code, _)) = self { code } else { nil }
    }
}
