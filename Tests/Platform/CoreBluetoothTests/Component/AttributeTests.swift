import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@Suite("Attributes", .timeLimit(.minutes(2)))
struct AttributeTests {
    let air: any AirFixture

    init() async throws { air = try await Air.fresh() }

    static func conditions(mtu: Int) -> RadioConditions {
        let conditions = SoftwareAirFixture.quick()
        conditions.mtu = mtu
        return conditions
    }

    @Test("discovery finds everything, as it was laid out", arguments: Air.mtus)
    func structure(mtu: Int) async throws {
        let pair = try await Pair(air, camera: Self.conditions(mtu: mtu))
        let service = try #require(pair.peripheral.addedServices?.first)
        #expect(pair.peripheral.addedServices?.count == 1)
        #expect(service.uuid == SampleService.uuid)
        #expect(service.isPrimary)
        #expect(service.peripheral === pair.peripheral)
        let locals = try #require(pair.sample.service.characteristics)
        let found = try #require(service.characteristics)
        #expect(found.map(\.uuid) == locals.map(\.uuid))
        #expect(found.map(\.properties) == locals.map(\.properties))
        #expect(found.allSatisfy { $0.service === service && !$0.isNotifying && $0.value == nil })
    }

    @Test("a filter adds to what was found, and finding again gives the same objects")
    func filters() async throws {
        let camera = try await PeripheralProbe.ready(air, services: [SampleService().service])
        try await camera.add(CBMutableService(type: CBUUID(string: "1819"), primary: true))
        try await camera.add(CBMutableService(type: CBUUID(string: "181A"), primary: true))
        try await camera.advertise("camera")
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("camera")
        try await app.connect(peripheral)
        func discover(_ uuids: [CBUUID]?) async throws {
            peripheral.discoverServices(uuids)
            try await app.answer("services") { if case .services(let error) = $0 { .some(error) } else { nil } }
        }
        try await discover([CBUUID(string: "181A")])
        #expect(peripheral.addedServices?.map(\.uuid) == [CBUUID(string: "181A")])
        let first = peripheral.addedServices?.first
        try await discover([CBUUID(string: "1819"), CBUUID(string: "FFFF")])
        #expect(peripheral.addedServices?.map(\.uuid.uuidString) == ["181A", "1819"])
        try await discover(nil)
        #expect(
            peripheral.addedServices?.map(\.uuid) == [
                SampleService.uuid, CBUUID(string: "1819"), CBUUID(string: "181A"),
            ])
        #expect(peripheral.addedServices?.last === first)
    }

    @Test("included services are found, with short and with long UUIDs")
    func included() async throws {
        let short = CBMutableService(type: CBUUID(string: "1819"), primary: true)
        let long = CBMutableService(type: CBUUID(string: "6E400009-B5A3-F393-E0A9-E50E24DCCA9E"), primary: false)
        let outer = CBMutableService(type: CBUUID(string: "1822"), primary: true)
        outer.includedServices = [short, long]
        // BlueZ 5.66 overlooks a service that has inclusions and nothing else.
        outer.characteristics = [SampleService().fixed]
        let camera = try await PeripheralProbe.ready(air, services: [short, long, outer])
        try await camera.advertise("camera")
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("camera")
        try await app.connect(peripheral)
        try await app.discoverAll(peripheral)
        // The secondary service is not found by itself.
        #expect(peripheral.addedServices?.map(\.uuid) == [short.uuid, outer.uuid])
        let found = try #require(peripheral.addedServices?.last)
        peripheral.discoverIncludedServices(nil, for: found)
        try await app.answer("included services") {
            if case .included(found, let error) = $0 { .some(error) } else { nil }
        }
        #expect(found.includedServices?.map(\.uuid) == [short.uuid, long.uuid])
        #expect(found.includedServices?.first === peripheral.addedServices?.first)
    }

    @Test("descriptors have Apple's types of values")
    func descriptors() async throws {
        let pair = try await Pair(air)
        let value = try pair.remote(pair.sample.value)
        let notifying = try pair.remote(pair.sample.notifying)
        for characteristic in [value, notifying] {
            pair.peripheral.discoverDescriptors(for: characteristic)
            try await pair.app.answer("descriptors") {
                if case .descriptors(characteristic, let error) = $0 { .some(error) } else { nil }
            }
        }
        let description = try #require(value.descriptors?.first)
        #expect(value.descriptors?.map(\.uuid.uuidString) == ["2901"])
        pair.peripheral.readValue(for: description)
        try await pair.app.answer("a descriptor's value") {
            if case .descriptorValue(description, let error) = $0 { .some(error) } else { nil }
        }
        #expect(description.value as? String == "a value")
        #expect(description.characteristic === value)

        try await pair.app.setNotify(true, for: notifying)
        let subscription = try #require(notifying.descriptors?.first)
        #expect(subscription.uuid.uuidString == CBUUIDClientCharacteristicConfigurationString)
        pair.peripheral.readValue(for: subscription)
        try await pair.app.answer("the subscription's value") {
            if case .descriptorValue(subscription, let error) = $0 { .some(error) } else { nil }
        }
        #expect(subscription.value as? Int == 1)
        pair.peripheral.writeValue(Data([0, 0]), for: subscription)
        await #expect(throws: CBError(.uuidNotAllowed)) {
            try await pair.app.answer("the refusal") {
                if case .descriptorWrote(subscription, let error) = $0 { .some(error) } else { nil }
            }
        }
        pair.peripheral.writeValue(Data("x".utf8), for: description)
        await #expect(throws: CBATTError(.writeNotPermitted)) {
            try await pair.app.answer("the refusal") {
                if case .descriptorWrote(description, let error) = $0 { .some(error) } else { nil }
            }
        }
    }

    @Test("values of every length are read whole", arguments: Air.mtus)
    func reads(mtu: Int) async throws {
        let pair = try await Pair(air, camera: Self.conditions(mtu: mtu))
        let characteristic = try pair.remote(pair.sample.value)
        for length in [0, 1, 21, 22, 23, 44, 500, 512] {
            let expected = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
            pair.camera.behaviour.withLock { $0.value = expected }
            #expect(try await pair.app.read(characteristic) == expected)
            #expect(characteristic.value == expected)
            // Blob reads ask on from where the last answer ended.
            for offset in stride(from: 0, through: length, by: mtu - 1) where offset < 512 {
                #expect(try await pair.camera.nextRead().offset == offset)
            }
            #expect(!pair.camera.events.remaining.contains { if case .read = $0 { true } else { false } })
        }
    }

    @Test("errors of the peripheral arrive with their codes")
    func errors() async throws {
        let pair = try await Pair(air)
        let value = try pair.remote(pair.sample.value)
        let code = try #require(CBATTError.Code(rawValue: 0x83))
        pair.camera.behaviour.withLock { behaviour in
            behaviour.readResult = .insufficientAuthorization
            behaviour.writeResult = code
        }
        await #expect(throws: CBATTError(.insufficientAuthorization)) { _ = try await pair.app.read(value) }
        do {
            try await pair.app.write(Data([1]), to: value)
            Issue.record("the write should have been refused")
        } catch let error as CBATTError {
            #expect(error.code.rawValue == 0x83)
            #expect(error.code.isApplicationDefined)
        }
        let closed = try pair.remote(pair.sample.closed)
        await #expect(throws: CBATTError(.readNotPermitted)) { _ = try await pair.app.read(closed) }
        await #expect(throws: CBATTError(.writeNotPermitted)) { try await pair.app.write(Data([1]), to: closed) }
        #expect(value.value == nil)
    }

    @Test("writes of every length arrive whole, in one call", arguments: Air.mtus)
    func writes(mtu: Int) async throws {
        let pair = try await Pair(air, camera: Self.conditions(mtu: mtu))
        let value = try pair.remote(pair.sample.value)
        for length in [0, 1, 20, 21, Air.longestWrite - 1, Air.longestWrite] {
            let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
            try await pair.app.write(data, to: value)
            let requests = try await pair.camera.nextWrite()
            #expect(requests.map(\.value) == [data])
            #expect(requests.map(\.offset) == [0])
            #expect(requests.first?.characteristic === pair.sample.value)
            #expect(requests.first?.central.maximumUpdateValueLength == min(mtu - 3, 512))
        }
    }

    @Test("a value of more than 512 bytes is refused, a long write refused by the peripheral as well")
    func longWrites() async throws {
        let pair = try await Pair(air, camera: Self.conditions(mtu: 23))
        let value = try pair.remote(pair.sample.value)
        await #expect(throws: CBATTError(.invalidAttributeValueLength)) {
            try await pair.app.write(Data(count: 513), to: value)
        }
        await #expect(throws: CBATTError(.writeNotPermitted)) {
            try await pair.app.write(Data(count: 100), to: pair.remote(pair.sample.closed))
        }
        let code = try #require(CBATTError.Code(rawValue: 0x84))
        pair.camera.behaviour.withLock { $0.writeResult = code }
        await #expect(throws: CBATTError(code)) {
            try await pair.app.write(Data(count: 100), to: value)
        }
        // Nothing of the refused ones is left over.
        pair.camera.behaviour.withLock { $0.writeResult = .success }
        _ = try await pair.camera.nextWrite()
        try await pair.app.write(Data(repeating: 7, count: 30), to: value)
        #expect(try await pair.camera.nextWrite().map(\.value) == [Data(repeating: 7, count: 30)])
    }

    @Test(
        "writes without response arrive in order, and the peripheral says when there is room again", arguments: Air.mtus
    )
    func commands(mtu: Int) async throws {
        let pair = try await Pair(air, camera: Self.conditions(mtu: mtu))
        let value = try pair.remote(pair.sample.commands)
        let limit = min(mtu - 3, 512)
        #expect(pair.peripheral.maximumWriteValueLength(for: .withoutResponse) == limit)
        var sent: UInt8 = 0
        while sent < 200 {
            if pair.peripheral.canSendWriteWithoutResponse {
                pair.peripheral.writeValue(Data([sent]), for: value, type: .withoutResponse)
                sent += 1
            } else {
                try await pair.app.events.next("room for more") { event in
                    if case .ready = event { () } else { nil }
                }
            }
        }
        // Too long for one packet: misuse, nothing is sent.
        pair.peripheral.writeValue(Data(count: limit + 1), for: value, type: .withoutResponse)
        for expected in 0..<sent { #expect(try await pair.camera.nextWrite().map(\.value) == [Data([expected])]) }
        try await pair.app.write(Data("end".utf8), to: value)
        #expect(try await pair.camera.nextWrite().map(\.value) == [Data("end".utf8)])
    }

    @Test("signal strength follows the air", .softwareRadio(because: "BlueZ's air has no strength that could be set"))
    func rssi() async throws {
        let near = SoftwareAirFixture.quick()
        let walls = SoftwareAirFixture.quick()
        walls.attenuation = 9
        let pair = try await Pair(air, camera: near, app: walls)
        for strength in [-50, -72] {
            near.signalStrength = strength
            pair.peripheral.readRSSI()
            let (read, isRight) = try await pair.app.events.next("the signal strength") { event -> (Int, Bool)? in
                if case .rssi(let value, let error) = event { (value, error == nil) } else { nil }
            }
            #expect(read == strength - 9)
            #expect(isRight)
        }
    }

    @Test("services that come and go are announced, and their objects are of no use any more")
    func changes() async throws {
        let pair = try await Pair(air)
        let value = try pair.remote(pair.sample.value)
        let added = CBMutableService(type: CBUUID(string: "181A"), primary: true)
        try await pair.camera.add(added)
        let gone = try await pair.app.events.next("news of a service") { event in
            if case .modified(let services) = event { services } else { nil }
        }
        #expect(gone.isEmpty)
        pair.peripheral.discoverServices([added.uuid])
        try await pair.app.answer("services") { if case .services(let error) = $0 { .some(error) } else { nil } }
        #expect(pair.peripheral.addedServices?.count == 2)

        let notifying = try pair.remote(pair.sample.notifying)
        try await pair.app.setNotify(true, for: notifying)
        let central = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        pair.camera.manager.remove(pair.sample.service)
        let lost = try await pair.app.events.next("the loss of a service") { event in
            if case .modified(let services) = event { services } else { nil }
        }
        #expect(lost.map(\.uuid) == [SampleService.uuid])
        #expect(pair.peripheral.addedServices?.map(\.uuid) == [added.uuid])
        #expect(pair.sample.notifying.subscribedCentrals?.isEmpty == true)
        #expect(!notifying.isNotifying)
        _ = central
        pair.peripheral.readValue(for: value)
        await #expect(throws: CBError(.invalidHandle)) { _ = try await pair.app.nextValue(of: value) }
    }

    @Test("attributes of an earlier connection are refused, not misread")
    func stale() async throws {
        let pair = try await Pair(air)
        let value = try pair.remote(pair.sample.value)
        pair.app.manager.cancelPeripheralConnection(pair.peripheral)
        try await pair.app.expectDisconnected(pair.peripheral)
        try await pair.app.connect(pair.peripheral)
        pair.peripheral.readValue(for: value)
        await #expect(throws: CBError(.invalidHandle)) { _ = try await pair.app.nextValue(of: value) }
        pair.peripheral.writeValue(Data([1]), for: value, type: .withResponse)
        await #expect(throws: CBError(.invalidHandle)) {
            try await pair.app.answer("a write") { if case .wrote(value, let error) = $0 { .some(error) } else { nil } }
        }
    }

    @Test("services that cannot be published are refused with the reason")
    func unpublishable() async throws {
        let camera = try await PeripheralProbe.ready(air)
        let service = CBMutableService(type: CBUUID(string: "1819"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "2A6E"), properties: [.read, .write], value: Data([1]),
                permissions: [.readable, .writeable])
        ]
        await #expect(throws: CBError(.invalidParameters)) { try await camera.add(service) }
        service.characteristics = []
        service.includedServices = [CBMutableService(type: CBUUID(string: "181A"), primary: true)]
        await #expect(throws: CBError(.invalidParameters)) { try await camera.add(service) }
        service.includedServices = nil
        try await camera.add(service)
        await #expect(throws: CBError(.invalidParameters)) { try await camera.add(service) }
        camera.manager.removeAllServices()
        try await camera.add(service)
    }
}
