import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraPairing

/// The common problems of seed 000, each caused, each with an error of its own that says what to do.
@Suite("Common problems")
struct DiagnosticsTests {
    private func script(_ layout: PairingLayout, attempts: [[PairingState]] = [[]]) -> ScriptedCamera.Script {
        var script = ScriptedCamera.Script()
        script.layouts = [layout]
        script.exchange.info.layouts = .init(layout)
        script.exchange.attempts = attempts
        return script
    }

    @Test("Bluetooth is off: said at once, not after the scan's limit; and the scan goes on with the power")
    func poweredOff() async throws {
        let conditions = RadioConditions()
        conditions.isPowered = false
        let rig = PairingRig(conditions: conditions)
        await #expect(throws: CameraPairingError.bluetoothOff) {
            try await within(.seconds(60), "the reason") { [ble = rig.ble] in _ = try await ble.findCameras() }
        }
        #expect(rig.ble.cBManagerState == .poweredOff)
        #expect(!rig.ble.noCameraFound)
        conditions.isPowered = true
        let camera = try await rig.camera()
        try await rig.value(rig.ble.$cameraList, "the camera") { !$0.isEmpty }
        #expect(rig.ble.failure == nil)
        camera.vanish()
        rig.ble.disconnect()
    }

    @Test("Switched off during a scan: not allowed by the word of the seed, and off by the state")
    func switchedOff() async throws {
        let conditions = RadioConditions()
        let rig = PairingRig(conditions: conditions)
        rig.ble.startScan()
        try await rig.value(rig.ble.$cBManagerState, "the power") { $0 == .poweredOn }
        #expect(try await rig.value(rig.ble.$authorizationStatus, "permission") { $0 != .none } == .allowed)
        conditions.isPowered = false
        try await rig.value(rig.ble.$authorizationStatus, "the loss") { $0 == .notAllowed }
        #expect(rig.ble.cBManagerState == .poweredOff)
        #expect(rig.ble.failure == .bluetoothOff)
        conditions.isPowered = true
        try await rig.value(rig.ble.$authorizationStatus, "the return") { $0 == .allowed }
        rig.ble.disconnect()
    }

    @Test(
        "Denied and restricted are not 'off'",
        arguments: [CBManagerAuthorization.denied, .restricted, .notDetermined])
    func denied(authorization: CBManagerAuthorization) {
        var flow = PairingFlow()
        _ = flow.handle(.startScan)
        _ = flow.handle(.managerState(.unauthorized, authorization))
        #expect(flow.published.authorizationStatus == (authorization == .notDetermined ? .none : .notAllowed))
        #expect(flow.published.failure == .bluetoothNotAllowed)
        #expect(!flow.published.noCameraFound)
    }

    @Test("A list that is empty: at once when the camera says so, on each layout", arguments: PairingLayout.allCases)
    func emptyList(layout: PairingLayout) async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script(layout))
        try await rig.connect()
        await #expect(throws: CameraPairingError.noNetworks) {
            try await within(.seconds(60), "the end") { [ble = rig.ble] in _ = try await ble.allNetworks() }
        }
        #expect(rig.ble.cameraConnectionStatus == .connected, "for a rescan")
        camera.vanish()
    }

    @Test("Credentials written and nothing heard any more", arguments: PairingLayout.allCases)
    func noCamera(layout: PairingLayout) async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script(layout))
        try await rig.connect()
        try await rig.ble.write(PairingRig.details())
        camera.fallSilent()
        let limit: Duration = layout == .standard ? .seconds(180) : .seconds(120)
        let wait = Task { [ble = rig.ble] in
            if layout == .standard {
                _ = try await ble.setbackOfCamera()
            } else {
                _ = try await ble.outcome()
            }
        }
        try await within(.seconds(60), "the limit") { [clock = rig.clock] in await clock.sleeper(for: limit) }
        rig.clock.advance(by: limit)
        let result = try await within(.seconds(60), "the reason") { await wait.result }
        #expect(throws: CameraPairingError.noOutcome) { try result.get() }
        #expect(!rig.ble.listens)
        camera.vanish()
    }

    @Test("A camera that waits again with nothing was restarted")
    func restarted() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script(.standard))
        try await rig.connect()
        try await rig.ble.write(PairingRig.details())
        // The scripted camera goes on advertising that it waits, as one that has lost what it was told.
        await #expect(throws: CameraPairingError.cameraRestarted) {
            try await within(.seconds(60), "the sign") { [ble = rig.ble] in _ = try await ble.setbackOfCamera() }
        }
        camera.vanish()
    }

    @Test("No error, event or action shows a secret")
    func secrets() throws {
        let details = WiFiDetailModel(
            ssid: "Home", password: "canary-password", sessionKey: "canary-session-key", env: "production", region: "us"
        )
        var flow = PairingFlow()
        _ = flow.handle(.managerState(.poweredOn, .allowedAlways))
        _ = flow.handle(.startScan)
        let camera = UUID()
        _ = flow.handle(.discovered(camera, Sighting(rssi: -50)))
        _ = flow.handle(.connect(camera))
        _ = flow.handle(.linkReady(camera, .protected))
        let event = PairingFlow.Event.write(details)
        let actions = flow.handle(event)
        #expect(actions.contains { if case .write = $0 { true } else { false } })
        let network = NetworkListRecord.network(PairingRig.home)
        var refusing = flow
        _ = refusing.handle(.refused(.cameraBusy, inDoubt: false))
        _ = refusing.handle(.record(network))
        var short = details
        short.password = "canary"
        _ = refusing.handle(.write(short))
        #expect(refusing.published.failure != .cameraBusy)
        let wishes = try PairingWishes(requiresProtection: false, code: Secret("30718529"))
        for value in [event, actions, flow, refusing, details, wishes] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("canary"))
                #expect(!text.contains("30718529"))
            }
        }
    }
}
