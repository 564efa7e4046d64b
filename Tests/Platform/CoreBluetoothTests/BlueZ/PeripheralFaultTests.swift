import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ peripheral: faults", .timeLimit(.minutes(1)))
struct PeripheralFaultTests {
    private let central = FakeRemoteCentral(number: 1)

    /// Starts the daemon again, with its adapter.
    private func restart(_ probe: PeripheralRadioProbe) async throws {
        try await probe.daemon.start()
        probe.daemon.addAdapter()
        probe.server.attach()
        try await probe.expect(.poweredOn)
    }

    private func nextAdvertisement(_ probe: PeripheralRadioProbe) async throws {
        try await probe.server.events.next("an advertisement") { event in
            if case .advertised = event { () } else { nil }
        }
    }

    /// That the radio does all it should.
    private func works(_ probe: PeripheralRadioProbe) async throws {
        try await probe.add(Sample.service).get()
        try await probe.advertise().get()
        try await nextAdvertisement(probe)
        probe.server.connect(central)
        try await nextAdvertisement(probe)
        probe.server.configure(Sample.uuid(4), 1, by: central)
        try await probe.expectSubscribed(central, Sample.notifying)
        probe.notify(Data([1]), Sample.notifying, to: [central], number: 77)
        try await probe.room(77)
        try await probe.settle()
    }

