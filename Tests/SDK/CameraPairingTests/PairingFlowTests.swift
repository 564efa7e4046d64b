import CoreBluetooth
import Foundation
import Testing
import Wire

@testable import CameraPairing

@Suite("The pairing flow, as a value")
struct PairingFlowTests {
    private let camera = UUID()
    private let other = UUID()
    private var flow = PairingFlow()

    private mutating func powerOn() { _ = flow.handle(.managerState(.poweredOn, .allowedAlways)) }

    private mutating func hear(_ id: UUID, _ name: String = "PORCH-A1B2", _ rssi: Int = -50) {
        _ = flow.handle(.discovered(id, Sighting(name: name, rssi: rssi)))
    }

    private mutating func makeReady(_ kind: ConversationKind = .standard) {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera)
        _ = flow.handle(.connect(camera))
        _ = flow.handle(.linkReady(camera, kind))
    }

    /// Up to credentials that the camera has acknowledged.
    private mutating func hand(_ kind: ConversationKind = .standard) {
        makeReady(kind)
        _ = flow.handle(.write(details()))
        _ = flow.handle(.written)
    }

    private func details(password: String = "porchlight", region: String = "us") -> WiFiDetailModel {
        WiFiDetailModel(
            ssid: "Home", password: password, sessionKey: "0123456789abcdef", env: "production", region: region)
    }

    @Test("A scan asked for before power begins when the power comes")
    mutating func scanWaitsForPower() {
        #expect(flow.handle(.startScan) == [])
        #expect(
            flow.handle(.managerState(.poweredOn, .allowedAlways)) == [
                .startScanning, .start(.scan, .seconds(30)), .start(.fade, .seconds(5)),
            ])
        #expect(flow.published.authorizationStatus == .allowed)
    }

    @Test("The camera that took the credentials is listened for, and nobody else")
    mutating func setback() {
        makeReady()
        #expect(flow.handle(.watchForSetback) == [])
        #expect(flow.published.failure == .notConnected, "nothing was written")
        _ = flow.handle(.write(details()))
        _ = flow.handle(.written)
        _ = flow.handle(.linkEnded(camera))
        #expect(flow.handle(.watchForSetback) == [.startScanning, .start(.setback, .seconds(180))])
        let failed = PairingState(phase: .failed, failure: .wrongPassword)
        func heard(_ id: UUID, _ state: PairingState?) -> PairingFlow.Event {
            .discovered(id, Sighting(rssi: -50, state: state))
        }
        #expect(flow.handle(heard(other, failed)) == [])
        #expect(flow.handle(heard(camera, nil)) == [])
        #expect(flow.handle(heard(camera, PairingState(phase: .receiving))) == [])
        #expect(flow.published.setback == nil)
        #expect(flow.handle(heard(camera, failed)) == [.stop(.setback), .stopScanning])
        #expect(flow.published.setback == .wrongPassword)
        #expect(flow.handle(heard(camera, failed)) == [], "once")
    }

    @Test("Listening for a setback ends with the scan, with the power, and with the next attempt")
    mutating func endOfListening() {
        hand()
        _ = flow.handle(.linkEnded(camera))
        _ = flow.handle(.watchForSetback)
        #expect(flow.handle(.stopScan) == [.stop(.setback), .stopScanning])
        _ = flow.handle(.watchForSetback)
        _ = flow.handle(.managerState(.poweredOff, .allowedAlways))
        #expect(flow.published.failure == .bluetoothOff)
        powerOn()
        let failed = PairingState(phase: .failed, failure: .noAddress)
        _ = flow.handle(.discovered(camera, Sighting(rssi: -50, state: failed)))
        #expect(flow.published.setback == nil)
        _ = flow.handle(.watchForSetback)
        _ = flow.handle(.discovered(camera, Sighting(rssi: -50, state: PairingState(phase: .failed))))
        #expect(flow.published.setback == .internalFault, "a failure of a later version")
        _ = flow.handle(.startScan)
        #expect(flow.published.setback == nil)
    }

    @Test("A scan that finds nothing ends and says so")
    mutating func nothingFound() {
        powerOn()
        _ = flow.handle(.startScan)
        #expect(flow.handle(.expired(.scan)) == [.stop(.scan), .stop(.fade), .stopScanning])
        #expect(flow.published.noCameraFound)
        #expect(flow.published.failure == .noCameraFound)
    }

    @Test("A found camera ends the limit of the scan")
    mutating func foundCameraStopsTimer() {
        powerOn()
        _ = flow.handle(.startScan)
        #expect(flow.handle(.discovered(camera, Sighting(name: "PORCH-A1B2", rssi: -50))) == [.stop(.scan)])
        #expect(flow.handle(.expired(.scan)) == [])
        #expect(!flow.published.noCameraFound)
        #expect(flow.published.cameraList.map(\.name) == ["Camera A1B2"])
    }

    @Test("The list is sorted by signal, then name")
    mutating func sorting() {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera, "PORCH-ZZZZ", -50)
        hear(other, "PORCH-AAAA", -75)
        hear(UUID(), "PORCH-BBBB", -52)
        #expect(flow.published.cameraList.map(\.name) == ["Camera BBBB", "Camera ZZZZ", "Camera AAAA"])
    }

    @Test("Strength around a threshold does not make the list jump")
    mutating func smoothing() {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera, "PORCH-ZZZZ", -55)
        hear(other, "PORCH-AAAA", -57)
        let before = flow.published.cameraList.map(\.identifier)
        for strength in [-58, -54, -57, -55, -58, -54] {
            hear(camera, "PORCH-ZZZZ", strength)
            hear(other, "PORCH-AAAA", -109 - strength)
            #expect(flow.published.cameraList.map(\.identifier) == before)
        }
        for _ in 0..<30 { hear(camera, "PORCH-ZZZZ", -85) }
        #expect(flow.published.cameraList.map(\.identifier) == [other, camera])
        #expect(flow.published.cameraList.last?.signal == .poor)
    }

    @Test("A camera that has fallen silent leaves the list; one that was hardly heard stays")
    mutating func fading() {
        powerOn()
        _ = flow.handle(.startScan)
        for _ in 0..<3 { hear(camera) }
        hear(other)
        for _ in 0..<2 { #expect(flow.handle(.expired(.fade)) == [.start(.fade, .seconds(5))]) }
        #expect(flow.published.cameraList.count == 2)
        _ = flow.handle(.expired(.fade))
        #expect(flow.published.cameraList.map(\.identifier) == [other], "some radios tell of a device only once")
        for _ in 0..<3 { hear(other) }
        for _ in 0..<2 { _ = flow.handle(.expired(.fade)) }
        #expect(
            flow.handle(.expired(.fade)) == [.start(.fade, .seconds(5)), .start(.scan, .seconds(30))],
            "with an empty list the scan has its limit again")
        _ = flow.handle(.expired(.scan))
        #expect(flow.published.noCameraFound)
    }

    @Test("The camera that is being connected has a reason to be silent")
    mutating func linkedCameraStays() {
        powerOn()
        _ = flow.handle(.startScan)
        for _ in 0..<3 { hear(camera) }
        _ = flow.handle(.connect(camera))
        for _ in 0..<5 { _ = flow.handle(.expired(.fade)) }
        #expect(flow.published.cameraList.map(\.identifier) == [camera])
    }

    @Test("127 means that the radio cannot tell, and changes nothing")
    mutating func unavailableStrength() {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera, "PORCH-A1B2", -50)
        hear(camera, "PORCH-A1B2", 127)
        #expect(flow.published.cameraList.first?.rssi == -50)
        hear(other, "PORCH-C3D4", 127)
        #expect(flow.published.cameraList.last?.signal == .poor)
    }

    @Test("A new scan resets everything and drops the connection first")
    mutating func restart() {
        makeReady()
        _ = flow.handle(.deviceID("X"))
        let actions = flow.handle(.startScan)
        #expect(actions.contains(.cancelConnection(camera)))
        #expect(actions.suffix(3) == [.startScanning, .start(.scan, .seconds(30)), .start(.fade, .seconds(5))])
        #expect(flow.published.cameraList.isEmpty)
        #expect(flow.published.cameraConnectionStatus == .none)
        #expect(!flow.published.bleCameraDIDFetched)
        // The end of the old connection must not disturb the new search.
        #expect(flow.handle(.linkEnded(camera)) == [])
        #expect(flow.published.cameraConnectionStatus == .none)
    }

    @Test("Connecting stops the scan once the camera is ready")
    mutating func connecting() {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera)
        #expect(flow.handle(.connect(camera)) == [.connect(camera), .start(.connection, .seconds(20))])
        #expect(flow.published.cameraConnectionStatus == .none)
        #expect(
            flow.handle(.linkReady(camera, .standard)) == [
                .stop(.scan), .stop(.fade), .stopScanning, .stop(.connection),
            ])
        #expect(flow.published.cameraConnectionStatus == .connected)
        #expect(flow.handle(.connect(camera)) == [])
    }

    @Test("A camera that does not become ready in time is given up")
    mutating func connectionTimesOut() {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera)
        _ = flow.handle(.connect(camera))
        #expect(flow.handle(.expired(.connection)).contains(.cancelConnection(camera)))
        #expect(flow.published.cameraConnectionStatus == .notConnected)
        #expect(flow.published.failure == .connectionTimedOut)
    }

    @Test("Every attempt has an outcome of its own, also the second that fails like the first")
    mutating func secondFailure() {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera)
        for _ in 0..<2 {
            _ = flow.handle(.connect(camera))
            #expect(flow.published.cameraConnectionStatus == .none)
            #expect(flow.published.failure == nil)
            _ = flow.handle(.linkEnded(camera))
            #expect(flow.published.cameraConnectionStatus == .notConnected)
        }
    }

    @Test("While another camera is connected to, the status is not that of the first")
    mutating func switching() {
        makeReady()
        hear(other)
        _ = flow.handle(.startScan)
        _ = flow.handle(.linkEnded(camera))
        hear(camera)
        hear(other)
        _ = flow.handle(.connect(camera))
        _ = flow.handle(.linkReady(camera, .standard))
        _ = flow.handle(.connect(other))
        #expect(flow.published.cameraConnectionStatus == .none)
    }

    @Test(
        "What makes Bluetooth unusable is said before any scan",
        arguments: [
            (CBManagerState.unsupported, CameraPairingError.bluetoothUnsupported),
            (.unauthorized, .bluetoothNotAllowed),
            (.poweredOff, .bluetoothOff),
        ])
    mutating func unusable(state: CBManagerState, failure: CameraPairingError) {
        #expect(flow.handle(.managerState(state, .allowedAlways)) == [])
        #expect(flow.published.failure == failure)
    }

    @Test("Crowds are cut: 128 cameras, 1,024 networks")
    mutating func crowds() {
        powerOn()
        _ = flow.handle(.startScan)
        for _ in 0..<200 { hear(UUID()) }
        #expect(flow.published.cameraList.count == 128)
        makeReady()
        for number in 0..<1500 {
            let network = HeardNetwork(ssid: Data("\(number)".utf8), security: .open, rssi: -50, bands: [])
            _ = flow.handle(.record(.network(network)))
        }
        #expect(flow.published.wifiList.count == 1024)
    }

    @Test("A second camera waits until the first is gone")
    mutating func secondCamera() {
        makeReady()
        _ = flow.handle(.startScan)
        hear(camera)
        hear(other)
        _ = flow.handle(.linkEnded(camera))
        _ = flow.handle(.connect(camera))
        _ = flow.handle(.linkReady(camera, .standard))
        let actions = flow.handle(.connect(other))
        #expect(actions.contains(.cancelConnection(camera)))
        #expect(!actions.contains(.connect(other)))
        #expect(flow.handle(.linkEnded(camera)) == [.connect(other), .start(.connection, .seconds(20))])
    }

    @Test("A camera that is not in the list cannot be chosen")
    mutating func unknownCamera() {
        powerOn()
        #expect(flow.handle(.connect(camera)) == [])
        #expect(flow.handle(.connect(nil)) == [])
        #expect(flow.published.failure == .cameraUnknown)
    }

    @Test("An empty device id is an answer")
    mutating func emptyDeviceID() {
        makeReady()
        #expect(flow.handle(.fetchDeviceID) == [.start(.deviceID, .seconds(15)), .readDeviceID])
        _ = flow.handle(.deviceID(""))
        #expect(flow.published.bleCameraDIDFetched)
        #expect(flow.published.bleCameraDID == "")
    }

    @Test("Commands without a connection say so and do nothing", arguments: 0..<4)
    mutating func commandsNeedConnection(which: Int) {
        powerOn()
        let events: [PairingFlow.Event] = [.fetchDeviceID, .scanNetworks, .guardNetworks, .write(details())]
        #expect(flow.handle(events[which]) == [])
        #expect(flow.published.failure == .notConnected)
    }

    @Test("Of two entries with one name the stronger stays, in its place")
    mutating func networks() {
        makeReady()
        #expect(flow.handle(.scanNetworks) == [.stop(.list), .stop(.pause), .requestNetworks])
        for (name, rssi) in [("Home", -70), ("Café", -40), ("Home", -50), ("Home", -80)] {
            let network = HeardNetwork(ssid: Data(name.utf8), security: .wpa2, rssi: rssi, bands: .twoGigahertz)
            _ = flow.handle(.record(.network(network)))
        }
        #expect(flow.published.wifiList.map(\.ssid) == ["Home", "Café"])
        #expect(flow.published.wifiList.map(\.rssi) == [-50, -40])
    }

    @Test("The guard of the network scan fires only while the list is empty")
    mutating func networkGuard() {
        makeReady()
        _ = flow.handle(.scanNetworks)
        #expect(flow.handle(.guardNetworks) == [.start(.networks, .seconds(90))])
        #expect(flow.handle(.expired(.networks)).contains(.cancelConnection(camera)))
        #expect(flow.published.cameraConnectionStatus == .notConnected)
        #expect(flow.published.failure == .noNetworks)
    }

    @Test("Credentials that cannot be right are not written", arguments: ["short", "", "ünïcode-passphrase"])
    mutating func invalidCredentials(password: String) {
        makeReady()
        let network = HeardNetwork(ssid: Data("Home".utf8), security: .wpa2, rssi: -50, bands: .twoGigahertz)
        _ = flow.handle(.record(.network(network)))
        #expect(flow.handle(.write(details(password: password))) == [])
        guard case .invalidField(let error) = flow.published.failure else {
            Issue.record("expected an invalid field, got \(String(describing: flow.published.failure))")
            return
        }
        #expect(error.field == "password")
    }

    @Test("Acknowledged credentials end the connection, and that is no failure")
    mutating func written() {
        makeReady()
        let actions = flow.handle(.write(details()))
        #expect(actions.count == 2)
        #expect(flow.handle(.written).contains(.cancelConnection(camera)))
        #expect(flow.published.credentialsSent)
        #expect(flow.published.cameraConnectionStatus == .notConnected)
        #expect(flow.published.failure == nil)
    }

    @Test("A refused field is named and the connection stays for another try")
    mutating func refused() {
        makeReady()
        _ = flow.handle(.write(details()))
        let refusal = CameraPairingError.fieldRefused(field: "ssid", refusal: .length)
        #expect(flow.handle(.refused(refusal, inDoubt: false)) == [.stop(.write), .stop(.button), .stop(.list)])
        #expect(flow.published.failure == refusal)
        #expect(flow.published.cameraConnectionStatus == .connected)
    }

    @Test("A refusal in doubt counts once the link has survived it for a second")
    mutating func doubtfulRefusal() {
        let refusal = CameraPairingError.fieldRefused(field: "ssid", refusal: nil)
        for linkEnds in [true, false] {
            makeReady()
            _ = flow.handle(.write(details()))
            #expect(flow.handle(.refused(refusal, inDoubt: true)) == [.start(.doubt, .seconds(1))])
            #expect(flow.published.failure == nil)
            if linkEnds { #expect(flow.handle(.linkEnded(camera)).contains(.stop(.doubt))) }
            _ = flow.handle(.expired(.doubt))
            #expect(flow.published.failure == (linkEnds ? .linkLost : refusal))
            #expect(flow.published.cameraConnectionStatus == (linkEnds ? .notConnected : .connected))
        }
    }

    @Test("Where the link stays, the camera's own word is the outcome, and a failed one can be tried again")
    mutating func outcomeOverTheAir() {
        hand(.chunked)
        #expect(flow.published.credentialsSent)
        #expect(flow.published.cameraConnectionStatus == .connected)
        _ = flow.handle(.write(details()))
        #expect(flow.published.failure == .cameraBusy)
        _ = flow.handle(.state(PairingState(phase: .joining)))
        #expect(flow.published.pairingOutcome == nil)
        #expect(flow.handle(.state(PairingState(phase: .failed, failure: .wrongPassword))) == [.stop(.outcome)])
        #expect(flow.published.pairingOutcome == .failed(.wrongPassword))
        _ = flow.handle(.write(details()))
        #expect(flow.published.pairingOutcome == nil)
        #expect(!flow.published.credentialsSent)
        _ = flow.handle(.written)
        _ = flow.handle(.state(PairingState(phase: .done)))
        #expect(flow.published.pairingOutcome == .joined)
        _ = flow.handle(.linkEnded(camera))
        #expect(flow.published.failure == nil)
        #expect(flow.published.pairingOutcome == .joined)
    }

    @Test("A camera that falls silent with the credentials: what to look at is said", arguments: [true, false])
    mutating func noOutcome(byTime: Bool) {
        hand(.chunked)
        if byTime {
            #expect(flow.handle(.expired(.outcome)).contains(.cancelConnection(camera)))
        } else {
            _ = flow.handle(.linkEnded(camera))
        }
        #expect(flow.published.failure == .noOutcome)
        #expect(flow.published.cameraConnectionStatus == .notConnected)
        #expect(flow.handle(.watchForSetback).last == .start(.setback, .seconds(180)))
    }

    @Test("Credentials written and the camera never heard again; or heard waiting, since it was restarted")
    mutating func neverBack() {
        hand()
        _ = flow.handle(.linkEnded(camera))
        _ = flow.handle(.watchForSetback)
        #expect(flow.handle(.expired(.setback)) == [.stop(.setback), .stopScanning])
        #expect(flow.published.failure == .noOutcome)
        _ = flow.handle(.watchForSetback)
        for _ in 0..<3 {
            #expect(flow.published.failure == nil)
            _ = flow.handle(.discovered(camera, Sighting(rssi: -50, state: PairingState(phase: .waiting))))
        }
        #expect(flow.published.failure == .cameraRestarted)
        #expect(flow.search == .idle)
    }

    @Test("The end of a list: complete, empty, failed, without end, or never")
    mutating func endOfList() {
        let network = HeardNetwork(ssid: Data("Home".utf8), security: .wpa2, rssi: -50, bands: .twoGigahertz)
        makeReady()
        _ = flow.handle(.scanNetworks)
        #expect(flow.handle(.record(.network(network))) == [.stop(.networks), .start(.list, .seconds(30))])
        #expect(!flow.published.wifiListComplete)
        #expect(flow.handle(.record(.end(count: 1))) == [.stop(.list)])
        #expect(flow.published.wifiListComplete)
        _ = flow.handle(.scanNetworks)
        #expect(!flow.published.wifiListComplete)
        _ = flow.handle(.record(.end(count: 0)))
        #expect(flow.published.failure == .noNetworks)
        _ = flow.handle(.scanNetworks)
        _ = flow.handle(.record(.failed))
        #expect(flow.published.failure == .networkScanFailed)
        #expect(flow.published.cameraConnectionStatus == .connected)
        _ = flow.handle(.scanNetworks)
        _ = flow.handle(.record(.network(network)))
        _ = flow.handle(.expired(.list))
        #expect(flow.published.wifiListComplete)
        for _ in 0..<2047 { _ = flow.handle(.record(.network(network))) }
        #expect(flow.published.cameraConnectionStatus == .connected)
        #expect(flow.handle(.record(.network(network))).contains(.cancelConnection(camera)))
        #expect(flow.published.failure == .networkListEndless)
    }

    @Test("A camera that does not say its device id is given up")
    mutating func noAnswer() {
        makeReady()
        _ = flow.handle(.fetchDeviceID)
        #expect(flow.handle(.expired(.deviceID)).contains(.cancelConnection(camera)))
        #expect(flow.published.failure == .noAnswer(to: "the question for its device id"))
    }

    @Test("Power lost in a connection ends it; power lost in a scan makes it wait")
    mutating func powerLost() {
        makeReady()
        _ = flow.handle(.managerState(.poweredOff, .allowedAlways))
        #expect(flow.published.cameraConnectionStatus == .notConnected)
        #expect(flow.published.failure == .bluetoothOff)

        _ = flow.handle(.startScan)
        #expect(flow.handle(.managerState(.poweredOn, .allowedAlways)).first == .startScanning)
        #expect(flow.handle(.managerState(.poweredOff, .allowedAlways)) == [.stop(.scan), .stop(.fade)])
        #expect(flow.published.authorizationStatus == .notAllowed)
        #expect(flow.handle(.managerState(.poweredOn, .allowedAlways)).first == .startScanning)
        #expect(flow.published.authorizationStatus == .allowed)
    }

    @Test("A lost link stops every limit and says so", arguments: [true, false])
    mutating func linkLost(whileReady: Bool) {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera)
        _ = flow.handle(.connect(camera))
        if whileReady { _ = flow.handle(.linkReady(camera, .standard)) }
        #expect(flow.handle(.linkEnded(camera)) == flow.stopLinkTimers)
        #expect(flow.published.failure == .linkLost)
        #expect(flow.published.cameraConnectionStatus == .notConnected)
    }

    @Test("A command after a loss tells of the loss")
    mutating func commandAfterLoss() {
        makeReady()
        _ = flow.handle(.linkEnded(camera))
        #expect(flow.handle(.scanNetworks) == [])
        #expect(flow.published.failure == .linkLost)
    }

    @Test("Disconnecting works in every state")
    mutating func disconnecting() {
        #expect(flow.handle(.disconnect) == [])
        #expect(flow.published.cameraConnectionStatus == .none)
        makeReady()
        #expect(flow.handle(.disconnect).contains(.cancelConnection(camera)))
        #expect(flow.published.cameraConnectionStatus == .notConnected)
        #expect(!flow.handle(.disconnect).contains(.cancelConnection(camera)))
    }
}
