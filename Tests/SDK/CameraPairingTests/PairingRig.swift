import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Wire

@testable import CameraPairing

/// A manager and a place on the software radio, with a clock that stands still.
struct PairingRig: Sendable {
    let radio = FileManager.default.temporaryDirectory.appending(path: "pl-radio-\(UUID().uuidString.prefix(8))")
    let clock = ManualClock()
    let ble: BLEManager

    init(
        mtu: Int = 517, conditions: RadioConditions = RadioConditions(), randomness: PairingRandomness = .certain
    ) {
        conditions.mtu = mtu
        ble = BLEManager(
            clock: clock,
            centralOptions: [
                CBManagerOptionRadioDirectoryKey: radio.path, CBManagerOptionRadioConditionsKey: conditions,
            ], limits: PairingFlow.Limits(), randomness: randomness)
    }

    /// A device with another service, whatever it is called.
    func foreignDevice() async throws -> ForeignDevice {
        let device = ForeignDevice(radio: radio)
        try await within(.seconds(60), "advertising") { await device.advertising() }
        return device
    }

    /// A camera that advertises.
    func camera(_ script: ScriptedCamera.Script = .init()) async throws -> ScriptedCamera {
        let camera = ScriptedCamera(script, radio: radio)
        try await within(.seconds(60), "advertising") { await camera.advertising() }
        return camera
    }

    /// The first value that is as it should be.
    @discardableResult
    func value<Value: Sendable>(
        _ publisher: Published<Value>.Publisher, _ what: String,
        where condition: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        try await within(.seconds(60), what) {
            for await value in publisher.values where condition(value) { return value }
            throw CancellationError()
        }
    }

    /// Finds the camera and connects to it; returns when it takes commands.
    func connect() async throws {
        ble.startScan()
        let cameras = try await value(ble.$cameraList, "a camera") { !$0.isEmpty }
        ble.connectToCamera(camera: cameras.first)
        try await value(ble.$cameraConnectionStatus, "the connection") { $0 == .connected }
    }

    /// Chooses the camera, and returns why that failed.
    func failure() async throws -> CameraPairingError? {
        ble.startScan()
        let cameras = try await value(ble.$cameraList, "a camera") { !$0.isEmpty }
        ble.connectToCamera(camera: cameras.first)
        try await value(ble.$cameraConnectionStatus, "the refusal") { $0 == .notConnected }
        return ble.failure
    }

    static let home = HeardNetwork(ssid: Data("Home".utf8), security: .wpa2, rssi: -48, bands: .twoGigahertz)

    /// Credentials for that network.
    static func details(password: String = "porchlight", ssid: String = "Home") -> WiFiDetailModel {
        WiFiDetailModel(
            ssid: ssid, password: password, sessionKey: "0123456789abcdef", env: "production", region: "us")
    }
}

extension PairingRandomness {
    /// Every conversation has the same number.
    static let certain = PairingRandomness(conversation: { 0xA1B2 })
}
