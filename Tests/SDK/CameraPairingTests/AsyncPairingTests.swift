import Basics
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraPairing

@Suite("Pairing as one call, and the cameras as a sequence")
struct AsyncPairingTests {
    private static func script(_ layout: PairingLayout) -> ScriptedCamera.Script {
        var script = ScriptedCamera.Script()
        script.layouts = [layout]
        script.exchange.info.layouts = .init(layout)
        script.networks = [PairingRig.home]
        return script
    }

    // MARK: cameras()

    @Test("Each camera comes once, with its name, and a connection ends the sequence")
    func cameras() async throws {
        let rig = PairingRig()
        var names: [String] = ["PORCH-A1B2", "PORCH-C3D4", "PORCH-E5F6"]
        var cameras: [ScriptedCamera] = []
        for name in names {
            var script = ScriptedCamera.Script()
            script.name = name
            cameras.append(try await rig.camera(script))
        }
        let found = try await within(.seconds(60), "three cameras and the end") { [ble = rig.ble] in
            var found: [String] = []
            for await camera in ble.cameras() {
                found.append(camera.name)
                if found.count == 3 { try await ble.connect(camera) }
            }
            return found
        }
        names = ["Camera A1B2", "Camera C3D4", "Camera E5F6"]
        #expect(found.sorted() == names)
        #expect(!rig.ble.listens)
        await rig.ble.released()
    }

    @Test("With nothing in the air the sequence ends with the scan; only our devices are cameras")
    func nothing() async throws {
        let rig = PairingRig()
        let foreign = try await rig.foreignDevice()
        let search = Task { [ble = rig.ble] in await ble.cameras().reduce(into: []) { $0.append($1) } }
        try await within(.seconds(60), "the limit") { [clock = rig.clock] in await clock.sleeper(for: .seconds(30)) }
        rig.clock.advance(by: .seconds(30))
        #expect(try await within(.seconds(60), "the end") { await search.value } == [])
        #expect(rig.ble.noCameraFound)
        foreign.stop()
    }

    @Test("Leaving the loop, and cancelling it, end the search", arguments: [true, false])
    func leaving(byCancelling: Bool) async throws {
        let rig = PairingRig()
        let camera = try await rig.camera()
        let search = Task { [ble = rig.ble] in
            for await _ in ble.cameras() where !byCancelling { break }
        }
        try await rig.value(rig.ble.$cameraList, "the camera") { !$0.isEmpty }
        if byCancelling { search.cancel() }
        try await within(.seconds(60), "the end of the loop") { await search.value }
        try await rig.value(rig.ble.$isListening, "the end of the search") { !$0 }
        #expect(rig.ble.cameraList.count == 1, "what was found stays")
        camera.vanish()
    }

    @Test("Another search ends the sequence of the one before, and is not ended by it")
    func another() async throws {
        let rig = PairingRig()
        let first = Task { [ble = rig.ble] in for await _ in ble.cameras() {} }
        try await rig.value(rig.ble.$isListening, "the first") { $0 }
        let second = rig.ble.cameras()
        try await within(.seconds(60), "the end of the first") { await first.value }
        #expect(rig.ble.listens)
        withExtendedLifetime(second) {}
        rig.ble.disconnect()
    }

    // MARK: pair(…)

