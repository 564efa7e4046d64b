import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@Suite("The chunked layout against a scripted camera on the software radio")
struct ExchangeConversationTests {
    private func script(_ change: (inout ScriptedCamera.Script) -> Void = { _ in }) -> ScriptedCamera.Script {
        var script = ScriptedCamera.Script()
        script.layouts = [.chunked]
        script.networks = [
            PairingRig.home, HeardNetwork(ssid: Data("Café".utf8), security: .open, rssi: -70, bands: []),
        ]
        change(&script)
        return script
    }

    private func list(_ rig: PairingRig) async throws -> [WifiNetwork] {
        rig.ble.sendWiFiScanCommand()
        try await rig.value(rig.ble.$wifiListComplete, "the list's end") { $0 }
        return rig.ble.wifiList
    }

    @Test("The whole flow at any MTU, and the outcome over the same link", arguments: [23, 24, 64, 185, 247, 517])
    func wholeFlow(mtu: Int) async throws {
        let rig = PairingRig(mtu: mtu)
        let camera = try await rig.camera(script())
        try await rig.connect()
        rig.ble.fetchCameraDid()
        try await rig.value(rig.ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(rig.ble.bleCameraDID == "PLC0123456789ABCDEFGHJKA1B2")
        #expect(try await list(rig).map(\.ssid) == ["Home", "Café"])
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        #expect(try await rig.value(rig.ble.$pairingOutcome, "the outcome") { $0 != nil } == .joined)
        #expect(rig.ble.credentialsSent)
        #expect(rig.ble.cameraConnectionStatus == .connected, "nobody but the app ends this link")
        #expect(rig.ble.failure == nil)
        guard case .credentials(let fields) = camera.requests.last else {
            Issue.record("no credentials arrived: \(camera.requests)")
            return
        }
        #expect(fields[.ssid] == Data("Home".utf8))
        #expect(fields[.password] == Data("porchlight".utf8))
        #expect(fields[.security] == Data([WiFiSecurity.wpa2.rawValue]))
        if mtu >= 247 { #expect(camera.attRequests == 4, "subscribe, hello, scan, credentials") }
        rig.ble.disconnect()
    }

    @Test("A failed outcome leaves the link, and the credentials are sent again")
    func secondTry() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(
            script {
                $0.exchange.attempts = [
                    [PairingState(phase: .joining), PairingState(phase: .failed, failure: .wrongPassword)],
                    [PairingState(phase: .joining), PairingState(phase: .done)],
                ]
            })
        try await rig.connect()
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details(password: "a wrong one"))
        let first = try await rig.value(rig.ble.$pairingOutcome, "the refusal") { $0 != nil }
        #expect(first == .failed(.wrongPassword))
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        try await rig.value(rig.ble.$pairingOutcome, "the outcome") { $0 == .joined }
        #expect(camera.requests.count == 3)
        rig.ble.disconnect()
    }

    @Test("A frame that is not taken is followed by those that are missing", arguments: [0x0E, 0x86, 0x11])
    func resumes(error: Int) async throws {
        let rig = PairingRig(mtu: 23)
        // The sixth write is in the middle of the credentials, which take seven frames at this MTU.
        let camera = try await rig.camera(script { $0.exchange.frameErrors = [1: error, 5: error, 6: error] })
        try await rig.connect()
        _ = try await list(rig)
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        try await rig.value(rig.ble.$pairingOutcome, "the outcome") { $0 == .joined }
        #expect(camera.requests.count == 3, "each message arrived once")
        rig.ble.disconnect()
    }