    @Test("a daemon that is killed takes everything along; started again, all can be had again")
    func killed() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        for _ in 0..<3 {
            try await works(probe)
            probe.daemon.kill()
            try await probe.expect(.resetting)
            try await restart(probe)
        }
        #expect(
            !probe.happenings.remaining.contains { happening in
                if case .event(.advertisingStopped) = happening { true } else { false }
            })
    }

    @Test("a daemon that is killed while it is asked: every question is answered once, and later all works")
    func killedWhileAsked() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        probe.daemon.script("RegisterApplication", .silence)
        probe.daemon.script("RegisterAdvertisement", .silence)
        probe.beginAdding(Sample.service)
        probe.beginAdding(Sample.small(20, uuid: "180F"))
        probe.beginAdvertising(Sample.advertisement)
        try await probe.daemon.called("RegisterApplication")
        try await probe.daemon.called("RegisterAdvertisement")
        probe.daemon.kill()
        #expect(try await probe.added(Sample.service.id).failure != nil)
        #expect(try await probe.added(Sample.id(20)).failure != nil)
        #expect(try await probe.advertising().failure != nil)
        try await probe.expect(.resetting)
        try await restart(probe)
        try await works(probe)
        #expect(!probe.happenings.remaining.contains { if case .added = $0 { true } else { false } })
    }

    @Test("a daemon that is killed with a request, an indication and a stream of values open")
    func killedInUse() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        try await works(probe)
        probe.server.configure(Sample.uuid(5), 2, by: central)
        try await probe.expectSubscribed(central, Sample.indicating)
        async let read = probe.server.call(Sample.uuid(2), "ReadValue", [.properties(central.options)])
        let request = try await probe.nextRead()
        probe.notify(Data([1]), Sample.indicating, to: [central], number: 1)
        for number in 2...9 { probe.notify(Data([1]), Sample.notifying, to: [central], number: number) }
        probe.daemon.kill()
        for number in 1...9 { try await probe.room(number) }
        #expect((try? await read) == nil)
        try await probe.expect(.resetting)
        probe.respond(request.ticket, .success(Data()))
        try await restart(probe)
        try await works(probe)
    }

    @Test("a daemon that ends in order says so of the advertisement first; that is not the application's business")
    func orderlyEnd() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        try await probe.advertise().get()
        let path = try await probe.server.events.next("an advertisement") { event in
            if case .advertised(_, let path) = event { path } else { nil }
        }
        probe.server.release(path)
        probe.daemon.kill()
        try await probe.expect(.resetting)
        try await restart(probe)
        try await probe.advertise().get()
    }

    @Test("the radio switched off: connections and advertising are over, services stay")
    func powerCycle() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        try await works(probe)
        let path = try #require(probe.server.onAir.first)
        probe.daemon.power(false)
        try await probe.expect(.poweredOff)
        try await probe.server.events.next("the end of the advertisement") { event in
            if case .unadvertised(path) = event { () } else { nil }
        }
        #expect(probe.server.onAir.isEmpty)
        #expect(try await probe.advertise().failure == .operationNotSupported)
        probe.daemon.power(true)
        try await probe.expect(.poweredOn)
        #expect(probe.server.objects(of: BlueZ.gattService).map(\.uuid) == [Sample.uuid(1)])
        try await probe.advertise().get()
        try await probe.settle()
    }

    @Test("a controller pulled out and put in again")
    func replugged() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        try await works(probe)
        probe.daemon.removeAdapter()
        try await probe.expect(.resetting)
        probe.daemon.addAdapter()
        probe.server.attach()
        try await probe.expect(.poweredOn)
        try await works(probe)
    }

    @Test("answers that come late, after the state has changed, do nothing")
    func lateAnswers() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        probe.daemon.script("RegisterAdvertisement", .silence)
        probe.beginAdvertising(Sample.advertisement)
        try await probe.daemon.called("RegisterAdvertisement")
        probe.daemon.power(false)
        #expect(try await probe.advertising().failure == .operationCancelled)
        probe.daemon.power(true)
        try await probe.expect(.poweredOn)
        probe.daemon.answerSilenced("RegisterAdvertisement", ("org.bluez.Error.Failed", "late"))
        try await works(probe)
    }

    @Test("two managers on one adapter do not know each other's attributes; the link outlives the first")
    func twoManagers() async throws {
        let probe = try await PeripheralRadioProbe.ready()
        let other = PeripheralRadioProbe(probe.daemon, probe.server)
        try await other.expect(.poweredOn)
        try await probe.add(Sample.service).get()
        try await other.add(Sample.small(20, uuid: "180F")).get()
        try await probe.advertise().get()
        try await other.advertise(Advertisement(localName: "other")).get()
        probe.server.connect(central)
        probe.server.configure(Sample.uuid(4), 1, by: central)
        try await probe.expectSubscribed(central, Sample.notifying)
        async let answer = probe.server.call(CBUUID(string: "2A19"), "ReadValue", [.properties(central.options)])
        other.respond(try await other.nextRead().ticket, .success(Data([99])))
        #expect(try await answer == [.bytes(Data([99]))])
        probe.shutdown()
        #expect(probe.daemon.remaining("Disconnect") == 0)
        other.shutdown()
        try await probe.daemon.called("Disconnect")
    }

    @Test("no bus at all is no radio, and takes nothing")
    func noBus() async throws {
        let daemon = try await FakeBlueZ.powered()
        let server = FakeGATTServer(daemon)
        daemon.kill()
        daemon.bus.stop()
        let probe = PeripheralRadioProbe(daemon, server)
        try await probe.expect(.unsupported)
        #expect(try await probe.add(Sample.service).failure == .operationNotSupported)
        #expect(try await probe.advertise().failure == .operationNotSupported)
        probe.shutdown()
    }

    @Test("a radio that is shut down leaves nothing: no connection to the bus, no object in memory")
    func leaks() async throws {
        let daemon = try await FakeBlueZ.powered()
        let server = FakeGATTServer(daemon)
        let before = try await names(on: daemon)
        for _ in 0..<10 {
            let isAlive: @Sendable () -> Bool
            do {
                let probe = PeripheralRadioProbe(daemon, server)
                isAlive = probe.radioIsAlive
                try await probe.expect(.poweredOn)
                try await works(probe)
                probe.shutdown()
                server.disconnect(central)
            }
            try await within(.seconds(10), "the radio's end") { while isAlive() { await Task.yield() } }
        }
        try await within(.seconds(10), "the end of the connections") {
            while try await names(on: daemon) != before { await Task.yield() }
        }
    }

    /// The connections to the bus beside the one that asks.
    private func names(on daemon: FakeBlueZ) async throws -> Int {
        let names = try await daemon.ask(BusName.bus, BusName.busPath, BusName.bus, "ListNames")
        return names.first?.strings?.count ?? 0
    }
}
