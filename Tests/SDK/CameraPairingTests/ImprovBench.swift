import Basics
import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

/// An app and Improv devices on an air of their own, and what tests of them do again and again.
struct ImprovBench {
    private let radio = FileManager.default.temporaryDirectory.appending(
        path: "pl-radio-\(UUID().uuidString.prefix(8))")
    let clock = ManualClock()
    let ble: BLEManager
    /// On the air until the test ends.
    private let devices = Locked<[ScriptedImprovDevice]>([])

    init() { ble = BLEManager(clock: clock, centralOptions: [CBManagerOptionRadioDirectoryKey: radio.path]) }

    @discardableResult
    func device(_ script: ScriptedImprovDevice.Script = .init(), mtu: Int = 517) async throws -> ScriptedImprovDevice {
        let conditions = RadioConditions()
        conditions.mtu = mtu
        let device = ScriptedImprovDevice(script, radio: radio, conditions: conditions)
        devices.withLock { $0.append(device) }
        try await within(.seconds(20), "advertising") { await device.advertising() }
        return device
    }

    @discardableResult
    func value<Value: Sendable>(
        _ publisher: Published<Value>.Publisher, _ what: String, where condition: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        try await within(.seconds(20), what) {
            for await value in publisher.values where condition(value) { return value }
            throw CancellationError()
        }
    }

    func choose() async throws {
        ble.startScan()
        let cameras = try await value(ble.$cameraList, "a camera") { !$0.isEmpty }
        ble.connectToCamera(camera: cameras.first)
    }

    func connect() async throws {
        try await choose()
        try await value(ble.$cameraConnectionStatus, "the connection") { $0 == .connected }
    }

    func write(ssid: String = "Home", password: String = "porchlight") {
        ble.updateWifiInfo(
            wifiInfo: WiFiDetailModel(ssid: ssid, password: password, sessionKey: "", env: "", region: ""))
    }

    func outcome() async throws -> PairingOutcome? {
        try await value(ble.$pairingOutcome, "the outcome") { $0 != nil }
    }

    func failure() async throws -> CameraPairingError? {
        try await value(ble.$failure, "the failure") { $0 != nil }
    }

    func join(_ ssid: String, _ password: String) throws -> ImprovCommand {
        .join(try ImprovCredentials(ssid: Data(ssid.utf8), password: Secret(password)))
    }

    /// Lets the clock go on once somebody waits for this long.
    func pass(_ duration: Duration) async throws {
        try await within(.seconds(20), "a wait of \(duration)") { await clock.sleeper(for: duration) }
        clock.advance(by: duration)
    }
}
