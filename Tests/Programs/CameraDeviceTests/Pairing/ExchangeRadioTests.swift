import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// The exchange layouts on the software radio, in the clear.
@Suite struct ExchangeRadioTests {
    private let air: PairingAir

    init() throws { air = try PairingAir() }

    @Test(arguments: [PairingInfo.Layouts.chunked, [.standard, .chunked, .protected]])
    func theAdvertisementNamesTheLayouts(layouts: PairingInfo.Layouts) async throws {
        let peripheral = try await air.started(layouts: layouts)
        let client = try await air.client()
        #expect(await client.central.properties() == [.exchange(.chunked): [.read, .write, .notify]])
        let sighting = try await within { await client.central.sightings.first { $0.layouts != nil } }
        #expect(sighting?.layouts == layouts)
        #expect(try await client.hello().info.layouts == layouts)
        await peripheral.stop()
    }

    @Test(arguments: [23, 24, 64, 247, 517])
    func aWholePairingAtEveryLength(mtu: Int) async throws {
        let heard = [HeardNetwork(ssid: Data("Home".utf8), security: .wpa3, rssi: -40, bands: .twoGigahertz)]
        let conditions = RadioConditions()
        conditions.mtu = mtu
        let peripheral = try await air.started(heard, conditions: conditions)
        let client = try await air.client()
        #expect(try await client.position() == ExchangePosition(message: 0, progress: .none))
        let welcome = try await client.hello()
        #expect(welcome.deviceID == air.identity.deviceID)
        #expect(welcome.info.model == "Porchlight Model")
        #expect(welcome.state == PairingState(phase: .waiting))
        #expect(welcome.stretching == nil)
        try await client.send(.scan)
        let list = try await client.all { if case .record(.end) = $0 { true } else { false } }
        #expect(list == [air.accepted(1), .record(.network(heard[0])), .record(.end(count: 1))])
        let credentials = try Samples.credentials()
        try await client.send(.credentials(CredentialFields(credentials)))
        #expect(try await client.states(until: .joining) == [air.accepted(2), .state(PairingState(phase: .joining))])
        #expect(try await air.credentials(from: peripheral) == credentials)
        peripheral.attempt(.joined)
        peripheral.attempt(.registered)
        #expect(
            try await client.states(until: .done) == [
                .state(PairingState(phase: .registering)), .state(PairingState(phase: .done)),
            ])
        #expect(try await client.position() == ExchangePosition(message: 2, progress: .complete))
        await peripheral.stop()
    }

    @Test func theOutcomeComesOverTheLinkAndCredentialsMayComeAgain() async throws {
        let peripheral = try await air.started()
        let client = try await air.client()
        _ = try await client.hello()
        for failure in PairingFailure.allCases {
            try await client.send(.credentials(CredentialFields(try Samples.credentials())))
            _ = try await client.states(until: .joining)
            peripheral.attempt(.failed(failure))
            let failed = ExchangeAnswer.state(PairingState(phase: .failed, failure: failure))
            #expect(try await client.states(until: .failed) == [failed])
        }
        try await client.send(.credentials(CredentialFields(try Samples.credentials())))
        peripheral.attempt(.joined)
        peripheral.attempt(.registered)
        #expect(try await client.states(until: .done).count == 4)
        await peripheral.stop()
    }

    @Test(arguments: [23, 517], PairingLayout.allCases)
    func aCrowdArrivesWhole(mtu: Int, layout: PairingLayout) async throws {
        let conditions = RadioConditions()
        conditions.mtu = mtu
        let peripheral = try await air.started(PairingAir.crowd, conditions: conditions)
        let expected = PairingAir.crowd.merged()
        #expect(expected.count == 300)
        let records = expected.map(NetworkListRecord.network) + [.end(count: 300)]
        let client = try await air.client(layout)
        if layout == .standard {
            try await client.central.subscribe(.networks)
            try await client.central.write(Data([1]), .networks)
            #expect(try await client.central.records() == records)
        } else {
            _ = try await client.hello()
            if layout == .protected { #expect(try await client.agree(air.code) == air.accepted(2)) }
            let number = try await client.send(.scan)
            let list = try await client.all { if case .record(.end) = $0 { true } else { false } }
            #expect(list == [air.accepted(number)] + records.map(ExchangeAnswer.record))
        }
        await peripheral.stop()
    }

    @Test func aScanThatFailsIsTold() async throws {
        let peripheral = try await air.started(nil)
        let client = try await air.client()
        _ = try await client.hello()
        try await client.send(.scan)
        #expect(try await client.next() == air.accepted(1))
        #expect(try await client.next() == .record(.failed))
        await peripheral.stop()
    }

    @Test func whoDoesNotListenIsRefused() async throws {
        let peripheral = try await air.started()
        let client = try await air.client()
        try await client.central.subscribe(.exchange(.chunked), false)
        let hello = try await client.frames(of: ExchangeRequest.hello(conversation: 1).encoded)[0]
        #expect(await client.refusal(of: hello) == .notSubscribed)
        try await client.central.subscribe(.exchange(.chunked))
        #expect(await client.refusal(of: hello) == nil)
        // Who stops to listen has ended the conversation.
        try await client.central.subscribe(.exchange(.chunked), false)
        try await client.central.subscribe(.exchange(.chunked))
        let scan = try Frame.split(ExchangeRequest.scan.encoded, message: 1, limit: 20)[0].encoded
        #expect(await client.refusal(of: scan) == .noSession)
        await peripheral.stop()
    }

    @Test func aLostFrameIsSentAgain() async throws {
        let conditions = RadioConditions()
        conditions.mtu = 23
        let peripheral = try await air.started(conditions: conditions)
        let client = try await air.client()
        _ = try await client.hello()
        let request = ExchangeRequest.credentials(CredentialFields(try Samples.credentials()))
        let frames = try await client.frames(of: request.encoded)
        try await client.write(frames[0])
        #expect(await client.refusal(of: frames[2]) == .frameOrder)
        let position = try await client.position()
        #expect(position == ExchangePosition(message: 1, progress: .underWay, firstMissing: 1))
        for frame in frames.dropFirst(position.firstMissing) { try await client.write(frame) }
        #expect(try await client.states(until: .joining).first == air.accepted(1))
        await peripheral.stop()
    }

    @Test func aLinkThatIsLostForgetsWhatWasSaid() async throws {
        let conditions = RadioConditions()
        conditions.mtu = 23
        let peripheral = try await air.started(conditions: conditions)
        let client = try await air.client()
        _ = try await client.hello()
        let request = ExchangeRequest.credentials(CredentialFields(try Samples.credentials()))
        for frame in try await client.frames(of: request.encoded).dropLast() { try await client.write(frame) }
        try await client.central.disconnect()
        try await within { try await client.central.connect() }
        try await client.central.subscribe(.exchange(.chunked))
        #expect(try await client.position() == ExchangePosition(message: 0, progress: .none))
        let last = try await client.frames(of: request.encoded).last
        #expect(await client.refusal(of: try #require(last)) == .frameOrder)
        await peripheral.stop()
    }

    @Test func twoClientsOnTwoLayouts() async throws {
        let peripheral = try await air.started()
        let standard = try await air.client(.standard)
        let chunked = try await air.client()
        try await standard.central.subscribe(.status)
        _ = try await chunked.hello()
        try await standard.central.write(Data("Home".utf8), .ssid)
        #expect(try await chunked.next() == .state(PairingState(phase: .receiving)))
        let request = ExchangeRequest.credentials(CredentialFields(try Samples.credentials()))
        try await chunked.send(request)
        #expect(try await chunked.next() == .answer(.init(message: 1, refusal: .busy)))
        try await standard.central.disconnect()
        #expect(try await chunked.next() == .state(PairingState(phase: .waiting)))
        try await chunked.send(request)
        #expect(try await chunked.next() == air.accepted(2))
        await peripheral.stop()
    }

    @Test func twoClientsOnOneLayout() async throws {
        let peripheral = try await air.started(PairingAir.crowd)
        let first = try await air.client(conversation: 1)
        let second = try await air.client(conversation: 2)
        _ = try await first.hello()
        let taken = try await second.frames(of: ExchangeRequest.hello(conversation: 1).encoded)[0]
        #expect(await second.refusal(of: taken) == .busy)
        let other = try Frame.split(ExchangeRequest.hello(conversation: 2).encoded, message: 1, limit: 100)[0]
        try await second.write(other.encoded)
        guard case .welcome = try await second.next() else {
            Issue.record("no welcome")
            return
        }
        try await first.send(.scan)
        let scan = try Frame.split(ExchangeRequest.scan.encoded, message: 2, limit: 100)[0]
        try await second.write(scan.encoded)
        let isEnd: @Sendable (ExchangeAnswer) -> Bool = { $0 == .record(.end(count: 300)) }
        #expect(try await first.all(until: isEnd).count == 302)
        #expect(try await second.all(until: isEnd).count == 302)
        await peripheral.stop()
    }
}
