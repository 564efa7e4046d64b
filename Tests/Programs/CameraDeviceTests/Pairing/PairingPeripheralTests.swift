import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

@Suite struct PairingPeripheralTests {
    private let directory: TemporaryDirectory
    private let identity: CameraIdentity
    private let clock = ManualClock()
    private let layouts: PairingInfo.Layouts = [.standard, .chunked]
    private let central: TestCentral

    init() throws {
        directory = try TemporaryDirectory()
        identity = try Samples.identity()
        central = TestCentral(radioDirectory: directory.path("air"))
    }

    private func started(
        _ heard: [HeardNetwork]? = [], conditions: RadioConditions = RadioConditions(), air: String? = nil
    ) async throws -> PairingPeripheral {
        let peripheral = try PairingPeripheral(
            identity: identity, model: "Porchlight Model", layouts: layouts, joiner: ScriptedNetworks(heard: heard),
            clock: clock,
            options: [
                CBManagerOptionRadioDirectoryKey: air ?? directory.path("air"),
                CBManagerOptionRadioConditionsKey: conditions,
            ])
        try await peripheral.start()
        central.scan()
        return peripheral
    }

    private func connected(
        _ heard: [HeardNetwork]? = [], conditions: RadioConditions = RadioConditions()
    ) async throws -> PairingPeripheral {
        let peripheral = try await started(heard, conditions: conditions)
        _ = try await sighting { _ in true }
        try await within { [central] in try await central.connect() }
        return peripheral
    }

    private func sighting(
        where matches: @escaping @Sendable (TestCentral.Sighting) -> Bool
    ) async throws -> TestCentral.Sighting {
        let found = try await within(.seconds(20), "an advertisement") { [central] in
            await central.sightings.first { matches($0) }
        }
        return try #require(found)
    }

    private func status(_ phase: PairingState.Phase) async throws -> PairingState {
        let state = try await within(.seconds(20), "the phase \(phase)") { [central] in
            for await (characteristic, value) in central.notifications where characteristic == .status {
                let state = try PairingState(decoding: value)
                if state.phase == phase { return Optional(state) }
            }
            return nil
        }
        return try #require(state)
    }

    private func refusal(_ value: Data, _ characteristic: PairingService.Characteristic) async -> Int? {
        do {
            try await within { [central] in try await central.write(value, characteristic) }
            return nil
        } catch {
            return (error as? CBATTError)?.code.rawValue
        }
    }

    @Test func advertisesNameServiceAndState() async throws {
        let peripheral = try await started()
        let sighting = try await sighting { $0.name != nil }
        #expect(sighting.name == "PORCH-" + identity.deviceID.rawValue.suffix(4))
        #expect(sighting.state == PairingState(phase: .waiting))
        await peripheral.stop()
    }

