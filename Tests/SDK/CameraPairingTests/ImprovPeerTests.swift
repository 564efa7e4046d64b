import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

/// An app at an Improv device that nobody here wrote: pyimprov, on bless, through `bluetoothd`. The scenario `improv` has
/// started it; Lab/peers/improv_peripheral.py says what its home is like. hci0 is the app's, hci1 the device's.
@Suite(
    "BLEManager against pyimprov through bluetoothd", .serialized,
    .enabled(if: LabControl.shared != nil, "runs inside the radio lab: make lab"), .timeLimit(.minutes(2)))
struct ImprovPeerTests {
    private let lab: LabControl
    private let ble: BLEManager
    private let state: TemporaryDirectory

    init() async throws {
        lab = try #require(LabControl.shared)
        state = try TemporaryDirectory()
        ble = BLEManager(centralOptions: [
            CBManagerOptionAdapterKey: "hci0", CBManagerOptionStateDirectoryKey: state.path("state"),
        ])
    }

    @discardableResult
    private func value<Value: Sendable>(
        _ publisher: Published<Value>.Publisher, _ what: String, where condition: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        try await within(.seconds(30), what) {
            for await value in publisher.values where condition(value) { return value }
            throw CancellationError()
        }
    }

    private func connect() async throws {
        ble.startScan()
        let cameras = try await value(ble.$cameraList, "the device") { $0.map(\.name) == ["Improv Cam"] }
        #expect(cameras.map(\.protocol) == [.improv])
        ble.connectToCamera(camera: cameras.first)
        try await value(ble.$cameraConnectionStatus, "the connection") { $0 == .connected }
    }

    private func write(ssid: String, password: String) {
        ble.updateWifiInfo(
            wifiInfo: WiFiDetailModel(ssid: ssid, password: password, sessionKey: "", env: "", region: ""))
    }

    private func leave() async throws {
        ble.disconnect()
        try await value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
    }

    @Test("As it is: it claims to list nothing, refuses a wrong password, joins with the right one")
    func asItIs() async throws {
        try await lab.ask("tell_peer improv authorize")
        try await connect()
        ble.fetchCameraDid()
        try await value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.bleCameraDID == "")
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiListUnavailable, "the word that there is no list") { $0 }

        write(ssid: "Improv Home", password: "porchlight 🔒")
        try await value(ble.$pairingOutcome, "the first outcome") { $0 == .failed(.couldNotJoin) }
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(ble.onboardingPage == nil)
        write(ssid: "Improv Home", password: "porchlight 🔑")
        try await value(ble.$pairingOutcome, "the second outcome") { $0 == .joined }
        #expect(ble.onboardingPage?.absoluteString == "http://192.168.77.9/welcome")
        try await leave()
    }

    @Test("Where it claims what it can: its name, its networks over two results, the button, an open network")
    func whatItCan() async throws {
        try await lab.ask("tell_peer improv capabilities 7")
        try await lab.ask("tell_peer improv revoke")
        try await connect()
        try await value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        ble.fetchCameraDid()
        try await value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.cameraList.map(\.name) == ["Front Garden"])

        ble.sendWiFiScanCommand()
        try await value(ble.$wifiListComplete, "the end of the list") { $0 }
        #expect(
            ble.wifiList.map { "\($0.ssid) \($0.rssi) \($0.securityProtocol)" } == [
                "Improv Home -48 3", "Café 🏠 -61 0", "neighbour -70 3", "office -71 5", "the attic room -77 4",
                "the longest name there is, of 32 -83 3", "shed -88 1",
            ])

        write(ssid: "Café 🏠", password: "")
        #expect(ble.pairingOutcome == nil)
        try await lab.ask("tell_peer improv authorize")
        try await value(ble.$pairingOutcome, "the outcome") { $0 == .joined }
        #expect(!ble.buttonPressAwaited)
        try await leave()
    }
}