    @Test("A camera that takes no frame is given up after three attempts")
    func givesUp() async throws {
        let rig = PairingRig()
        let errors = Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, 0x0E) })
        let camera = try await rig.camera(script { $0.exchange.frameErrors = errors })
        #expect(try await rig.failure() == .connectionFailed("the camera did not take a message"))
        #expect(camera.attRequests == 8, "subscribe, then four writes and three positions between them")
    }

    @Test("A frame refused for good ends its request at once", arguments: [0x80, 0x82, 0x84])
    func refusedFrame(error: Int) async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script { $0.exchange.frameErrors = [1: error] })
        try await rig.connect()
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        let failure = try await rig.value(rig.ble.$failure, "the refusal") { $0 != nil }
        let refusal = PairingService.WriteRefusal(rawValue: error)
        #expect(
            failure == (refusal == .busy ? .cameraBusy : .fieldRefused(field: "credentials", refusal: refusal)))
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        try await rig.value(rig.ble.$pairingOutcome, "the outcome") { $0 == .joined }
        camera.vanish()
    }

    @Test("A conversation's number that is another's is drawn again; after four the camera is left alone")
    func busyConversation() async throws {
        for (busy, succeeds) in [(3, true), (4, false)] {
            let rig = PairingRig()
            let camera = try await rig.camera(script { $0.exchange.busyHellos = busy })
            if succeeds {
                try await rig.connect()
            } else {
                #expect(try await rig.failure() == .cameraBusy)
            }
            #expect(camera.requests.count == 4)
            camera.vanish()
        }
    }

    @Test("What is meant for other clients is passed over")
    func otherClients() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script { $0.exchange.hasOtherClients = true })
        try await rig.connect()
        #expect(try await list(rig).count == 2)
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        #expect(try await rig.value(rig.ble.$pairingOutcome, "the outcome") { $0 != nil } == .joined)
        #expect(rig.ble.failure == nil)
        camera.vanish()
    }

    @Test("Credentials that the camera refuses: the field is named, the link stays")
    func refusedCredentials() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script { $0.exchange.refusal = (.value, .sessionKey) })
        try await rig.connect()
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        let failure = try await rig.value(rig.ble.$failure, "the refusal") { $0 != nil }
        #expect(failure == .fieldRefused(field: "sessionKey", refusal: .value))
        #expect(rig.ble.cameraConnectionStatus == .connected)
        camera.vanish()
    }

    @Test("The best layout is taken: chunked before standard")
    func best() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(
            script {
                $0.layouts = [.standard, .chunked]
                $0.exchange.info.layouts = [.standard, .chunked]
            })
        try await rig.connect()
        #expect(camera.requests.count == 1)
        camera.vanish()
    }

    @Test("A camera that says to offer more than is to be seen is not trusted")
    func hiddenLayout() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script { $0.exchange.info.layouts = [.chunked, .protected] })
        #expect(try await rig.failure() == .layoutHidden)
        camera.vanish()
    }

    @Test("A camera that never answers the first message is given up after 20 s")
    func silence() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script { $0.exchange.answersHello = false })
        rig.ble.startScan()
        let cameras = try await rig.value(rig.ble.$cameraList, "a camera") { !$0.isEmpty }
        rig.ble.connectToCamera(camera: cameras.first)
        try await within(.seconds(60), "the hello") { await camera.received(1) }
        rig.clock.advance(by: .seconds(20))
        try await rig.value(rig.ble.$cameraConnectionStatus, "the limit") { $0 == .notConnected }
        #expect(rig.ble.failure == .connectionTimedOut)
        camera.vanish()
    }

    @Test("Bad frames are passed over: what comes after them still arrives")
    func hostileFrames() async throws {
        let rig = PairingRig()
        let bad =
            [Data(), Data([0xFF]), Data([0x13, 9, 0, 0, 0xFF, 0xFF]), Data(repeating: 0x41, count: 500)]
            + [Data([0x11, 20, 0, 0, 0, 9, 1]), Data([0x12, 20, 0, 7, 1]), Data([0x13, 21, 0, 0, 0, 1, 0xEE])]
        let camera = try await rig.camera(script { $0.exchange.rawNotifications = bad })
        try await rig.connect()
        rig.ble.sendWiFiScanCommand()
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        try await rig.value(rig.ble.$pairingOutcome, "the outcome") { $0 == .joined }
        camera.vanish()
    }
}
