import Basics
import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

/// What seed 000 shows and says, as a program that uses the module from outside would meet it.
@Suite("Seed 000")
struct SeedSamplesTests {
    private let rig = PairingRig()

    @Test("Every property has its type and its first value")
    func properties() {
        let shared: BLEManager = BLEManager.instance
        #expect(shared === BLEManager.instance)
        let ble = rig.ble
        let _: any ObservableObject = ble
        let state: CBManagerState? = ble.cBManagerState
        let authorization: BLEManager.AuthorizationStatus = ble.authorizationStatus
        let cameras: [BLECamera] = ble.cameraList
        let nobody: Bool = ble.noCameraFound
        let status: CameraConnectionStatus = ble.cameraConnectionStatus
        let fetched: Bool = ble.bleCameraDIDFetched
        let networks: [WifiNetwork] = ble.wifiList
        let id: String = ble.bleCameraDID
        #expect(state == nil)
        #expect(authorization == .none)
        #expect(cameras.isEmpty && !nobody && status == .none && !fetched && networks.isEmpty && id.isEmpty)
    }

    @Test("Every published property can be observed, and its first value comes at once")
    func observation() {
        var cancellables: Set<AnyCancellable> = []
        var seen = 0
        let ble = rig.ble
        ble.$cBManagerState.sink { _ in seen += 1 }.store(in: &cancellables)
        ble.$authorizationStatus.sink { _ in seen += 1 }.store(in: &cancellables)
        ble.$cameraList.sink { _ in seen += 1 }.store(in: &cancellables)
        ble.$noCameraFound.sink { _ in seen += 1 }.store(in: &cancellables)
        ble.$cameraConnectionStatus.sink { _ in seen += 1 }.store(in: &cancellables)
        ble.$bleCameraDIDFetched.sink { _ in seen += 1 }.store(in: &cancellables)
        ble.$wifiList.sink { _ in seen += 1 }.store(in: &cancellables)
        #expect(seen == 7)
    }

    @Test("The types have the cases and members of the document")
    func types() throws {
        for status in [CameraConnectionStatus.connected, .notConnected, .none] {
            switch status {
            case .connected, .notConnected, .none: break
            }
        }
        for status in [BLEManager.AuthorizationStatus.allowed, .notAllowed, .none] {
            switch status {
            case .allowed, .notAllowed, .none: break
            }
        }
        let identifier = UUID()
        var camera = BLECamera(name: "Camera A1B2", identifier: identifier, rssi: -60, cameraDid: "X")
        camera.name = "Camera C3D4"
        #expect(camera.identifier == identifier)
        #expect(camera.cameraDid == "X")
        #expect(camera.signal == .good)
        #expect([BLECamera.Signal.poor, .weak, .good, .excellent].map(\.rawValue) == [0, 1, 2, 3])
        #expect(camera == camera)

        let network = WifiNetwork(ssid: "Home", securityProtocol: 3, rssi: -50)
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(network)) as? [String: Any]
        #expect(Set(try #require(object).keys) == ["ssid", "securityProtocol", "rssi"])
        #expect(try JSONDecoder().decode(WifiNetwork.self, from: JSONEncoder().encode(network)) == network)
        let details = PairingRig.details()
        #expect(try JSONDecoder().decode(WiFiDetailModel.self, from: JSONEncoder().encode(details)) == details)
    }

    /// The walk-through as it stands there: commands, and sinks that say when to go on.
    @Test("The walkthrough, with sinks and commands alone", arguments: PairingLayout.allCases)
    func walkthrough(layout: PairingLayout) async throws {
        var script = ScriptedCamera.Script()
        script.layouts = [layout]
        script.exchange.info.layouts = .init(layout)
        script.networks = [PairingRig.home]
        let camera = try await rig.camera(script)
        let ble = rig.ble
        let queue = DispatchQueue(label: "screen")
        let (done, finish) = AsyncStream<CameraConnectionStatus>.makeStream()
        var cancellables: Set<AnyCancellable> = []
        ble.$cameraList.receive(on: queue).filter { !$0.isEmpty }.first()
            .sink { ble.connectToCamera(camera: $0.first) }.store(in: &cancellables)
        ble.$cameraConnectionStatus.receive(on: queue)
            .sink { status in
                switch status {
                case .connected: ble.fetchCameraDid()
                case .notConnected: finish.yield(.notConnected)
                case .none: break
                }
            }.store(in: &cancellables)
        ble.$bleCameraDIDFetched.filter { $0 }.receive(on: queue)
            .sink { _ in
                ble.sendWiFiScanCommand()
                ble.getWiFiList()
            }.store(in: &cancellables)
        ble.$wifiList.receive(on: queue).filter { !$0.isEmpty }.first()
            .sink { networks in
                ble.updateWifiInfo(
                    wifiInfo: WiFiDetailModel(
                        ssid: networks[0].ssid, password: "porchlight", sessionKey: "0123456789abcdef",
                        env: "production", region: "us"))
            }.store(in: &cancellables)
        ble.$pairingOutcome.receive(on: queue).filter { $0 == .joined }
            .sink { _ in
                // On these layouts the connection is the app's to end.
                ble.disconnect()
            }.store(in: &cancellables)
        ble.initCBCentralManager()
        ble.startScan()
        try await within(.seconds(60), "the end of the connection") { for await _ in done { return } }
        #expect(ble.failure == nil)
        #expect(ble.bleCameraDID == "PLC0123456789ABCDEFGHJKA1B2")
        #expect(ble.credentialsSent)
        await ble.released()
        try await within(.seconds(60), "the camera alone") { await camera.left() }
        withExtendedLifetime(cancellables) {}
    }

    @Test("startScan() resets everything and drops the connection")
    func startScanResets() async throws {
        var script = ScriptedCamera.Script()
        script.networks = [PairingRig.home]
        let camera = try await rig.camera(script)
        try await rig.connect()
        _ = try await rig.ble.deviceId()
        _ = try await rig.ble.allNetworks()
        let lists = Locked<[Int]>([])
        let sink = rig.ble.$cameraList.dropFirst().sink { list in lists.withLock { $0.append(list.count) } }
        rig.ble.startScan()
        #expect(lists.withLock { $0.first } == 0, "the camera may be heard again at once")
        sink.cancel()
        #expect(rig.ble.wifiList.isEmpty)
        #expect(!rig.ble.wifiListComplete)
        #expect(rig.ble.cameraConnectionStatus == .none)
        #expect(!rig.ble.bleCameraDIDFetched)
        #expect(rig.ble.bleCameraDID.isEmpty)
        try await within(.seconds(60), "the end of the connection") { await camera.left() }
        try await rig.value(rig.ble.$cameraList, "the camera again") { !$0.isEmpty }
        rig.ble.disconnect()
    }

    @Test("The connected camera is left as it is, and another one replaces it")
    func secondCamera() async throws {
        var script = ScriptedCamera.Script()
        let first = try await rig.camera(script)
        script.name = "PORCH-C3D4"
        let second = try await rig.camera(script)
        rig.ble.startScan()
        let cameras = try await rig.value(rig.ble.$cameraList, "two cameras") { $0.count == 2 }
        try await rig.ble.connect(cameras[0])
        let requests = first.attRequests
        rig.ble.connectToCamera(camera: cameras[0])
        #expect(rig.ble.cameraConnectionStatus == .connected)
        #expect(first.attRequests == requests, "nothing was begun anew")
        try await rig.ble.connect(cameras[1])
        _ = try await rig.ble.deviceId()
        #expect(second.attRequests > 0)
        try await within(.seconds(60), "the first alone") { await first.left() }
        await rig.ble.released()
    }
}