    @Test func offersTheStandardLayout() async throws {
        let peripheral = try await connected()
        let properties = await central.properties()
        #expect(Set(properties.keys) == Set(PairingAttribute.all(of: .standard)))
        #expect(properties[.standard(.status)] == [.read, .notify])
        #expect(properties[.standard(.networks)] == [.write, .notify])
        for field: PairingService.Characteristic in [.ssid, .password, .sessionKey] {
            #expect(
                properties[.standard(field)] == .write, "a password must not be readable, and a refusal must be heard")
        }
        #expect(try await central.read(.deviceID) == Data(identity.deviceID.rawValue.utf8))
        let info = try PairingInfo(decoding: await central.read(.info))
        #expect(
            info
                == PairingInfo(
                    layouts: layouts, capabilities: [.managesWiFi, .fiveGigahertz], model: "Porchlight Model"))
        #expect(try PairingState(decoding: await central.read(.status)) == PairingState(phase: .waiting))
        await peripheral.stop()
    }

    @Test(arguments: [23, 185, 517])
    func aHundredNetworksArriveWhole(mtu: Int) async throws {
        let heard = (0..<100).map { number in
            HeardNetwork(
                ssid: Data([0xFF, 0x00] + Array("network number \(number)".utf8)), security: .wpa2,
                rssi: -30 - number / 2, bands: [.twoGigahertz, .fiveGigahertz])
        }
        let conditions = RadioConditions()
        conditions.mtu = mtu
        let peripheral = try await connected(heard, conditions: conditions)
        try await central.subscribe(.networks)
        try await central.write(Data([1]), .networks)
        let records = try await central.records()
        #expect(records == heard.merged().map(NetworkListRecord.network) + [.end(count: 100)])
        await peripheral.stop()
    }

    @Test func noNetworkAndNoScanAreTold() async throws {
        let silent = try await connected([])
        try await central.subscribe(.networks)
        try await central.write(Data([1]), .networks)
        #expect(try await central.records() == [.end(count: 0)])
        await silent.stop()
    }

    @Test func aScanThatFailsIsTold() async throws {
        let deaf = try await connected(nil)
        try await central.subscribe(.networks)
        try await central.write(Data([1]), .networks)
        #expect(try await central.records() == [.failed])
        await deaf.stop()
    }

    @Test func refusalsArriveAsApplicationErrors() async throws {
        let peripheral = try await connected()
        #expect(await refusal(Data(), .ssid) == 0x80)
        #expect(await refusal(Data(repeating: 0x41, count: 300), .ssid) == 0x80)
        #expect(await refusal(Data([0xC3, 0x28] + Array("aaaaaaaa".utf8)), .password) == 0x81)
        #expect(await refusal(Data("mars".utf8), .region) == 0x82)
        #expect(await refusal(Data("production".utf8), .environment) == 0x83)
        #expect(await refusal(Data([9]), .networks) == 0x85)
        #expect(await refusal(Data("x".utf8), .status) != nil)
        #expect(await refusal(Data("Home".utf8), .ssid) == nil)
        await peripheral.stop()
    }

    @Test func credentialsAreAcknowledgedThenTold() async throws {
        let peripheral = try await connected()
        try await central.subscribe(.status)
        let credentials = try Samples.credentials()
        try await central.write(credentials)
        #expect(try await status(.joining) == PairingState(phase: .joining))
        let outputs = try await within(.seconds(20), "the credentials") {
            var outputs: [PairingPeripheral.Output] = []
            for await output in peripheral.outputs {
                outputs.append(output)
                if case .credentials = output { break }
            }
            return outputs
        }
        #expect(
            outputs == [.advertising(name: peripheral.name), .clientConnected, .credentials(credentials)])
        // Another attempt has to wait.
        #expect(await refusal(Data("Home".utf8), .ssid) == 0x84)
        peripheral.attempt(.joined)
        #expect(try await status(.registering) == PairingState(phase: .registering))
        peripheral.attempt(.registered)
        #expect(try await status(.done) == PairingState(phase: .done))
        await peripheral.stop()
    }

    @Test func aFailureCanBeSeenWithoutAConnection() async throws {
        let peripheral = try await connected()
        try await central.write(Samples.credentials())
        try await central.disconnect()
        peripheral.attempt(.failed(.wrongPassword))
        let sighting = try await sighting { $0.state?.phase == .failed }
        #expect(sighting.state == PairingState(phase: .failed, failure: .wrongPassword))
        // And it can be tried again.
        try await within { [central] in try await central.connect() }
        try await central.write(Samples.credentials())
        await peripheral.stop()
    }

    @Test func stoppingDropsItsClients() async throws {
        let peripheral = try await connected()
        await peripheral.stop()
        try await within(.seconds(20), "the end of the link") { [central] in
            _ = await central.losses.first { _ in true }
            try await central.disconnect()
        }
    }

    @Test func leavingWipesWhatWasWritten() async throws {
        let peripheral = try await connected()
        try await central.subscribe(.status)
        try await central.write(Data("Home".utf8), .ssid)
        try await central.write(Data(Samples.sessionKey.utf8), .sessionKey)
        try await central.write(Data("us".utf8), .region)
        try await central.disconnect()
        _ = try await sighting { $0.state?.phase == .waiting }
        try await within { [central] in try await central.connect() }
        #expect(await refusal(Data("production".utf8), .environment) == 0x83)
        await peripheral.stop()
    }

    @Test func aClientThatSubscribesToNothingBlocksNobody() async throws {
        let peripheral = try await connected()
        try await central.write(Data("Home".utf8), .ssid)
        let other = TestCentral(radioDirectory: directory.path("air"))
        other.scan()
        _ = await other.sightings.first { _ in true }
        try await within { try await other.connect() }
        // It may be the same app, whose link broke unnoticed.
        try await other.write(Data("Home".utf8), .ssid)
        try await other.subscribe(.status)
        // Now there is somebody who is seen to stay.
        #expect(await refusal(Data("Home".utf8), .ssid) == 0x84)
        await peripheral.stop()
    }

    @Test func silenceWipesWhatWasWritten() async throws {
        let peripheral = try await connected()
        try await central.subscribe(.status)
        try await central.write(Data("Home".utf8), .ssid)
        #expect(try await status(.receiving) == PairingState(phase: .receiving))
        try await within { [clock] in await clock.sleepers() }
        clock.advance(by: PairingService.stagedFieldsLifetime)
        #expect(try await status(.waiting) == PairingState(phase: .waiting))
        await peripheral.stop()
    }

    @Test func nothingIsOnTheAirAfterStopping() async throws {
        let peripheral = try await connected()
        await peripheral.stop()
        let directory = directory.path("air")
        try await within(.seconds(20), "an empty air") {
            while try FileManager.default.contentsOfDirectory(atPath: directory).contains(where: {
                $0.hasSuffix(".radio")
            }) {
                await Task.yield()
            }
        }
    }

    @Test func aRadioThatStaysOffIsAnError() async throws {
        let conditions = RadioConditions()
        conditions.isPowered = false
        let outcome = Task { try await started(conditions: conditions) }
        try await within(.seconds(20), "the wait for the radio") { [clock] in await clock.sleepers() }
        clock.advance(by: PairingRadio.patience)
        await #expect(throws: CameraError.noRadio(reason: "Bluetooth is switched off")) { _ = try await outcome.value }
    }

    @Test func theWaitForARadioCanBeCancelled() async throws {
        let conditions = RadioConditions()
        conditions.isPowered = false
        let outcome = Task { try await started(conditions: conditions) }
        try await within(.seconds(20), "the wait for the radio") { [clock] in await clock.sleepers() }
        outcome.cancel()
        await #expect(throws: CameraError.stopped) { _ = try await outcome.value }
    }

    @Test func aRadioThatCannotBeUsedSaysWhy() async throws {
        let outcome = Task { try await started(air: "/nowhere/at/all") }
        try await within(.seconds(20), "the wait for the radio") { [clock] in await clock.sleepers() }
        clock.advance(by: PairingRadio.patience)
        await #expect {
            _ = try await outcome.value
        } throws: { error in
            guard case CameraError.noRadio(let reason) = error else { return false }
            return reason.contains("PORCHLIGHT_RADIO_DIR")
        }
    }

    /// As at the start of a machine, where bluetoothd comes later and its adapter is on later still.
    @Test func aRadioThatIsOnSoonIsWaitedFor() async throws {
        let conditions = RadioConditions()
        conditions.isPowered = false
        let outcome = Task { try await started(conditions: conditions) }
        try await within(.seconds(20), "the wait for the radio") { [clock] in await clock.sleepers() }
        clock.advance(by: PairingRadio.patience - .seconds(1))
        conditions.isPowered = true
        let peripheral = try await outcome.value
        _ = try await sighting { _ in true }
        await peripheral.stop()
    }

    @Test func aRadioThatComesBackIsUsedAgain() async throws {
        let conditions = RadioConditions()
        let peripheral = try await connected(conditions: conditions)
        try await central.subscribe(.status)
        try await central.write(Data("Home".utf8), .ssid)
        // Past the sightings from before the write, which say what is expected below.
        _ = try await sighting { $0.state?.phase == .receiving }
        conditions.isPowered = false
        conditions.isPowered = true
        try await within(.seconds(20), "the end of the link") { [central] in
            _ = await central.losses.first { _ in true }
        }
        _ = try await sighting { $0.state?.phase == .waiting }
        try await within { [central] in try await central.connect() }
        #expect(try await central.read(.deviceID) == Data(identity.deviceID.rawValue.utf8))
        await peripheral.stop()
    }
}
