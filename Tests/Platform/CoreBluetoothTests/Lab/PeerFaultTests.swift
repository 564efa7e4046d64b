import DBus
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

extension FaultTests {
    @Suite("Peripherals that misbehave")
    struct Peers {
        @Test("gone in the middle of a write: it fails, then the connection")
        func goneAtWrite() async throws {
            let visit = try await PeerFixture()
            let peripheral = try await visit.explored("plain")
            let short = try visit.characteristic(PeerFixture.short, of: peripheral)
            try await visit.tell("plain", "vanish-at-write 1")
            peripheral.writeValue(Data("gone".utf8), for: short, type: .withResponse)
            await visit.app.events.expect(["wrote peripheralDisconnected", "disconnected peripheralDisconnected"])
            #expect(peripheral.state == .disconnected)
            try await visit.worksAgain()
        }

        @Test("gone in the middle of a stream: what was sent has come, in order, and then the end")
        func goneInStream() async throws {
            let visit = try await PeerFixture()
            let peripheral = try await visit.explored("plain")
            let notified = try visit.characteristic(PeerFixture.notified, of: peripheral)
            try await visit.app.setNotify(true, for: notified)
            try await visit.tell("plain", "vanish 1 50")
            try await visit.tell("plain", "notify 100 20 5")
            for index in UInt8(0)..<50 {
                #expect(try await visit.app.nextValue(of: notified).first == index)
            }
            await visit.app.events.expect(["disconnected peripheralDisconnected"])
            #expect(!notified.isNotifying)
            try await visit.worksAgain()
        }

        @Test("never answers: others are served meanwhile, it is given up after 30 s, and called off at once")
        func neverAnswers() async throws {
            let visit = try await PeerFixture()
            let mute = try await visit.find("mute")
            try await visit.app.connect(mute)
            mute.discoverServices(nil)
            let plain = try await visit.explored("plain")
            #expect(try await visit.app.read(visit.characteristic(PeerFixture.short, of: plain)) == Data("short".utf8))
            visit.app.manager.cancelPeripheralConnection(plain)
            await visit.app.events.expect(["disconnected ok"])
            await visit.app.events.expect(
                ["services peripheralDisconnected", "disconnected peripheralDisconnected"], limit: .seconds(60))
            try await visit.app.connect(mute)
            mute.discoverServices(nil)
            visit.app.manager.cancelPeripheralConnection(mute)
            await visit.app.events.expect(["services operationCancelled", "disconnected ok"])
            try await visit.worksAgain()
        }

        @Test("drops the link at the first request, each time")
        func drops() async throws {
            let visit = try await PeerFixture()
            let dropper = try await visit.find("dropper")
            dropper.delegate = visit.app
            for _ in 0..<2 {
                visit.app.manager.connect(dropper)
                await visit.app.events.expect(["connected", "disconnected peripheralDisconnected"])
                #expect(dropper.state == .disconnected)
            }
            try await visit.worksAgain()
        }

        @Test("fails to be connected twice (le-connection-abort-by-local): it is tried again unasked")
        func flaky() async throws {
            let visit = try await PeerFixture()
            let flaky = try await visit.find("flaky")
            visit.app.manager.connect(flaky)
            await visit.app.events.expect(["connected"])
            visit.app.manager.cancelPeripheralConnection(flaky)
            await visit.app.events.expect(["disconnected ok"])
            try await visit.worksAgain(with: "flaky")
        }

        @Test("cannot be connected: waited for until it is called off")
        func shy() async throws {
            let visit = try await PeerFixture()
            let shy = try await visit.find("shy")
            visit.app.manager.connect(shy)
            try await visit.worksAgain()
            #expect(shy.state == .connecting)
            visit.app.manager.cancelPeripheralConnection(shy)
            await visit.app.events.expect(["disconnected ok"])
        }

        @Test("changes its attributes unannounced: a visit may fail, none brings a wrong value, and soon one succeeds")
        func stale() async throws {
            let visit = try await PeerFixture()
            // The table changes with each connection, while the daemon goes by the one that it has read before.
            var values: [Data] = []
            for _ in 0..<6 where values.count < 2 {
                let peripheral = try await visit.explored("stale")
                if let short = try? visit.characteristic(PeerFixture.short, of: peripheral) {
                    do {
                        values.append(try await visit.app.read(short))
                    } catch let error as CBATTError {
                        #expect(error.code == .invalidHandle || error.code == .readNotPermitted)
                    }
                }
                visit.app.manager.cancelPeripheralConnection(peripheral)
                await visit.app.events.expect(["disconnected ok"])
            }
            #expect(values == [Data("short".utf8), Data("short".utf8)])
            try await visit.worksAgain()
        }

        @Test("another program connects to it already (InProgress)")
        func inProgress() async throws {
            let visit = try await PeerFixture()
            let plain = try await visit.find("plain")
            try await visit.tell("plain", "advertise off")
            // As any other program would: a connection to the bus of its own.
            let queue = DispatchQueue(label: "test.other")
            let other = try queue.sync { try BusConnection(.system, queue: queue) }
            let answers = Recorder<String>()
            queue.sync {
                _ = other.call(
                    BlueZ.service, "/org/bluez/hci0/dev_C0_00_00_00_01_01", BlueZ.device, "Connect",
                    timeout: .seconds(60)
                ) { answers.record("\($0)") }
            }
            visit.app.manager.connect(plain)
            try await visit.tell("plain", "advertise on")
            await visit.app.events.expect(["connected"])
            _ = try await answers.next("the answer to the other program") { $0 }
            visit.app.manager.cancelPeripheralConnection(plain)
            await visit.app.events.expect(["disconnected ok"])
            queue.sync { other.close() }
            try await visit.worksAgain()
        }

