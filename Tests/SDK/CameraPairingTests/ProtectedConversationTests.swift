import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@Suite("The protected layout against a scripted camera on the software radio")
struct ProtectedConversationTests {
    private func script(_ change: (inout ScriptedCamera.Script) -> Void = { _ in }) -> ScriptedCamera.Script {
        var script = ScriptedCamera.Script()
        script.layouts = [.protected]
        script.exchange.info.layouts = .protected
        script.exchange.info.capabilities = [.managesWiFi, .setupCode]
        script.exchange.setupCode = "30718529"
        script.networks = [PairingRig.home]
        change(&script)
        return script
    }

    @Test(
        "The whole flow at any MTU, in six requests", arguments: [(23, true), (185, false), (247, true), (517, false)])
    func wholeFlow(mtu: Int, hasCode: Bool) async throws {
        let rig = PairingRig(mtu: mtu)
        rig.ble.requiresProtectedPairing = true
        if hasCode { rig.ble.setupCode = Secret("3071-8529") }
        let camera = try await rig.camera(script())
        try await rig.connect()
        #expect(rig.ble.cameraList.first?.offersProtectedPairing == true)
        #expect(try await rig.ble.deviceId() == "PLC0123456789ABCDEFGHJKA1B2")
        #expect(try await rig.ble.allNetworks().map(\.ssid) == ["Home"])
        try await rig.ble.write(PairingRig.details())
        #expect(try await rig.ble.outcome() == .joined)
        #expect(rig.ble.cameraConnectionStatus == .connected, "nobody but the app ends this link")
        if mtu >= 247 { #expect(camera.attRequests == 6) }
        #expect(
            camera.requests.map(\.kind) == [.hello, .share, .confirm, .scan, .credentials],
            "and the last two were sealed")
        await rig.ble.released()
    }

    @Test("A wrong code is told as such, and the right one gets in afterwards")
    func wrongCode() async throws {
        let rig = PairingRig()
        rig.ble.setupCode = Secret("30718528")
        let camera = try await rig.camera(script())
        #expect(try await rig.failure() == .wrongSetupCode)
        #expect(camera.requests.map(\.kind) == [.hello, .share], "the camera's proof was looked at first")
        rig.ble.setupCode = Secret("30718529")
        try await rig.connect()
        await rig.ble.released()
    }

    @Test("What cannot be a code is not tried")
    func invalidCode() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script())
        rig.ble.setupCode = Secret("1234567")
        let found = try await rig.ble.findCameras()[0]
        await #expect {
            try await rig.ble.connect(found)
        } throws: { error in
            guard case CameraPairingError.invalidSetupCode(let reason)? = error as? CameraPairingError else {
                return false
            }
            return reason.field == "setup code" && !"\(error)".contains("1234567")
        }
        #expect(camera.requests.isEmpty)
        rig.ble.disconnect()
    }

    @Test(
        "What the camera says against a client has errors of its own",
        arguments: [CameraPairingError.setupCodeRequired, .pairingLocked])
    func refusals(error: CameraPairingError) async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(
            script {
                $0.exchange.insistsOnSetupCode = error == .setupCodeRequired
                $0.exchange.isLocked = error == .pairingLocked
            })
        #expect(try await rig.failure() == error)
        camera.vanish()
    }

    @Test(
        "Who insists takes nothing less, whatever the camera or somebody in between offers",
        arguments: [[PairingLayout.standard], [.chunked], [.standard, .chunked]], [true, false])
    func noDowngrade(layouts: [PairingLayout], byCode: Bool) async throws {
        let rig = PairingRig()
        if byCode { rig.ble.setupCode = Secret("30718529") } else { rig.ble.requiresProtectedPairing = true }
        let camera = try await rig.camera(script { $0.layouts = layouts })
        #expect(rig.ble.requiresProtectedPairing)
        #expect(try await rig.failure() == .protectedPairingNotOffered)
        #expect(camera.attRequests == 0, "nothing was said to it")
        camera.vanish()
    }

    @Test("The best of three is taken")
    func best() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(
            script {
                $0.layouts = [.standard, .chunked, .protected]
                $0.exchange.info.layouts = [.standard, .chunked, .protected]
            })
        try await rig.connect()
        #expect(camera.requests.map(\.kind) == [.hello, .share, .confirm])
        camera.vanish()
    }

    @Test("An info that does not list the layout is not believed")
    func unlisted() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script { $0.exchange.info.layouts = .chunked })
        #expect(try await rig.failure() == .layoutHidden)
        camera.vanish()
    }

    @Test("A sealed message that was changed ends the session")
    func tampered() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(script { $0.exchange.tampers = true })
        try await rig.connect()
        rig.ble.updateWifiInfo(wifiInfo: PairingRig.details())
        try await rig.value(rig.ble.$cameraConnectionStatus, "the end") { $0 == .notConnected }
        #expect(rig.ble.failure == .sessionLost)
        #expect(rig.ble.pairingOutcome == nil)
        camera.vanish()
    }

    @Test("What is said in the clear is not believed once there is a key")
    func forged() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(
            script {
                $0.exchange.attempts = [[PairingState(phase: .failed, failure: .wrongPassword)]]
                $0.exchange.forges = .state(PairingState(phase: .done))
            })
        try await rig.connect()
        try await rig.ble.write(PairingRig.details())
        #expect(try await rig.ble.outcome() == .failed(.wrongPassword))
        await rig.ble.released()
        camera.vanish()
    }
}
