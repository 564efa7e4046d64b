import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ: attributes", .timeLimit(.minutes(2)))
struct BlueZAttributeTests {
    private func connected(_ services: [FakeService] = [.standard]) async throws -> (FakeBlueZ, RadioProbe) {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: services)
        let probe = try await RadioProbe.on(daemon)
        try await probe.connect()
        _ = await probe.services()
        return (daemon, probe)
    }

    @Test("services, included services, characteristics and descriptors, in the order of their handles")
    func discovery() async throws {
        let second = FakeService(handle: 0x40, uuid: "FFE0", isPrimary: false)
        var first = FakeService.standard
        first.includes = [0x40]
        let system = FakeService(handle: 0x01, uuid: "1801")
        let (daemon, probe) = try await connected([second, first, system])
        #expect(try await probe.services().get().map(\.id) == [AttributeID(0x10)])
        let included = await probe.result { (radio: BlueZCentral, done: @escaping RadioCompletion<[RemoteService]>) in
            radio.discoverIncludedServices(of: AttributeID(0x10), at: FakeBlueZ.address, done)
        }
        #expect(
            try included.get() == [RemoteService(id: AttributeID(0x40), uuid: CBUUID(string: "FFE0"), isPrimary: false)]
        )
        let found = try await probe.characteristics().get()
        #expect(found.map(\.uuid.uuidString) == ["FFF1", "FFF2", "FFF3", "FFF4"])
        #expect(found[1].properties == [.write, .writeWithoutResponse])
        let descriptors = await probe.result {
            (radio: BlueZCentral, done: @escaping RadioCompletion<[RemoteDescriptor]>) in
            radio.discoverDescriptors(of: .standard(0), at: FakeBlueZ.address, done)
        }
        let descriptor = try #require(try descriptors.get().first)
        #expect(descriptor.uuid == CBUUID(string: "2901"))
        #expect(try await probe.read(descriptor.id).get() == Data("2901".utf8))
        #expect(await probe.characteristics(of: 0x99).publicError is CBError)
        try await probe.events.next("the MTU") { event in
            if case .mtuChanged(FakeBlueZ.address, 517) = event { () } else { nil }
        }
        withExtendedLifetime(daemon) {}
    }

    @Test("a question about the services that fails leaves nobody waiting")
    func refusedQuestion() async throws {
        let policy = """
            <policy context="default">
              <deny send_destination="org.bluez" send_interface="org.freedesktop.DBus.Properties" send_member="Get"/>
            </policy>
            """
        let daemon = try await FakeBlueZ.powered(policy: policy)
        daemon.addDevice(services: [.standard])
        let probe = try await RadioProbe.on(daemon)
        try await probe.connect()
        let services = try await within(.seconds(20), "the services") { await probe.services() }
        #expect(try services.get().map(\.uuid) == [CBUUID(string: "FFF0")])
    }

    @Test("services that are exported after 'resolved' was said are not missed")
    func resolvedTooEarly() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice()
        let probe = try await RadioProbe.on(daemon, clock: ManualClock())
        try await probe.connect()
        async let services = probe.services()
        await probe.settle()
        daemon.change { _ in try daemon.export([.standard], below: FakeBlueZ.device) }
        probe.on { radio in
            // What was found too late is announced; a discovery that waits gets all.
            radio.discoverServices(of: FakeBlueZ.address) { _ in }
        }
        daemon.resolve(false)
        daemon.resolve(true)
        #expect(try await services.get().count == 1)
    }

    @Test("values are read and written, and requests to one attribute wait for each other")
    func values() async throws {
        let (daemon, probe) = try await connected()
        #expect(try await probe.read(.standard(0)).get() == Data("one".utf8))
        _ = try await probe.write(Data("two".utf8), to: .standard(0)).get()
        let write = try await daemon.called("WriteValue")
        #expect(write.arguments == [.bytes(Data("two".utf8)), .properties(["type": "request"])])
        daemon.script("WriteValue", .silence)
        async let first = probe.write(Data("three".utf8), to: .standard(0))
        try await daemon.called("WriteValue")
        async let second = probe.read(.standard(0))
        await probe.settle()
        try await daemon.called("ReadValue")
        #expect(daemon.remaining("ReadValue") == 0)
        daemon.answerSilenced("WriteValue")
        _ = try await first.get()
        #expect(try await second.get() == Data("two".utf8))
    }

    @Test("a moment's trouble is waited out; a refusal is passed on")
    func trouble() async throws {
        let (daemon, probe) = try await connected()
        let busy = FakeBlueZ.Reply.error(BlueZ.ErrorName.inProgress, "In Progress")
        daemon.script("ReadValue", busy, busy, busy)
        #expect(try await probe.read(.standard(0)).get() == Data("one".utf8))
        daemon.script("ReadValue", .error(BlueZ.ErrorName.failed, "Operation failed with ATT error: 0x81"))
        #expect(await probe.read(.standard(0)) == .failure(.att(CBATTError.Code(0x81))))
        daemon.script("ReadValue", .values(["text"]), .values([]))
        for _ in 0..<2 { #expect(await probe.read(.standard(0)).publicError is CBError) }
        #expect(await probe.read(AttributeID(0x99)) == .failure(.radio(.invalidHandle)))
        #expect(try await probe.read(.standard(0)).get() == Data("one".utf8))
    }

    @Test("writes without response go through a socket, with its back-pressure, and nothing is lost")
    func commands() async throws {
        let (daemon, probe) = try await connected()
        let count = 2000
        let path = FakeBlueZ.standardPath(1)
        let taken = Recorder<Int>()
        probe.on { radio in
            for index in 0..<count {
                radio.writeWithoutResponse(Data("\(index)".utf8), to: .standard(1), at: FakeBlueZ.address) { result in
                    if case .success = result { taken.record(index) }
                }
            }
        }
        try await daemon.called("AcquireWrite")
        _ = try await taken.next("the first") { $0 == 0 ? $0 : nil }
        await probe.settle()
        // The socket is full by now, and the daemon has read nothing.
        #expect(taken.remaining.count < count - 1)
        var received: [Data] = []
        while received.count < count {
            received += daemon.receivedCommands(path)
            await probe.settle()
        }
        #expect(received == (0..<count).map { Data("\($0)".utf8) })
        _ = try await taken.next("the last") { $0 == count - 1 ? $0 : nil }
        #expect(taken.remaining.count == count - 2)
    }

    @Test("a socket gives way to a write with response, and calls do from then on")
    func mixed() async throws {
        let (daemon, probe) = try await connected()
        let path = FakeBlueZ.standardPath(1)
        _ = try await probe.writeWithoutResponse(Data("a".utf8), to: .standard(1)).get()
        async let write = probe.write(Data("b".utf8), to: .standard(1))
        var commands: [Data] = []
        while commands.isEmpty {
            await probe.settle()
            commands = daemon.receivedCommands(path)
        }
        #expect(commands == [Data("a".utf8)])
        // The daemon notices the closed end when it reads on.
        while daemon.remaining("WriteValue") == 0 { await probe.settle() }
        _ = daemon.receivedCommands(path)
        _ = try await write.get()
        _ = try await probe.writeWithoutResponse(Data("c".utf8), to: .standard(1)).get()
        try await daemon.calls.next("a command by a call") { call in
            call.member == "WriteValue" && call.arguments.last?.properties?["type"] == "command" ? () : nil
        }
    }

    @Test("without a socket, commands go by calls")
    func noSocket() async throws {
        let (daemon, probe) = try await connected()
        daemon.script("AcquireWrite", .error(BlueZ.ErrorName.notPermitted, "Write acquired"))
        _ = try await probe.writeWithoutResponse(Data("a".utf8), to: .standard(1)).get()
        #expect(try await daemon.called("WriteValue").arguments.last?.properties == ["type": "command"])
    }

    @Test("notifications and indications come, identical and empty ones too, until they are turned off")
    func notifications() async throws {
        let (daemon, probe) = try await connected()
        for index in [2, 3] {
            let path = FakeBlueZ.standardPath(index)
            let values = [Data("x".utf8), Data("x".utf8), Data(), Data(repeating: 7, count: 512)]
            _ = try await probe.setNotify(true, for: .standard(index)).get()
            for value in values { daemon.notify(value, path) }
            for value in values { #expect(try await probe.notified() == value) }
            _ = try await probe.setNotify(false, for: .standard(index)).get()
            try await daemon.called("StopNotify")
            #expect(!daemon.notify(Data("y".utf8), path))
            _ = try await probe.setNotify(true, for: .standard(index)).get()
            daemon.notify(Data("z".utf8), path)
            #expect(try await probe.notified() == Data("z".utf8))
        }
    }

    @Test("a value that another program's reading shows is not taken for a notification unless there is a subscription")
    func otherReaders() async throws {
        let (daemon, probe) = try await connected()
        daemon.change { try $0.notify(FakeBlueZ.standardPath(2), BlueZ.gattCharacteristic, "Value", .bytes(Data([1]))) }
        await probe.catchUp()
        #expect(
            probe.events.remaining.allSatisfy { event in
                if case .notified = event { false } else { true }
            })
    }

    @Test("a read while signals come is answered once, and not taken for a notification")
    func readWhileSubscribed() async throws {
        let (daemon, probe) = try await connected()
        let path = FakeBlueZ.standardPath(2)
        _ = try await probe.setNotify(true, for: .standard(2)).get()
        #expect(try await probe.read(.standard(2)).get() == Data())
        daemon.script("ReadValue", .silence)
        async let read = probe.read(.standard(2))
        try await daemon.called("ReadValue")
        try await daemon.called("ReadValue")
        daemon.notify(Data("during".utf8), path)
        daemon.answerSilenced("ReadValue", (BlueZ.ErrorName.failed, "Operation failed with ATT error: 0x0e"))
        #expect(await read == .failure(.att(.unlikelyError)))
        #expect(try await probe.notified() == Data("during".utf8))
        #expect(
            probe.events.remaining.allSatisfy { event in
                if case .notified = event { false } else { true }
            })
    }

    @Test("a refused subscription is an error, and off")
    func refusedSubscription() async throws {
        let (daemon, probe) = try await connected()
        daemon.script("StartNotify", .error(BlueZ.ErrorName.notPermitted, "Not paired"))
        #expect(
            await probe.setNotify(true, for: .standard(3)).publicError as? CBATTError
                == CBATTError(.insufficientAuthentication))
        _ = try await probe.setNotify(true, for: .standard(3)).get()
    }

    @Test("services that change while connected are announced together")
    func servicesChanged() async throws {
        let (daemon, probe) = try await connected([.standard, FakeService(handle: 0x40, uuid: "FFE0")])
        daemon.script("ReadValue", .silence)
        async let read = probe.read(.standard(0))
        try await daemon.called("ReadValue")
        daemon.change { _ in
            daemon.remove(FakeBlueZ.path(service: 0x10))
            daemon.remove(FakeBlueZ.path(service: 0x40))
            try daemon.export([FakeService(handle: 0x50, uuid: "FFD0")], below: FakeBlueZ.device)
        }
        #expect(await read == .failure(.radio(.invalidHandle)))
        let gone: [AttributeID] = try await probe.events.next("changed services") { event in
            if case .servicesChanged(FakeBlueZ.address, let ids) = event { ids } else { nil }
        }
        #expect(gone == [AttributeID(0x10), AttributeID(0x40)])
        #expect(try await probe.services().get().map(\.id) == [AttributeID(0x50)])
    }

    @Test("a discovery between the removal of the old services and the arrival of new ones waits for these")
    func servicesChangeInSteps() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let clock = ManualClock()
        let probe = try await RadioProbe.on(daemon, clock: clock)
        try await probe.connect()
        _ = await probe.services()
        func changed() async throws -> [AttributeID] {
            try await probe.events.next("changed services") { event in
                if case .servicesChanged(_, let ids) = event { ids } else { nil }
            }
        }
        daemon.change { _ in daemon.remove(FakeBlueZ.path(service: 0x10)) }
        #expect(try await changed() == [AttributeID(0x10)])
        async let services = probe.services()
        await probe.settle()
        daemon.change { _ in
            try daemon.export([FakeService(handle: 0x50, uuid: "FFD0")], below: FakeBlueZ.device)
        }
        #expect(try await services.get().map(\.id) == [AttributeID(0x50)])
        // A device that has none at all says so after a while, and is heard when it has some again.
        daemon.change { _ in daemon.remove(FakeBlueZ.path(service: 0x50)) }
        #expect(try await changed() == [AttributeID(0x50)])
        async let none = probe.services()
        // As often as it takes: the clock may still hold the wait that the services above ended.
        let passing = Task {
            while !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await probe.settle()
            }
        }
        #expect(try await none.get().isEmpty)
        passing.cancel()
        daemon.change { _ in try daemon.export([.standard], below: FakeBlueZ.device) }
        #expect(try await changed().isEmpty)
        #expect(try await probe.services().get().count == 1)
    }

    @Test("a table that does not fit any more is forgotten when the connection ends")
    func stale() async throws {
        let (daemon, probe) = try await connected()
        daemon.script("ReadValue", .error(BlueZ.ErrorName.failed, "Operation failed with ATT error: 0x01"))
        #expect(await probe.read(.standard(0)) == .failure(.att(.invalidHandle)))
        daemon.breakLink()
        try await probe.disconnected()
        #expect(try await daemon.called("RemoveDevice").arguments == [.path(FakeBlueZ.device)])
        probe.on { $0.connect(FakeBlueZ.address) }
        try await daemon.called("StartDiscovery")
        daemon.addDevice(services: [FakeService(handle: 0x50, uuid: "FFD0")])
        try await probe.connected()
        #expect(try await probe.services().get().map(\.id) == [AttributeID(0x50)])
    }

    @Test("the signal strength is the last advertisement's, or none")
    func signalStrength() async throws {
        let (daemon, probe) = try await connected()
        let known = await probe.result { (radio: BlueZCentral, done: @escaping RadioCompletion<Int>) in
            radio.readRSSI(of: FakeBlueZ.address, done)
        }
        #expect(try known.get() == -40)
        daemon.advertise(rssi: 127)
        await probe.catchUp()
        let unknown = await probe.result { (radio: BlueZCentral, done: @escaping RadioCompletion<Int>) in
            radio.readRSSI(of: FakeBlueZ.address, done)
        }
        #expect(unknown.publicError as? CBError == CBError(.operationNotSupported))
    }
}
