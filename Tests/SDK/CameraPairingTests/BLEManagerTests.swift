import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@Suite("BLEManager against a scripted camera on the software radio")
struct BLEManagerTests {
    private let radio = FileManager.default.temporaryDirectory.appending(
        path: "pl-radio-\(UUID().uuidString.prefix(8))")
    private let clock = ManualClock()
    private let ble: BLEManager

    init() { ble = BLEManager(clock: clock, centralOptions: [CBManagerOptionRadioDirectoryKey: radio.path]) }

    private func camera(_ script: ScriptedCamera.Script = .init()) async throws -> ScriptedCamera {
        let camera = ScriptedCamera(script, radio: radio)
        try await within(.seconds(20), "advertising") { await camera.advertising() }
        return camera
    }

    private func value<Value: Sendable>(
        _ publisher: Published<Value>.Publisher, _ what: String, where condition: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        try await within(.seconds(20), what) {
            for await value in publisher.values where condition(value) { return value }
            throw CancellationError()
        }
    }

    private func connect() async throws {
        ble.startScan()
        let cameras = try await value(ble.$cameraList, "a camera") { !$0.isEmpty }
        ble.connectToCamera(camera: cameras.first)
        _ = try await value(ble.$cameraConnectionStatus, "the connection") { $0 == .connected }
    }

    private let home = HeardNetwork(ssid: Data("Home".utf8), security: .wpa2, rssi: -48, bands: .twoGigahertz)

    @Test("The whole flow: find, connect, read, list, write")
    func wholeFlow() async throws {
        var script = ScriptedCamera.Script()
        script.networks = [home, HeardNetwork(ssid: Data("Café".utf8), security: .open, rssi: -70, bands: [])]
        let camera = try await camera(script)
        try await connect()
        #expect(ble.cameraList.map(\.name) == ["Camera A1B2"])

        ble.fetchCameraDid()
        _ = try await value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.bleCameraDID == script.deviceID)
        #expect(ble.cameraList.first?.cameraDid == script.deviceID)

        ble.sendWiFiScanCommand()
        let networks = try await value(ble.$wifiList, "two networks") { $0.count == 2 }
        #expect(networks.map(\.ssid) == ["Home", "Café"])
        #expect(networks.map(\.isOpen) == [false, true])

