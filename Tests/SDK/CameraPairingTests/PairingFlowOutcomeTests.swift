import CoreBluetooth
import Foundation
import Testing
import Wire

@testable import CameraPairing

@Suite("The pairing flow, as a value: networks, credentials and what comes of them")
struct PairingFlowOutcomeTests: FlowSuite {
    let camera = UUID()
    let other = UUID()
    var flow = PairingFlow()

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
        #expect(actions.first == .stop(.networks), "the guard has done its duty")
        #expect(actions.last == .start(.write, .seconds(30)))
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
}
