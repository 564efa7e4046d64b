import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// One daemon serves both sides, so both lose it.
    @Suite("bluetoothd killed and started")
    struct Daemon {
        private func restart(_ pair: FaultPair, with signal: String = "KILL", app: [String] = []) async throws {
            try await pair.lab.ask("stop_bluetoothd \(signal)")
            await pair.app.events.expect(app + ["state resetting"])
            await pair.camera.events.expect(["state resetting"])
            #expect(!pair.camera.manager.isAdvertising)
            try await pair.lab.ask("start_bluetoothd")
            try await pair.expectReturn()
            try await pair.publish()
            try await pair.advertise()
            try await pair.worksAgain()
        }

        @Test("while the app scans and the camera advertises")
        func scanning() async throws {
            let pair = try await FaultPair()
            pair.app.manager.scanForPeripherals(withServices: [CBUUID(string: "FFF0")])
            try await restart(pair)
        }

        @Test("while the app connects, a service is added and advertising begins: who was promised an answer gets one")
        func underWay() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.found()
            let other = try LabAir.camera()
            try await other.expectState(.poweredOn)
            try await pair.lab.ask("freeze_bluetoothd")
            pair.app.manager.connect(peripheral)
            other.manager.add(CBMutableService(type: CBUUID(string: "FFF2"), primary: true))
            other.manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FFF2")]])
            try await restart(pair)
            #expect(peripheral.state == .disconnected)
            var told: [String] = []
            while told.count < 3 { told.append(try await other.events.next("answers and the state") { $0.label }) }
            #expect(Set(told) == ["added unknown", "advertising operationCancelled", "state resetting"])
            #expect(!other.manager.isAdvertising)
            try await other.events.expectReturn()
            #expect(other.events.unexpected == [])
        }

        @Test("while services are discovered")
        func discovering() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.connected()
            // The daemon takes a second to know them.
            peripheral.discoverServices(nil)
            try await pair.lab.ask("stop_bluetoothd KILL")
            let answer = try await pair.app.events.next("an answer") { event in
                event.label.flatMap { $0.hasPrefix("services") ? $0 : nil }
            }
            // It may have been quicker than the signal.
            #expect(["services ok", "services notConnected"].contains(answer))
            try await restart(pair)
        }

        @Test("while a value is written and its reading waits: each fails, once")
        func writing() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            pair.camera.behaviour.withLock { $0.answers = false }
            let value = try pair.remote(pair.sample.value, of: peripheral)
            peripheral.writeValue(Data([1]), for: value, type: .withResponse)
            peripheral.readValue(for: value)
            _ = try await pair.camera.nextWrite()
            try await restart(pair, app: ["wrote notConnected", "value notConnected"])
        }

        @Test("while values are sent to a subscriber")
        func subscribed() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            let notifying = try pair.remote(pair.sample.notifying, of: peripheral)
            try await pair.app.setNotify(true, for: notifying)
            _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
            #expect(pair.camera.manager.updateValue(Data([1]), for: pair.sample.notifying, onSubscribedCentrals: nil))
            #expect(try await pair.app.nextValue(of: notifying) == Data([1]))
            try await restart(pair)
            #expect(!notifying.isNotifying)
            #expect(pair.sample.notifying.subscribedCentrals == [])
        }

        @Test("stopped in good order while it serves a connection")
        func terminated() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            try await pair.lab.ask("stop_bluetoothd TERM")
            // It says good-bye to its connections and switches its adapters off before it goes.
            _ = try await pair.app.events.next("the end of the connection") { event in
                event.label.flatMap { $0.hasPrefix("disconnected") || $0 == "state poweredOff" ? $0 : nil }
            }
            #expect(peripheral.state == .disconnected)
            try await pair.lab.ask("start_bluetoothd")
            while try await pair.app.events.nextState() != "state poweredOn" {}
            while try await pair.camera.events.nextState() != "state poweredOn" {}
            try await pair.publish()
            try await pair.advertise()
            try await pair.worksAgain()
        }
    }
}
