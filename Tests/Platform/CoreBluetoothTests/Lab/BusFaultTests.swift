import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension FaultTests {
    @Suite("No message bus, and one that refuses")
    struct Bus {
        @Test("a bus that is killed under a connection comes back")
        func killed() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            pair.camera.behaviour.withLock { $0.answers = false }
            peripheral.writeValue(
                Data([1]), for: try pair.remote(pair.sample.value, of: peripheral), type: .withResponse)
            _ = try await pair.camera.nextWrite()
            try await pair.lab.ask("stop_dbus KILL")
            await pair.app.events.expect(["wrote notConnected", "state resetting"])
            await pair.camera.events.expect(["state resetting"])
            try await pair.lab.ask("restart_dbus")
            try await pair.expectReturn()
            try await pair.publish()
            try await pair.advertise()
            try await pair.worksAgain()
        }

        @Test("managers made without a bus are of no use until there is one")
        func absent() async throws {
            let lab = try #require(LabControl.shared)
            try await lab.clear()
            try await lab.ask("stop_dbus")
            let app = try LabAir.app()
            let camera = try LabAir.camera()
            await app.events.expect(["state unsupported"])
            await camera.events.expect(["state unsupported"])
            try await lab.ask("restart_dbus")
            try await app.events.expectReturn()
            try await camera.events.expectReturn()
            try await FaultPair(lab, camera: camera, app: app).worksAgain()
        }

        @Test("a policy that keeps programs from bluetoothd means unauthorized, until it is changed")
        func denied() async throws {
            let lab = try #require(LabControl.shared)
            try await lab.clear()
            try await lab.ask("deny_bluetooth")
            let app = try LabAir.app()
            let camera = try LabAir.camera()
            await app.events.expect(["state unauthorized"])
            await camera.events.expect(["state unauthorized"])
            app.manager.scanForPeripherals(withServices: nil)
            try await lab.ask("allow_bluetooth")
            try await app.events.expectReturn()
            try await camera.events.expectReturn()
            try await FaultPair(lab, camera: camera, app: app).worksAgain()
        }
    }
}