    @Test("One call pairs, and tells of its steps", arguments: PairingLayout.allCases)
    func pairs(layout: PairingLayout) async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(Self.script(layout))
        let steps = Locked<[String]>([])
        let paired = try await within(.seconds(60), "the pairing") { [ble = rig.ble] in
            try await ble.pair { candidate in
                #expect(candidate.deviceId == "PLC0123456789ABCDEFGHJKA1B2")
                #expect(candidate.networks.map(\.ssid) == ["Home"])
                #expect(candidate.lastFailure == nil)
                return PairingRig.details()
            } progress: { step in
                steps.withLock { $0.append(String("\(step)".prefix { $0.isLetter })) }
            }
        }
        #expect(paired.deviceId == "PLC0123456789ABCDEFGHJKA1B2")
        #expect(paired.camera.name == "Camera A1B2")
        #expect(paired.hasJoined == (layout != .standard))
        #expect(
            steps.withLock { $0 } == [
                "searching", "connecting", "readingDeviceId", "listingNetworks", "choosingCredentials",
                "sendingCredentials",
            ] + (layout == .standard ? [] : ["joining", "registering"]))
        try await within(.seconds(60), "the end of the link") { await camera.left() }
        #expect(!rig.ble.hasLink, "the radio is free when the call returns")
    }

    @Test("After a failure the app is asked again, as often as it allows", arguments: [1, 2])
    func attempts(attempts: Int) async throws {
        var script = Self.script(.protected)
        script.exchange.attempts = [
            [PairingState(phase: .joining), PairingState(phase: .failed, failure: .wrongPassword)],
            [PairingState(phase: .joining), PairingState(phase: .done)],
        ]
        let rig = PairingRig()
        let camera = try await rig.camera(script)
        let reasons = Locked<[PairingFailure?]>([])
        let pairing = Task { [ble = rig.ble] in
            try await ble.pair(attempts: attempts) { candidate in
                reasons.withLock { $0.append(candidate.lastFailure) }
                return PairingRig.details()
            }
        }
        let result = try await within(.seconds(60), "the pairing") { await pairing.result }
        if attempts == 1 {
            #expect(throws: CameraPairingError.notJoined(.wrongPassword)) { try result.get() }
        } else {
            #expect(try result.get().hasJoined)
        }
        let expected: [PairingFailure?] = [nil, .wrongPassword]
        #expect(reasons.withLock { $0 } == Array(expected[..<attempts]))
        try await within(.seconds(60), "the end of the link") { await camera.left() }
    }

    @Test("A camera that is lost while the app chooses ends the call, and the app's task")
    func lostMeanwhile() async throws {
        let rig = PairingRig()
        let camera = try await rig.camera(Self.script(.chunked))
        let wasCancelled = Locked(false)
        await #expect(throws: CameraPairingError.linkLost) {
            try await within(.seconds(60), "the loss") { [ble = rig.ble] in
                _ = try await ble.pair { _ in
                    camera.vanish()
                    await withTaskCancellationHandler {
                        for await _ in AsyncStream<Never>.makeStream().stream {}
                    } onCancel: {
                        wasCancelled.withLock { $0 = true }
                    }
                    return PairingRig.details()
                }
            }
        }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test("What the app throws ends the call and frees the radio")
    func appGivesUp() async throws {
        struct Enough: Error {}
        let rig = PairingRig()
        let camera = try await rig.camera(Self.script(.protected))
        await #expect(throws: Enough.self) {
            try await rig.ble.pair { _ in throw Enough() }
        }
        #expect(!rig.ble.hasLink)
        try await within(.seconds(60), "the end of the link") { await camera.left() }
    }

    /// The steps by name, those of the standard layout first.
    private static let steps = [
        "searching", "connecting", "readingDeviceId", "listingNetworks", "choosingCredentials", "sendingCredentials",
        "joining", "registering",
    ]

    // The camera says where it is and not how it ends, so that the call still waits when it is cancelled.
    @Test(
        "Cancelled at each step the call leaves the radio free and the camera ready to be paired",
        arguments: PairingLayout.allCases, steps)
    func cancelling(layout: PairingLayout, step: String) async throws {
        if layout == .standard, step == "joining" || step == "registering" { return }
        let rig = PairingRig()
        let camera = try await rig.camera(Self.script(layout))
        camera.holdsBackTheEnd = true
        let pairing = Locked<Task<PairedCamera, any Error>?>(nil)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let task = Task { [ble = rig.ble] in
            for await _ in gate { break }
            return try await ble.pair { _ in
                try Task.checkCancellation()
                return PairingRig.details()
            } progress: { begun in
                if "\(begun)".hasPrefix(step) { pairing.withLock { $0 }?.cancel() }
            }
        }
        pairing.withLock { $0 = task }
        open.yield()
        let result = try await within(.seconds(60), "the end") { await task.result }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(!rig.ble.hasLink)
        #expect(!rig.ble.listens)
        let index = try #require(Self.steps.firstIndex(of: step))
        if index >= 2 { try await within(.seconds(60), "the end of the link") { await camera.left() } }
        if index <= 5 {
            #expect(camera.fields[.ssid] == nil)
            #expect(!camera.requests.contains { $0.kind == .credentials })
        }
        camera.holdsBackTheEnd = false
        // The same camera is found and paired at the next attempt.
        let again = try await within(.seconds(60), "the next attempt") { [ble = rig.ble] in
            try await ble.pair { _ in PairingRig.details() }
        }
        #expect(again.deviceId == "PLC0123456789ABCDEFGHJKA1B2")
    }
}
