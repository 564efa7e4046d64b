import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Our peripheral on BlueZ, as Bumble's centrals see it.
@Suite("Bumble's centrals at our peripheral", .serialized, .inLab, .timeLimit(.minutes(4)))
struct PeripheralPeerTests {
    private static let strict = "6e400007-b5a3-f393-e0a9-e50e24dcca9e"
    private static let reliable = "6e400008-b5a3-f393-e0a9-e50e24dcca9e"

    /// A camera that advertises, and two centrals that are not connected.
    private struct Stage {
        let centrals: PeerCentrals
        let camera: PeripheralProbe
        let sample = SampleService()

        init() async throws {
            centrals = try await PeerCentrals("central --centrals 2")
            camera = PeripheralProbe(try LabAir.options("hci0"))
            try await camera.expectState(.poweredOn)
            sample.service.characteristics? += [
                CBMutableCharacteristic(
                    type: CBUUID(string: strict), properties: [.read, .write], value: nil,
                    permissions: [.readable, .writeable]),
                CBMutableCharacteristic(
                    type: CBUUID(string: reliable), properties: [.write, .extendedProperties], value: nil,
                    permissions: .writeable),
            ]
            try await offer()
        }

        func offer() async throws {
            try await camera.add(sample.service)
            try await camera.advertise(
                "camera", services: [SampleService.uuid],
                more: [CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF, 1, 2, 3, 4, 5, 6])])
        }

        /// Nobody is connected, and what happened in an earlier test is forgotten.
        func clear() async throws {
            for central in ["", "second "] { _ = try? await centrals.step("\(central)disconnect") }
            camera.behaviour.withLock { $0 = PeripheralProbe.Behaviour() }
            for characteristic in [sample.notifying, sample.indicating] {
                for _ in characteristic.subscribedCentrals ?? [] {
                    try await camera.events.next("the end of a subscription") { event in
                        if case .unsubscribed(_, characteristic) = event { () } else { nil }
                    }
                }
            }
            while !camera.events.remaining.isEmpty { _ = try await camera.events.next("what is left") { $0 } }
        }

        func id(_ characteristic: CBCharacteristic) -> String { characteristic.uuid.uuidString.lowercased() }

        /// Sends values until all are taken.
        func send(_ count: Int, of size: Int, to characteristic: CBMutableCharacteristic) async throws {
            var sent = 0
            while sent < count {
                let value = Data(repeating: UInt8(truncatingIfNeeded: sent), count: size)
                if camera.manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil) {
                    sent += 1
                } else {
                    try await camera.events.next("room for more") { event in if case .ready = event { () } else { nil }
                    }
                }
            }
        }
    }

    /// Peers take long to start there, so all tests have the same ones.
    private static let stage = Task { try await Stage() }

    private func onStage(_ body: (Stage) async throws -> Void) async throws {
        let stage = try await Self.stage.value
        try await stage.clear()
        try await body(stage)
    }

    @Test("service, data and name are advertised; the tables are as they were made; reads, long ones too")
    func reading() async throws {
        try await onStage { stage in
            let heard = try await stage.centrals.step("scan camera").structures
            #expect(heard[0x07] == Data(SampleService.uuid.data.reversed()))
            #expect(heard[0xFF] == Data([0xFF, 0xFF, 1, 2, 3, 4, 5, 6]))
            #expect(heard[0x09] == Data("camera".utf8))
            #expect(heard[0x01]?.first.map { $0 & 0x02 } == 0x02, "generally discoverable")
            try await stage.centrals.step("connect camera")
            let found = try await stage.centrals.step("discover").services
            let sample = try #require(found[SampleService.uuid.uuidString.lowercased()])
            #expect(sample[stage.id(stage.sample.value)] == 0x0A)
            #expect(sample[stage.id(stage.sample.commands)] == 0x0C)
            #expect(sample[stage.id(stage.sample.notifying)] == 0x10)
            #expect(sample[stage.id(stage.sample.indicating)] == 0x20)
            #expect(sample[Self.reliable] == 0x88)

            let value = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
            stage.camera.behaviour.withLock { $0.value = value }
            #expect(try await stage.centrals.step("read \(Self.strict)").value == value)
            #expect(try await stage.centrals.step("read-at \(Self.strict) 500").value == value.dropFirst(500))
            await #expect(throws: CBATTError(.invalidOffset)) {
                try await stage.centrals.step("read-at \(Self.strict) 513")
            }
            let description = "read-descriptor \(stage.id(stage.sample.value)) 2901"
            #expect(try await stage.centrals.step(description).value == Data("a value".utf8))
            #expect(try await stage.centrals.step("read 2a29").value == Data("Porchlight".utf8))
            await #expect(throws: CBATTError(.readNotPermitted)) {
                try await stage.centrals.step("read \(stage.id(stage.sample.closed))")
            }
        }
    }

    @Test("writes arrive whole, with their refusals; prepared ones are joined where they can be")
    func writing() async throws {
        try await onStage { stage in
            try await stage.centrals.step("connect camera")
            try await stage.centrals.step("discover")
            for count in [0, 20, 505] {
                try await stage.centrals.step("write-bytes \(Self.strict) \(count)")
                let requests = try await stage.camera.nextWrite()
                #expect(requests.map(\.offset) == [0])
                #expect(requests.first?.value?.count == count)
            }
            try await stage.centrals.step("command \(stage.id(stage.sample.commands)) quick")
            #expect(try await stage.camera.nextWrite().map(\.value) == [Data("quick".utf8)])
            await #expect(throws: CBATTError(.writeNotPermitted)) {
                try await stage.centrals.step("write \(stage.id(stage.sample.closed)) x")
            }
            let refusals = [(0x06, 0x06), (0x08, 0x08), (0x0D, 0x0D), (0x80, 0x80), (0x9F, 0x9F), (0x11, 0x0E)]
            for (asked, arrived) in refusals {
                stage.camera.behaviour.withLock { $0.writeResult = CBATTError.Code(rawValue: asked) ?? .success }
                await #expect(throws: CBATTError(CBATTError.Code(rawValue: arrived) ?? .success)) {
                    try await stage.centrals.step("write \(Self.strict) x")
                }
            }
            stage.camera.behaviour.withLock { $0.writeResult = .success }
            for _ in 0..<refusals.count { _ = try await stage.camera.nextWrite() }
            try await stage.centrals.step("prepare \(Self.reliable) 0 abc")
            try await stage.centrals.step("prepare \(Self.reliable) 3 def")
            try await stage.centrals.step("prepare \(Self.reliable) 10 xyz")
            try await stage.centrals.step("execute")
            #expect(try await stage.camera.nextWrite().map(\.value) == [Data("abcdef".utf8)])
            let second = try await stage.camera.nextWrite()
            #expect(second.map(\.offset) == [10])
            #expect(second.map(\.value) == [Data("xyz".utf8)])
            try await stage.centrals.step("prepare \(Self.reliable) 0 abc")
            try await stage.centrals.step("cancel")
            try await stage.centrals.step("prepare \(Self.strict) 0 abc")
            try await stage.centrals.step("prepare \(Self.strict) 10 xyz")
            await #expect(throws: CBATTError(.requestNotSupported)) { try await stage.centrals.step("execute") }
        }
    }

    @Test("two centrals at once: each is known, both get values, and one that is lost is seen to go")
    func two() async throws {
        try await onStage { stage in
            let notifying = stage.id(stage.sample.notifying)
            try await stage.centrals.step("connect camera")
            try await stage.centrals.step("discover")
            try await stage.centrals.step("subscribe \(notifying)")
            let first = try await stage.camera.expectSubscription(to: stage.sample.notifying)
            // The camera can be found although somebody is connected.
            try await stage.centrals.step("second connect camera")
            try await stage.centrals.step("second discover")
            try await stage.centrals.step("second subscribe \(notifying)")
            let second = try await stage.camera.expectSubscription(to: stage.sample.notifying)
            #expect(first.identifier != second.identifier)
            try await stage.send(100, of: 200, to: stage.sample.notifying)
            for central in ["", "second "] {
                #expect(try await stage.centrals.step("\(central)values \(notifying) 100").count == 100)
            }
            try await stage.centrals.step("second vanish 6")
            try await stage.camera.events.next("the end of the lost one's subscription") { event in
                if case .unsubscribed(second, _) = event { () } else { nil }
            }
            #expect(stage.sample.notifying.subscribedCentrals == [first])
            try await stage.send(1, of: 20, to: stage.sample.notifying)
            #expect(try await stage.centrals.step("values \(notifying) 101").count == 101)
            try await stage.centrals.step("unsubscribe \(notifying)")
            try await stage.camera.events.next("the end of the last subscription") { event in
                if case .unsubscribed(first, _) = event { () } else { nil }
            }
        }
    }

    @Test("indications are confirmed one by one; one who never confirms holds them up until it is gone")
    func indications() async throws {
        try await onStage { stage in
            let indicating = stage.id(stage.sample.indicating)
            try await stage.centrals.step("connect camera")
            try await stage.centrals.step("discover")
            try await stage.centrals.step("subscribe \(indicating) indications")
            _ = try await stage.camera.expectSubscription(to: stage.sample.indicating)
            try await stage.send(40, of: 20, to: stage.sample.indicating)
            #expect(try await stage.centrals.step("values \(indicating) 40").count == 40)
            try await stage.centrals.step("silent")
            var taken = 0
            while stage.camera.manager.updateValue(
                Data([1]), for: stage.sample.indicating, onSubscribedCentrals: nil), taken < 100
            {
                taken += 1
            }
            #expect((1..<100).contains(taken))
            try await stage.centrals.step("disconnect")
            try await stage.camera.events.next("the end of the subscription") { event in
                if case .unsubscribed = event { () } else { nil }
            }
            try await stage.camera.events.next("room for more") { event in if case .ready = event { () } else { nil } }
        }
    }

    @Test("services come and go under a connection; the others keep their places")
    func changes() async throws {
        try await onStage { stage in
            try await stage.centrals.step("connect camera")
            try await stage.centrals.step("discover")
            let extra = CBMutableService(type: CBUUID(string: "1819"), primary: true)
            extra.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "2A19"), properties: .read, value: Data([99]), permissions: .readable)
            ]
            try await stage.camera.add(extra)
            #expect(try await stage.centrals.step("discover").services["1819"] != nil)
            #expect(try await stage.centrals.step("read 2a19").value == Data([99]))
            stage.camera.manager.remove(extra)
            // The daemon answers for it until it has heard of the removal, and only the air tells when that is.
            try await within(.seconds(60), "the end of the service") {
                while try await stage.centrals.step("discover").services["1819"] != nil {}
            }
            #expect(try await stage.centrals.step("read \(Self.strict)").value == Data("value".utf8))
        }
    }

    @Test("a daemon that is killed: the camera offers itself again and is found")
    func restart() async throws {
        try await onStage { stage in
            try await stage.centrals.step("connect camera")
            try await stage.centrals.step("discover")
            try await stage.centrals.lab.ask("stop_bluetoothd KILL")
            try await stage.camera.expectState(.resetting)
            try await stage.centrals.lab.ask("start_bluetoothd")
            try await stage.camera.expectState(.poweredOn)
            try await stage.offer()
            try await stage.centrals.step("connect camera")
            try await stage.centrals.step("discover")
            #expect(try await stage.centrals.step("read \(Self.strict)").value == Data("value".utf8))
        }
    }
}