        @Test("the adapter is switched off during a write: it fails, once, before the state changes")
        func switchedOff() async throws {
            let visit = try await PeerFixture()
            let peripheral = try await visit.explored("plain")
            try await visit.tell("plain", "mute")
            peripheral.writeValue(
                Data("lost".utf8), for: try visit.characteristic(PeerFixture.short, of: peripheral), type: .withResponse
            )
            try await visit.lab.ask("power hci0 off")
            await visit.expectFailure("wrote")
            await visit.app.events.expect(["state poweredOff"], possibly: ["disconnected peripheralDisconnected"])
            #expect(peripheral.state == .disconnected)
            try await visit.lab.ask("power hci0 on")
            await visit.app.events.expect(["state poweredOn"])
            try await visit.worksAgain()
        }

        @Test("the controller is pulled out while a value is read: it fails, once")
        func pulled() async throws {
            let visit = try await PeerFixture()
            let peripheral = try await visit.explored("plain")
            try await visit.tell("plain", "mute")
            peripheral.readValue(for: try visit.characteristic(PeerFixture.short, of: peripheral))
            try await visit.lab.ask("stop_peer peers KILL")
            await visit.expectFailure("value")
            await visit.app.events.expect(
                ["state resetting"], possibly: ["state poweredOff", "disconnected peripheralDisconnected"])
            #expect(peripheral.state == .disconnected)
            try await visit.lab.ask("start_peer peers peripheral \(PeerFixture.characters)")
            try await visit.lab.ask("heal")
            try await visit.app.events.expectReturn()
            try await visit.worksAgain()
        }
    }

    @Suite("Advertisements by the hundred, and broken ones", .serialized)
    struct Crowd {
        @Test("200 advertisers are found, each once, with what each says")
        func crowd() async throws {
            let visit = try await PeerFixture()
            try await visit.lab.ask("start_peer crowd advertiser --crowd 200 --interval 3")
            try await visit.lab.ask("heal")
            let app = try await LabAir.readyApp(on: "F0:00:00:00:00:03")
            app.manager.scanForPeripherals(withServices: nil)
            var identifiers: [UUID: Int] = [:]
            var named: Set<Int> = []
            while named.count < 200 {
                let (peripheral, heard) = try await app.events.next(
                    "advertiser \(named.count + 1)", limit: .seconds(60)
                ) {
                    if case .discovered(let peripheral, let heard) = $0 { (peripheral, heard) } else { nil }
                }
                let number = try #require(heard.manufacturer.flatMap(Self.number))
                #expect(heard.rssi == -40 - number % 60)
                #expect(heard.services == [PeerTable.values])
                // Once, or a second time for the sake of a name that came after the rest.
                #expect(identifiers.updateValue(number, forKey: peripheral.identifier) == nil || heard.name != nil)
                guard let name = heard.name else { continue }
                #expect(name == "crowd-\(String(repeating: "0", count: 3 - "\(number)".count))\(number)")
                #expect(named.insert(number).inserted)
            }
            #expect(identifiers.count == 200)
            #expect(Set(identifiers.values) == Set(0..<200))
            app.manager.stopScan()
            app.release()
            try await visit.lab.ask("stop_peer crowd")
            try await visit.worksAgain()
        }

        /// What follows the company in the manufacturer data of one of the crowd.
        private static func number(_ data: Data) -> Int? {
            guard data.count == 6, data.starts(with: [0xFF, 0xFF]) else { return nil }
            return data.dropFirst(2).reversed().reduce(0) { $0 << 8 | Int($1) }
        }

        @Test("malformed and cut advertisements do no harm, and the longest are heard whole")
        func odd() async throws {
            let visit = try await PeerFixture()
            try await visit.lab.ask("start_peer odd advertiser --odd --interval 1")
            try await visit.lab.ask("heal")
            let app = try await LabAir.readyApp(on: "F0:00:00:00:00:03")
            app.manager.scanForPeripherals(withServices: nil)
            var found: Set<UUID> = []
            var longest: CentralProbe.Heard?
            var names: Set<String> = []
            // A scan response, such as the longest name, may be told of after the rest.
            while found.count < 21 || longest?.name == nil {
                let (peripheral, heard) = try await app.events.next(
                    "advertiser \(found.count + 1) of 21", limit: .seconds(30)
                ) { event in
                    if case .discovered(let peripheral, let heard) = event { (peripheral, heard) } else { nil }
                }
                found.insert(peripheral.identifier)
                if let name = heard.name { names.insert(name) }
                if heard.manufacturer == Data([0xFF, 0xFF] + (0..<27)) { longest = heard }
            }
            #expect(found.count == 21)
            let name = String(repeating: "n", count: 29)
            #expect(longest?.name == name)
            // A cut name is none. Of one that is no text, the daemon leaves what is ASCII.
            #expect(names.isSubset(of: ["odd!", "(", name]))
            app.manager.stopScan()
            app.release()
            try await visit.lab.ask("stop_peer odd")
            try await visit.worksAgain()
        }
    }
}
