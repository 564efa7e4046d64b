import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// Both controllers vanish at once, as the one stick that carries them would.
    @Suite("Controller pulled and plugged in")
    struct Controller {
        /// The kernel switches off what is pulled, and the daemon may tell of that first.
        private func unplug(_ pair: FaultPair, _ states: [String]) async throws {
            try await pair.lab.ask("unplug_controllers")
            await pair.app.events.expect(states, possibly: ["state poweredOff", "disconnected peripheralDisconnected"])
            await pair.camera.events.expect(states, possibly: ["state poweredOff", "unsubscribed"])
        }

        private func plug(_ pair: FaultPair) async throws {
            try await pair.lab.ask("plug_controllers")
            try await pair.expectReturn()
        }

        // Not while the camera owes an answer: BlueZ 5.66 crashes when an adapter goes on which a central waits for one.
        // What becomes of the app's requests is shown at a peer that bluetoothd does not serve itself.
        @Test("while the app is connected and subscribed")
        func subscribed() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            let notifying = try pair.remote(pair.sample.notifying, of: peripheral)
            try await pair.app.setNotify(true, for: notifying)
            _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
            try await unplug(pair, ["state resetting"])
            #expect(peripheral.state == .disconnected)
            #expect(!notifying.isNotifying)
            #expect(pair.sample.notifying.subscribedCentrals == [])
            try await plug(pair)
            try await again(pair)
        }

        @Test("while the app scans and the camera advertises, for longer than is hoped")
        func scanning() async throws {
            let pair = try await FaultPair()
            pair.app.manager.scanForPeripherals(withServices: [CBUUID(string: "FFF0")])
            try await unplug(pair, ["state resetting", "state unsupported"])
            #expect(!pair.app.manager.isScanning)
            #expect(!pair.camera.manager.isAdvertising)
            try await plug(pair)
            try await again(pair)
        }

        /// Below `poweredOff` the services are gone, as on Apple's systems.
        private func again(_ pair: FaultPair) async throws {
            try await pair.publish()
            try await pair.advertise()
            try await pair.worksAgain()
        }
    }
}
