import CoreBluetooth
import Foundation
import Testing
import Wire

@testable import CameraPairing

@Suite("The pairing flow, as a value")
struct PairingFlowTests: FlowSuite {
    let camera = UUID()
    let other = UUID()
    var flow = PairingFlow()

    @Test("A scan asked for before power begins when the power comes")
    mutating func scanWaitsForPower() {
        #expect(flow.handle(.startScan) == [])
        #expect(
            flow.handle(.managerState(.poweredOn, .allowedAlways)) == [
                .startScanning, .start(.scan, .seconds(30)), .start(.fade, .seconds(5)),
            ])
        #expect(flow.published.authorizationStatus == .allowed)
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

    @Test("Without Bluetooth nothing is connected to, and that is said at once")
    mutating func connectWithoutPower() {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera)
        for (state, failure) in [
            (CBManagerState.poweredOff, CameraPairingError.bluetoothOff), (.unauthorized, .bluetoothNotAllowed),
            (.resetting, .bluetoothOff),
        ] {
            _ = flow.handle(.managerState(state, .allowedAlways))
            #expect(flow.handle(.connect(camera)) == [])
            #expect(flow.published.failure == failure)
        }
    }

    @Test("Choosing the connected camera again forgets what failed with it before")
    mutating func chosenAgain() {
        makeReady()
        _ = flow.handle(.record(.failed))
        #expect(flow.published.failure == .networkScanFailed)
        #expect(flow.handle(.connect(camera)) == [])
        #expect(flow.published.failure == nil)
        #expect(flow.published.cameraConnectionStatus == .connected)
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
