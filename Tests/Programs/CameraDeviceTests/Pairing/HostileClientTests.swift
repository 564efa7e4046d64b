import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// Clients that do not keep to the protocol, or are many.
@Suite struct HostileClientTests {
    private let air: PairingAir

    init() throws { air = try PairingAir() }

    @Test func aFloodOfHellosAndAnEndlessMessageLeaveTheCameraAsItWas() async throws {
        let conditions = RadioConditions()
        conditions.mtu = 23
        let peripheral = try await air.started(conditions: conditions)
        let hostile = try await air.client(.chunked, conversation: 1)
        for _ in 0..<300 { _ = try await hostile.hello() }
        // Announces the most that there may be, and never ends.
        let endless = try await hostile.frames(of: Data(repeating: 3, count: Frame.maximumMessageBytes))
        for frame in endless.dropLast() { try await hostile.write(frame) }
        #expect(try await hostile.position().firstMissing == 256)
        var more = endless[endless.count - 2]
        (more[2], more[3]) = (1, 0)
        #expect(await hostile.refusal(of: more) == .length)
        for value in [Data(), Data([0x11]), Data(repeating: 0xFF, count: 20)] {
            #expect(await hostile.refusal(of: value) != nil)
        }
        let client = try await air.client(.protected)
        _ = try await client.hello()
        #expect(try await client.agree(air.code) == air.accepted(2))
        try await client.send(.credentials(CredentialFields(try Samples.credentials())))
        #expect(try await client.states(until: .joining).first == air.accepted(3))
        await peripheral.stop()
    }

    /// Nobody needs them on an exchange; who uses them all the same is understood.
    @Test func framesInPreparedWritesAreTaken() async throws {
        let conditions = RadioConditions()
        conditions.mtu = 23
        let peripheral = try await air.started(conditions: conditions)
        let client = try await air.client()
        _ = try await client.hello()
        let request = ExchangeRequest.credentials(CredentialFields(try Samples.credentials()))
        let long = try Frame.split(request.encoded, message: 1, limit: 512)
        #expect(long.count == 1 && long[0].encoded.count > 20)
        try await client.write(long[0].encoded)
        #expect(try await client.states(until: .joining).first == air.accepted(1))
        await peripheral.stop()
    }

    @Test func randomFramesLeaveTheCameraAsItWas() async throws {
        let peripheral = try await air.started(PairingAir.crowd)
        var generator = SeededGenerator(23)
        for layout in [PairingLayout.chunked, .protected] {
            let hostile = try await air.client(layout, conversation: 1)
            _ = try await hostile.hello()
            for _ in 0..<400 {
                let length = Int.random(in: 0...60, using: &generator)
                var frame = Data((0..<length).map { _ in UInt8(generator.next() & 0xFF) })
                if length > 6, Bool.random(using: &generator) {
                    // A message of its own, of a kind that is known.
                    let kinds = ExchangeRequest.Kind.allCases.filter { $0 != .credentials }.map(\.rawValue)
                    frame = Data([0x13, frame[1], 0, 0, 0, UInt8(length - 6)]) + frame.dropFirst(6)
                    frame[6] = kinds.randomElement(using: &generator) ?? 0
                }
                _ = await hostile.refusal(of: frame)
            }
            try await hostile.central.disconnect()
        }
        let client = try await air.client(.protected)
        _ = try await client.hello()
        #expect(try await client.agree(nil) == air.accepted(2))
        await peripheral.stop()
    }

    @Test func manyClientsAtOnce() async throws {
        let peripheral = try await air.started()
        var clients: [ExchangeClient] = []
        for number in 0..<16 {
            let layout: PairingLayout = number % 2 == 0 ? .chunked : .protected
            clients.append(try await air.client(layout, conversation: UInt16(number)))
            _ = try await clients[number].hello()
            if layout == .protected { _ = try await clients[number].agree(air.code) }
        }
        let request = ExchangeRequest.credentials(CredentialFields(try Samples.credentials()))
        let joining = ExchangeAnswer.state(PairingState(phase: .joining))
        for (number, client) in clients.enumerated() {
            let message = try await client.send(request)
            let first = try await client.next()
            if number == 0 {
                #expect(first == air.accepted(message))
                #expect(try await client.next() == joining)
            } else {
                #expect(first == joining, "all are told of the one")
                #expect(try await client.next() == .answer(.init(message: message, refusal: .busy)))
            }
        }
        await peripheral.stop()
    }
}
