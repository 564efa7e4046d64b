import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// The protected layout on the software radio.
@Suite struct ProtectedRadioTests {
    private let air: PairingAir

    init() throws { air = try PairingAir() }

    @Test(arguments: [23, 517], [true, false])
    func aWholeProtectedPairing(mtu: Int, hasCode: Bool) async throws {
        let conditions = RadioConditions()
        conditions.mtu = mtu
        let peripheral = try await air.started(conditions: conditions)
        let client = try await air.client(.protected)
        let welcome = try await client.hello()
        #expect(welcome.info.capabilities.contains(.setupCode))
        #expect(welcome.stretching != nil)
        #expect(try await client.agree(hasCode ? air.code : nil) == air.accepted(2))
        let credentials = try Samples.credentials()
        for failure in PairingFailure.allCases {
            try await client.send(.credentials(CredentialFields(credentials)))
            #expect(try await client.states(until: .joining).count == 2)
            #expect(try await air.credentials(from: peripheral) == credentials)
            peripheral.attempt(.joined)
            peripheral.attempt(.failed(failure))
            #expect(
                try await client.states(until: .failed) == [
                    .state(PairingState(phase: .registering)), .state(PairingState(phase: .failed, failure: failure)),
                ])
        }
        try await client.send(.credentials(CredentialFields(credentials)))
        peripheral.attempt(.joined)
        peripheral.attempt(.registered)
        #expect(try await client.states(until: .done).count == 4)
        await peripheral.stop()
    }

    @Test func wrongCodesTakeTheCameraOffTheAirForAMinute() async throws {
        let peripheral = try await air.started()
        let wrong = try SetupCode("3141-5926")
        let client = try await air.client(.protected)
        for _ in 0..<SetupCodeTries.row {
            _ = try await client.hello()
            guard case .answer(let answer) = try await client.agree(wrong) else {
                Issue.record("no answer")
                return
            }
            #expect(answer.refusal == .wrongSetupCode)
        }
        let hello = try await client.frames(of: ExchangeRequest.hello(conversation: 1).encoded)
        #expect(await client.refusal(of: try #require(hello.last)) == .locked)
        let notes = try await within(.seconds(20), "the lock") {
            var notes: [PairingRules.Note] = []
            for await case .note(let note) in peripheral.outputs {
                notes.append(note)
                if note == .locked(.seconds(60)) { break }
            }
            return notes
        }
        #expect(notes == [4, 3, 2, 1, 0].map(PairingRules.Note.wrongSetupCode) + [.locked(.seconds(60))])
        // A link that is there stays, and a new client finds no camera until the minute is over.
        try await within { [air] in await air.clock.sleepers() }
        let late = TestCentral(radioDirectory: air.directory.path("air"))
        late.scan()
        air.clock.advance(by: SetupCodeTries.lockDuration)
        let sighting = try await within(.seconds(20), "the camera") { await late.sightings.first { _ in true } }
        #expect(sighting?.state == PairingState(phase: .waiting))
        _ = try await client.hello()
        #expect(try await client.agree(air.code) == air.accepted(await client.number - 1))
        await peripheral.stop()
    }

    @Test func aLockedCameraIsNotAdvertised() async throws {
        let peripheral = try await air.started()
        let client = try await air.client(.protected)
        for _ in 0..<SetupCodeTries.row {
            _ = try await client.hello()
            _ = try await client.agree(try SetupCode("3141-5926"))
        }
        let path = air.directory.path("air")
        let late = TestCentral(radioDirectory: path)
        late.scan()
        // The other camera is heard only after all that the locked one would have said.
        let other = try PairingPeripheral(
            identity: Samples.identity(), model: "Other", layouts: .standard, joiner: ScriptedNetworks(heard: []),
            clock: air.clock, options: [CBManagerOptionRadioDirectoryKey: path])
        try await other.start()
        let name = other.name
        let sighting = try await within(.seconds(20), "the other camera") {
            await late.sightings.first { $0.name != nil }
        }
        #expect(sighting?.name == name)
        await other.stop()
        await peripheral.stop()
    }

    @Test(arguments: ["hello", "share", "confirm", "scan", "credentials"])
    func whoLeavesAtAStepMayComeBack(step: String) async throws {
        let peripheral = try await air.started(PairingAir.crowd)
        let steps = ["hello", "share", "confirm", "scan", "credentials"]
        for isHalf in [true, false] {
            // The camera may hear later that the link before is gone.
            let client = try await air.client(.protected, conversation: isHalf ? 1 : 2)
            for name in steps {
                let isLast = name == step
                let request: ExchangeRequest
                switch name {
                case "hello":
                    request = .hello(conversation: client.conversation)
                    if !isLast { _ = try await client.hello() }
                case "share":
                    request = .share(.none, Data(repeating: 4, count: 65))
                case "confirm":
                    request = .confirm(Data(count: 32))
                    if !isLast { _ = try await client.agree(air.code) }
                case "scan":
                    request = .scan
                    if !isLast { try await client.send(.scan) }
                default:
                    request = .credentials(CredentialFields(try Samples.credentials()))
                }
                guard isLast else { continue }
                let frames = try await client.frames(of: request.encoded)
                // In the middle of the message, or before the answer.
                for frame in isHalf ? frames.dropLast() : frames { _ = await client.refusal(of: frame) }
                break
            }
            try await client.central.disconnect()
        }
        let client = try await air.client(.protected)
        _ = try await client.hello()
        #expect(try await client.agree(air.code) == air.accepted(2))
        try await client.send(.credentials(CredentialFields(try Samples.credentials())))
        #expect(try await client.states(until: .joining).first == air.accepted(3))
        await peripheral.stop()
    }
}
