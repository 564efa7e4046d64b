import Basics
import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

/// ``CBPeripheralManager`` on top of the radio: what an application sees of the daemon's doings.
@Suite("BlueZ peripheral: the manager", .timeLimit(.minutes(1)))
struct PeripheralManagerTests {
    private let central = FakeRemoteCentral(number: 1, mtu: 50)

    private func started() async throws -> (FakeGATTServer, PeripheralProbe, SampleService) {
        let daemon = try await FakeBlueZ.powered()
        let server = FakeGATTServer(daemon)
        let radio = BlueZRadio(bus: .address(daemon.bus.address))
        let camera = PeripheralProbe([RadioSelection.backendKey: radio])
        try await camera.expectState(.poweredOn)
        let sample = SampleService()
        try await camera.add(sample.service)
        try await camera.advertise("camera", services: [SampleService.uuid])
        return (server, camera, sample)
    }

    @Test("values are taken until there is no room, and all arrive in order")
    func backPressure() async throws {
        let (server, camera, sample) = try await started()
        server.connect(central)
        server.configure(sample.notifying.uuid, 1, by: central)
        let subscriber = try await camera.expectSubscription(to: sample.notifying)
        #expect(subscriber.maximumUpdateValueLength == 47)
        #expect(sample.notifying.subscribedCentrals == [subscriber])
        server.daemon.queue.suspend()
        var sent = 0
        while camera.manager.updateValue(Data("\(sent)".utf8), for: sample.notifying, onSubscribedCentrals: nil) {
            sent += 1
        }
        #expect((1...64).contains(sent))
        server.daemon.queue.resume()
        while sent < 300 {
            try await camera.events.next("room for more") { event in if case .ready = event { () } else { nil } }
            while sent < 300,
                camera.manager.updateValue(Data("\(sent)".utf8), for: sample.notifying, onSubscribedCentrals: nil)
            { sent += 1 }
        }
        for index in 0..<300 {
            let value = try await server.events.next("a value") { event in
                if case .value(_, let value) = event { value } else { nil }
            }
            #expect(value == Data("\(index)".utf8))
        }
    }

    @Test("reads with offsets, fixed values, writes and their refusals")
    func requests() async throws {
        let (server, camera, sample) = try await started()
        func read(_ uuid: CBUUID, at offset: Int) async throws -> Data? {
            try await server.call(uuid, "ReadValue", [.properties(central.options(offset: offset))]).first?.data
        }
        #expect(try await read(sample.value.uuid, at: 0) == Data("value".utf8))
        #expect(try await read(sample.value.uuid, at: 2) == Data("lue".utf8))
        #expect(try await read(sample.fixed.uuid, at: 5) == Data("light".utf8))
        await #expect(throws: FakeGATTServer.Refusal.self) { try await read(sample.value.uuid, at: 6) }
        await #expect(throws: FakeGATTServer.Refusal.self) { try await read(sample.fixed.uuid, at: 11) }
        let options = BusValue.properties(central.options)
        _ = try await server.call(sample.value.uuid, "WriteValue", [.bytes(Data([5])), options])
        #expect(try await camera.nextWrite().map(\.value) == [Data([5])])
        camera.behaviour.withLock { $0.writeResult = CBATTError.Code(rawValue: 0x85) ?? .unlikelyError }
        await #expect(throws: FakeGATTServer.Refusal(name: "org.bluez.Error.Failed", message: "0x85")) {
            try await server.call(sample.value.uuid, "WriteValue", [.bytes(Data([5])), options])
        }
    }

    @Test("after the daemon's restart the application offers its service again, as after power-on")
    func restart() async throws {
        let (server, camera, sample) = try await started()
        server.daemon.kill()
        try await camera.expectState(.resetting)
        #expect(!camera.manager.isAdvertising)
        try await server.daemon.start()
        server.daemon.addAdapter()
        server.attach()
        try await camera.expectState(.poweredOn)
        try await camera.add(sample.service)
        try await camera.advertise("camera", services: [SampleService.uuid])
        #expect(server.onAir.count == 1)
    }

    @Test("after power-off and on, advertising goes on by itself and the services are still there")
    func powerCycle() async throws {
        let (server, camera, _) = try await started()
        try await server.nextAdvertisement()
        server.daemon.power(false)
        try await camera.expectState(.poweredOff)
        server.daemon.power(true)
        try await camera.expectState(.poweredOn)
        try await server.nextAdvertisement()
        #expect(server.objects(of: BlueZ.gattService).map(\.uuid) == [SampleService.uuid])
    }

    @Test("a manager that is let go takes all of it off the bus")
    func released() async throws {
        let (server, camera, _) = try await started()
        camera.release()
        try await server.events.next("the end of the advertisement") { event in
            if case .unadvertised = event { () } else { nil }
        }
        try await server.events.next("the end of the service") { event in
            if case .unregistered = event { () } else { nil }
        }
    }
}

extension FakeGATTServer {
    func nextAdvertisement() async throws {
        try await events.next("an advertisement") { event in if case .advertised = event { () } else { nil } }
    }
}
