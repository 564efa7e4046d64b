import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// hci0 is the app's adapter, hci1 the camera's. What becomes of a write is shown at a peer that bluetoothd does not
    /// serve itself: BlueZ 5.66 crashes when it has lost the connection of a central to whose request the camera owes an
    /// answer.
    @Suite("Adapter switched off and on")
    struct Adapter {
        private func off(_ pair: FaultPair) async throws {
            try await pair.lab.ask("power hci0 off")
            // The daemon ends connections before it tells of the adapter, and does not say why.
            await pair.app.events.expect(["state poweredOff"], possibly: ["disconnected peripheralDisconnected"])
        }

        private func on(_ pair: FaultPair) async throws {
            try await pair.lab.ask("power hci0 on")
            await pair.app.events.expect(["state poweredOn"])
        }

        @Test("during a scan: the scan is over, and a new one finds")
        func scan() async throws {
            let pair = try await FaultPair()
            pair.app.manager.scanForPeripherals(withServices: [CBUUID(string: "FFF0")])
            try await off(pair)
            #expect(!pair.app.manager.isScanning)
            try await on(pair)
            try await pair.worksAgain()
        }

        @Test("during an attempt to connect: the attempt is over, and a new one connects")
        func attempt() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.found()
            // Nothing tells when an advertisement is off the air, but for the end of its adapter.
            try await pair.lab.ask("power hci1 off")
            await pair.camera.events.expect(["state poweredOff"])
            pair.app.manager.connect(peripheral)
            #expect(peripheral.state == .connecting)
            try await off(pair)
            #expect(peripheral.state == .disconnected)
            try await on(pair)
            try await pair.lab.ask("power hci1 on")
            await pair.camera.events.expect(["state poweredOn"])
            try await pair.worksAgain()
        }

        @Test("during a connection: its services are gone, and it can be made again")
        func connection() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            try await off(pair)
            #expect(peripheral.state == .disconnected)
            #expect(peripheral.services == nil)
            try await on(pair)
            try await pair.worksAgain()
        }

        @Test("between a command and its execution (NotReady): nothing is left hanging")
        func notReady() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.found()
            pair.app.queue.suspend()
            pair.app.manager.scanForPeripherals(withServices: nil)
            pair.app.manager.connect(peripheral)
            let isOff = await Task { try await pair.lab.ask("power hci0 off") }.result
            pair.app.queue.resume()
            _ = try isOff.get()
            await pair.app.events.expect(["state poweredOff"])
            #expect(peripheral.state == .disconnected)
            try await on(pair)
            try await pair.worksAgain()
        }

        @Test("the camera's, while it advertises: it goes on by itself")
        func advertising() async throws {
            let pair = try await FaultPair()
            try await pair.lab.ask("power hci1 off")
            await pair.camera.events.expect(["state poweredOff"])
            #expect(!pair.camera.manager.isAdvertising)
            try await pair.lab.ask("power hci1 on")
            await pair.camera.events.expect(["state poweredOn"])
            try await pair.worksAgain()
            #expect(pair.camera.manager.isAdvertising)
        }

        @Test("the camera's, while it serves: the app hears of it, the services stay")
        func serving() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            try await pair.app.setNotify(true, for: pair.remote(pair.sample.notifying, of: peripheral))
            _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
            try await pair.lab.ask("power hci1 off")
            await pair.app.events.expect(["disconnected peripheralDisconnected"])
            await pair.camera.events.expect(["state poweredOff"], possibly: ["unsubscribed"])
            #expect(pair.sample.notifying.subscribedCentrals == [])
            try await pair.lab.ask("power hci1 on")
            await pair.camera.events.expect(["state poweredOn"])
            try await pair.worksAgain()
        }
    }
}
