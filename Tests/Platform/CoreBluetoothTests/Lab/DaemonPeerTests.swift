import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Programs of Python's on the same `bluetoothd`, as they run in many homes: bless's peripheral for our central, bleak's
/// central for our peripheral. hci0 is the centrals', hci1 the peripherals'.
@Suite("bleak and bless through bluetoothd", .serialized, .inLab, .timeLimit(.minutes(3)))
struct DaemonPeerTests {
    private let lab: LabControl

    init() async throws {
        lab = try #require(LabControl.shared)
        try await lab.ask("heal")
    }

    @Test("our central at bless's peripheral: found, read, written, notified, indicated")
    func bless() async throws {
        try await lab.ask("start_peer bless bless_peripheral --adapter hci1")
        let visit = try await PeerVisit(to: "peer-bless", with: try await LabAir.readyApp())
        #expect(visit.heard.services == [PeerTable.values])
        #expect(visit.heard.rssi == -50)
        #expect(try await visit.read(PeerTable.short) == PeerTable.shortValue)
        #expect(try await visit.read(PeerTable.described) == Data("described".utf8))
        // BlueZ's own server takes no more.
        for value in [Data("other".utf8), PeerTable.pattern(500)] {
            try await visit.write(value, to: PeerTable.short)
            #expect(try await visit.read(PeerTable.short) == value)
        }
        for (uuid, command) in [(PeerTable.notified, "notify"), (PeerTable.indicated, "indicate")] {
            try await visit.app.setNotify(true, for: try visit.characteristic(uuid))
            try await visit.ask("\(command) 50 60")
            #expect(PeerVisit.numbers(try await visit.next(50, of: uuid)) == Array(0..<50))
            try await visit.app.setNotify(false, for: try visit.characteristic(uuid))
        }
        try await visit.leave()
        try await lab.ask("stop_peer bless")
    }

    @Test("bleak at our peripheral: found, read, written, refused, notified, gone")
    func bleak() async throws {
        let camera = PeripheralProbe(try LabAir.options("hci1"))
        try await camera.expectState(.poweredOn)
        let sample = SampleService()
        let strict = CBMutableCharacteristic(
            type: PeerTable.short, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
        sample.service.characteristics? += [strict]
        try await camera.add(sample.service)
        try await camera.advertise("camera", services: [SampleService.uuid])
        let central = try await PeerCentrals("bleak_central --adapter hci0")
        try await central.step("connect camera")
        #expect(try await central.step("read short").value == Data("value".utf8))
        try await central.step("write short from bleak")
        #expect(try await camera.nextWrite().map(\.value) == [Data("from bleak".utf8)])
        let ownError = try #require(CBATTError.Code(rawValue: 0x85))
        camera.behaviour.withLock { ($0.readResult, $0.writeResult) = (.insufficientResources, ownError) }
        await #expect(throws: CBATTError(.unlikelyError)) { try await central.step("read short") }
        await #expect(throws: CBATTError(ownError)) {
            try await central.step("write short refused")
        }
        let notifying = sample.notifying.uuid.uuidString.lowercased()
        try await central.step("subscribe \(notifying)")
        let subscriber = try await camera.expectSubscription(to: sample.notifying)
        #expect(subscriber.maximumUpdateValueLength == 512)
        for index in 0..<50 {
            let value = Data([UInt8(index)])
            while !camera.manager.updateValue(value, for: sample.notifying, onSubscribedCentrals: nil) {
                try await camera.events.next("room") { if case .ready = $0 { () } else { nil } }
            }
        }
        #expect(try await central.step("values \(notifying) 50").values == [Data([47]), Data([48]), Data([49])])
        try await central.step("disconnect")
        try await camera.events.next("the end of the subscription") { event in
            if case .unsubscribed = event { () } else { nil }
        }
        try await lab.ask("stop_peer centrals")
    }
}
