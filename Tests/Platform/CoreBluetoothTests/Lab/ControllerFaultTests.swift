import Basics
import CoreBluetooth
import Foundation
import Testing

extension FaultTests {
    /// Both controllers vanish at once, as the one stick that carries them would.
    @Suite("Controller pulled and plugged in")
    struct Controller {
        /// The kernel switches off what is pulled, and the daemon may tell of that first.
        private static let before = ["state poweredOff", "disconnected peripheralDisconnected"]

        private func replug(_ pair: FaultPair) async throws {
            try await pair.lab.ask("unplug_controllers")
            await pair.app.events.expect(["state resetting"], possibly: Self.before)
            await pair.camera.events.expect(["state resetting"], possibly: Self.before)
            try await pair.lab.ask("plug_controllers")
            try await pair.expectReturn()
        }

        @Test("while the app scans")
        func scanning() async throws {
            let pair = try await FaultPair()
            pair.app.manager.scanForPeripherals(withServices: [CBUUID(string: "FFF0")])
            try await replug(pair)
            #expect(!pair.app.manager.isScanning)
            try await again(pair)
        }

        @Test("while a value is read")
        func connected() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            pair.camera.behaviour.withLock { $0.answers = false }
            peripheral.readValue(for: try pair.remote(pair.sample.value, of: peripheral))
            _ = try await pair.camera.nextRead()
            async let outcome = pair.app.events.next("the read's end", limit: .seconds(60)) { event in
                if case .value = event { event.label } else { nil }
            }
            try await replug(pair)
            #expect(["value notConnected", "value peripheralDisconnected"].contains(try await outcome))
            #expect(peripheral.state == .disconnected)
            try await again(pair)
        }

        @Test("while the camera advertises, for longer than is hoped")
        func advertising() async throws {
            let pair = try await FaultPair()
            try await pair.lab.ask("unplug_controllers")
            await pair.app.events.expect(["state resetting", "state unsupported"], possibly: Self.before)
            await pair.camera.events.expect(["state resetting", "state unsupported"], possibly: Self.before)
            try await pair.lab.ask("plug_controllers")
            try await pair.expectReturn()
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