        ble.updateWifiInfo(
            wifiInfo: WiFiDetailModel(
                ssid: "Home", password: "porchlight", sessionKey: "0123456789abcdef", env: "production", region: "us"))
        _ = try await value(ble.$credentialsSent, "the acknowledgement") { $0 }
        _ = try await value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
        #expect(ble.failure == nil)
        #expect(
            camera.fields == [
                .networks: Data([1]), .ssid: Data("Home".utf8), .security: Data([WiFiSecurity.wpa2.rawValue]),
                .password: Data("porchlight".utf8), .sessionKey: Data("0123456789abcdef".utf8),
                .region: Data("us".utf8), .environment: Data("production".utf8),
            ])
    }

    @Test("An open network is joined without a password being written")
    func openNetwork() async throws {
        let camera = try await camera()
        try await connect()
        ble.updateWifiInfo(
            wifiInfo: WiFiDetailModel(
                ssid: "Café", password: "", sessionKey: "0123456789abcdef", env: "1", region: "us"))
        _ = try await value(ble.$credentialsSent, "the acknowledgement") { $0 }
        #expect(camera.fields[.password] == nil)
        #expect(camera.fields[.security] == Data([WiFiSecurity.open.rawValue]))
    }

    @Test("A camera that comes back with its credentials says why", .timeLimit(.minutes(1)))
    func setback() async throws {
        let camera = try await camera()
        try await connect()
        try await ble.write(
            WiFiDetailModel(
                ssid: "Home", password: "porchlight", sessionKey: "0123456789abcdef", env: "dev", region: "us"))
        let waiting = Task { [ble] in try await ble.setbackOfCamera() }
        camera.comeBack(.wrongPassword)
        #expect(try await within(.seconds(20), "the setback") { try await waiting.value } == .wrongPassword)
        #expect(ble.cameraConnectionStatus == .notConnected)
        ble.disconnect()
    }

    @Test("A field that the camera refuses is named, and the connection stays")
    func refusedField() async throws {
        var script = ScriptedCamera.Script()
        script.refusals = [.sessionKey: .value]
        let camera = try await camera(script)
        try await connect()
        ble.updateWifiInfo(
            wifiInfo: WiFiDetailModel(
                ssid: "Home", password: "porchlight", sessionKey: "0123456789abcdef", env: "dev", region: "us"))
        let failure = try await value(ble.$failure, "the refusal") { $0 != nil }
        #expect(failure == .fieldRefused(field: "sessionKey", refusal: .value))
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(camera.fields[.environment] == nil)
    }

    @Test("A camera without a device id gives an empty one")
    func noDeviceID() async throws {
        var script = ScriptedCamera.Script()
        script.leavesOut = [.deviceID]
        let camera = try await camera(script)
        try await connect()
        ble.fetchCameraDid()
        _ = try await value(ble.$bleCameraDIDFetched, "the answer") { $0 }
        #expect(ble.bleCameraDID == "")
        camera.vanish()
    }

    @Test("A device with our service and without its fields is told apart")
    func notACamera() async throws {
        var script = ScriptedCamera.Script()
        script.leavesOut = [.ssid]
        let camera = try await camera(script)
        ble.startScan()
        let cameras = try await value(ble.$cameraList, "a camera") { !$0.isEmpty }
        ble.connectToCamera(camera: cameras.first)
        _ = try await value(ble.$cameraConnectionStatus, "the refusal") { $0 == .notConnected }
        #expect(ble.failure == .notACamera(missing: "ssid characteristic"))
        camera.vanish()
    }

    @Test("Bad frames are passed over and good ones still arrive")
    func hostileFrames() async throws {
        var script = ScriptedCamera.Script()
        let good = try Frame.split(NetworkListRecord.network(home).encoded(), message: 9, limit: 512).map(\.encoded)
        script.rawNotifications =
            [Data(), Data([0xFF]), Data([0x13, 0, 0, 0, 0xFF, 0xFF]), Data(repeating: 0x41, count: 200)] + good
        let camera = try await camera(script)
        try await connect()
        ble.sendWiFiScanCommand()
        #expect(try await value(ble.$wifiList, "the good one") { !$0.isEmpty }.map(\.ssid) == ["Home"])
        camera.vanish()
    }

    @Test("Nothing in the air: the scan ends after 30 s of the injected clock")
    func nothingFound() async throws {
        ble.startScan()
        try await within(.seconds(20), "the scan's timer") { [clock] in await clock.sleepers(atLeast: 1) }
        clock.advance(by: .seconds(30))
        _ = try await value(ble.$noCameraFound, "the end of the scan") { $0 }
        #expect(ble.failure == .noCameraFound)
    }

    @Test("An empty network list ends the connection after 90 s")
    func networkGuard() async throws {
        let camera = try await camera()
        try await connect()
        ble.sendWiFiScanCommand()
        ble.getWiFiList()
        try await within(.seconds(20), "the guard's timer") { [clock] in await clock.sleepers(atLeast: 1) }
        clock.advance(by: .seconds(90))
        _ = try await value(ble.$cameraConnectionStatus, "the guard") { $0 == .notConnected }
        #expect(ble.failure == .noNetworks)
        camera.vanish()
    }

    @Test("A camera that vanishes ends the connection")
    func vanishes() async throws {
        let camera = try await camera()
        try await connect()
        camera.vanish()
        _ = try await value(ble.$cameraConnectionStatus, "the loss") { $0 == .notConnected }
        #expect(ble.failure == .linkLost)
    }

    @Test("Leaving and starting again finds the camera again")
    func again() async throws {
        let camera = try await camera()
        for _ in 0..<3 {
            try await connect()
            ble.disconnect()
            _ = try await value(ble.$cameraConnectionStatus, "the end") { $0 == .notConnected }
        }
        camera.vanish()
    }
}
