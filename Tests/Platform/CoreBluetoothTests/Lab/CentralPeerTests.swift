import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Our central on BlueZ, at Bumble's peripherals: 'plain', and 'narrow' with the smallest MTU that there is.
@Suite("Our central at Bumble's peripherals", .serialized, .inLab, .timeLimit(.minutes(3)))
struct CentralPeerTests {
    /// A scenario's adapter takes long to start, and a manager with it; what the tests find is theirs.
    private static let app = Task {
        try await LabControl.shared?.ask("heal")
        return try await LabAir.readyApp()
    }

    private func visit(_ name: String = "peer-plain", _ body: (PeerVisit) async throws -> Void) async throws {
        let visit = try await PeerVisit(to: name, with: try await Self.app.value)
        do {
            try await body(visit)
        } catch {
            // The next test meets a peripheral that is free.
            try? await visit.leave()
            throw error
        }
        try await visit.leave()
    }

    @Test("is found with its name, services and strength")
    func found() async throws {
        let lab = try #require(LabControl.shared)
        try await visit { visit in
            #expect(visit.heard.services == [PeerTable.values])
            #expect(visit.heard.rssi == -50)
            #expect(visit.heard.data[CBAdvertisementDataIsConnectable] as? Bool == true)
        }
        try await lab.ask("tell_peer peers plain strength -77")
        let app = try await Self.app.value
        app.manager.scanForPeripherals(
            withServices: [PeerTable.values], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        try await app.events.next("a weaker advertisement") { event in
            if case .discovered(_, let heard) = event, heard.name == "peer-plain", heard.rssi == -77 { () } else { nil }
        }
        app.manager.stopScan()
        try await lab.ask("tell_peer peers plain strength -50")
    }

    @Test("services, included services, characteristics and descriptors are as they are there")
    func tables() async throws {
        try await visit { visit in
            let (values, app) = (try visit.service(PeerTable.values), visit.app)
            visit.peripheral.discoverIncludedServices(nil, for: values)
            try await app.answer("included services") {
                if case .included(values, let error) = $0 { .some(error) } else { nil }
            }
            let included = try #require(values.includedServices?.first)
            #expect(included.uuid == PeerTable.included && !included.isPrimary)
            visit.peripheral.discoverCharacteristics(nil, for: included)
            try await app.answer("the included service's characteristics") {
                if case .characteristics(included, let error) = $0 { .some(error) } else { nil }
            }
            let inside = try #require(included.characteristics?.first)
            #expect(try await app.read(inside) == Data("inside".utf8))
            let properties: [(CBUUID, CBCharacteristicProperties)] = [
                (PeerTable.short, [.read, .write]), (PeerTable.command, .writeWithoutResponse),
                (PeerTable.both, [.write, .writeWithoutResponse]), (PeerTable.notified, .notify),
                (PeerTable.indicated, .indicate), (PeerTable.described, .read),
            ]
            for (uuid, expected) in properties { #expect(try visit.characteristic(uuid).properties == expected) }
            let described = try visit.characteristic(PeerTable.described)
            visit.peripheral.discoverDescriptors(for: described)
            try await app.answer("descriptors") {
                if case .descriptors(described, let error) = $0 { .some(error) } else { nil }
            }
            let descriptors = try #require(described.descriptors)
            let user = CBUUID(string: CBUUIDCharacteristicUserDescriptionString)
            #expect(descriptors.map(\.uuid) == [user, PeerTable.descriptor])
            let own = try #require(descriptors.last)
            visit.peripheral.writeValue(Data("new".utf8), for: own)
            try await app.answer("a descriptor's write") {
                if case .descriptorWrote(own, let error) = $0 { .some(error) } else { nil }
            }
            for descriptor in descriptors {
                visit.peripheral.readValue(for: descriptor)
                try await app.answer("a descriptor's value") {
                    if case .descriptorValue(descriptor, let error) = $0 { .some(error) } else { nil }
                }
            }
            #expect(descriptors.first?.value as? String == PeerTable.description)
            #expect(own.value as? Data == Data("new".utf8))
        }
    }

    @Test("values are read and written whole, of any length, at any MTU", arguments: ["peer-plain", "peer-narrow"])
    func values(name: String) async throws {
        try await visit(name) { visit in
            let narrow = name == "peer-narrow"
            #expect(visit.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
            #expect(visit.peripheral.maximumWriteValueLength(for: .withoutResponse) == (narrow ? 20 : 512))
            #expect(try await visit.read(PeerTable.short) == PeerTable.shortValue)
            #expect(try await visit.read(PeerTable.long) == PeerTable.longValue)
            for count in [0, 1, 20, 21, 300, 512] {
                let value = PeerTable.pattern(count)
                try await visit.write(value, to: PeerTable.long)
                #expect(try await visit.read(PeerTable.long) == value)
            }
            try await visit.write(PeerTable.longValue, to: PeerTable.long)
        }
    }

    @Test("writes without response arrive, all of them and in order with what follows")
    func commands() async throws {
        try await visit { visit in
            let (peripheral, command) = (visit.peripheral, try visit.characteristic(PeerTable.command))
            let before = try await counted(visit)
            var sent = 0
            while sent < 200 {
                guard peripheral.canSendWriteWithoutResponse else {
                    try await visit.app.events.next("room") { if case .ready = $0 { () } else { nil } }
                    continue
                }
                peripheral.writeValue(PeerTable.pattern(100), for: command, type: .withoutResponse)
                sent += 1
            }
            var after = try await counted(visit)
            while after.packets < before.packets + 200 { after = try await counted(visit) }
            #expect(after.bytes - before.bytes == 20_000)
            let both = try visit.characteristic(PeerTable.both)
            peripheral.writeValue(Data("command".utf8), for: both, type: .withoutResponse)
            try await visit.write(Data("request".utf8), to: PeerTable.both)
        }
    }

    /// What the peripheral has got by writes without response.
    private func counted(_ visit: PeerVisit) async throws -> (packets: Int, bytes: Int) {
        let value = try await visit.read(PeerTable.counted)
        return (PeerVisit.numbers([value])[0], PeerVisit.numbers([value.suffix(4)])[0])
    }

    @Test("every ATT error is told as what it is")
    func errors() async throws {
        try await visit { visit in
            let codes = [1, 2, 3, 6, 7, 8, 9, 0x0A, 0x0B, 0x0D, 0x0E, 0x10, 0x11, 0x80, 0x9F]
            for code in codes {
                try await visit.ask("refuse \(code)")
                let expected = CBATTError(try #require(CBATTError.Code(rawValue: code)))
                await #expect(throws: expected) { try await visit.read(PeerTable.refusing) }
                await #expect(throws: expected) { try await visit.write(Data([1]), to: PeerTable.refusing) }
            }
            try await visit.ask("refuse 0")
            #expect(try await visit.read(PeerTable.refusing) == Data("not refused".utf8))
        }
    }

    @Test("notifications and indications come all, in order, repeated ones too, until they are turned off")
    func notifications() async throws {
        try await visit { visit in
            let notified = try visit.characteristic(PeerTable.notified)
            let indicated = try visit.characteristic(PeerTable.indicated)
            try await visit.app.setNotify(true, for: notified)
            try await visit.app.setNotify(true, for: indicated)
            try await visit.ask("notify 500 100")
            let values = try await visit.next(500, of: PeerTable.notified)
            #expect(PeerVisit.numbers(values) == Array(0..<500))
            #expect(values.allSatisfy { $0.count == 100 })
            try await visit.ask("same 3")
            #expect(try await visit.next(3, of: PeerTable.notified) == Array(repeating: Data("same".utf8), count: 3))
            try await visit.ask("indicate 5 20")
            #expect(PeerVisit.numbers(try await visit.next(5, of: PeerTable.indicated)) == Array(0..<5))
            try await visit.app.setNotify(false, for: notified)
            try await visit.ask("notify 3 10")
            // Were they to come, they would have come before this answer.
            _ = try await visit.read(PeerTable.short)
            #expect(
                !visit.app.events.remaining.contains { if case .value(notified, _, _) = $0 { true } else { false } })
            try await visit.app.setNotify(false, for: indicated)
        }
    }

    @Test("attributes that change under the connection are announced, and the new ones are right")
    func changes() async throws {
        try await visit { visit in
            try await visit.ask("table second")
            // The daemon takes the old services away and finds the new ones one by one; each time the app discovers again.
            let wanted: Set = [PeerTable.later, PeerTable.values, PeerTable.control]
            repeat {
                try await visit.app.events.next("services that changed") { event in
                    if case .modified = event { () } else { nil }
                }
                try await visit.app.discoverAll(visit.peripheral)
            } while !wanted.isSubset(of: Set((visit.peripheral.services ?? []).map(\.uuid)))
            #expect(try await visit.read(PeerTable.afterwards) == Data("afterwards".utf8))
            #expect(try await visit.read(PeerTable.short) == PeerTable.shortValue)
            try await visit.ask("table first")
            try await visit.app.events.next("services that changed back") {
                if case .modified = $0 { () } else { nil }
            }
        }
    }
}
