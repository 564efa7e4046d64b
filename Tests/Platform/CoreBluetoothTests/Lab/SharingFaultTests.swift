import CoreBluetooth
import Foundation
import Glibc
import TestSupport
import Testing

extension FaultTests {
    /// A controller of btvirt has one link, which all of them use.
    @Suite("Two centrals on one adapter")
    struct Sharing {
        @Test("two managers of one process: the link ends with the last")
        func oneProcess() async throws {
            let pair = try await FaultPair()
            let first = try await pair.explored()
            let other = try await LabAir.readyApp()
            // Already connected, so it sends no advertisements that a scan could hear.
            let known = other.manager.retrievePeripherals(withIdentifiers: [first.identifier])
            let retrieved = other.manager.retrieveConnectedPeripherals(withServices: [FaultService.uuid])
            let second = try #require(retrieved.first ?? known.first)
            try await other.connect(second)
            try await other.discoverAll(second)
            let fixed = try pair.remote(pair.sample.fixed, of: second)
            #expect(try await other.read(fixed) == Data("Porchlight".utf8))
            pair.app.manager.cancelPeripheralConnection(first)
            await pair.app.events.expect(["disconnected ok"])
            #expect(try await other.read(fixed) == Data("Porchlight".utf8))
            other.manager.cancelPeripheralConnection(second)
            await other.events.expect(["disconnected ok"])
            #expect(other.events.unexpected == [])
            try await BlueZDaemon().disconnected()
            try await pair.worksAgain()
        }

        @Test("two processes: one is killed, the other goes on")
        func twoProcesses() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            let value = try pair.remote(pair.sample.value, of: peripheral)
            async let child: ExitTest.Result? = #expect(processExitsWith: .signal(SIGKILL)) {
                let app = try await LabAir.readyApp()
                let retrieved = app.manager.retrieveConnectedPeripherals(withServices: [FaultService.uuid])
                let peripheral = try #require(retrieved.first)
                try await app.connect(peripheral)
                try await app.discoverAll(peripheral)
                let characteristics = peripheral.services?.flatMap { $0.characteristics ?? [] } ?? []
                let value = try #require(characteristics.first { $0.properties.contains(.write) })
                try await app.write(Data("from the child".utf8), to: value)
                kill(getpid(), SIGKILL)
            }
            let write = try await pair.camera.events.next("the child's write", limit: .seconds(60)) { event in
                if case .write(let requests) = event { requests.first?.value } else { nil }
            }
            #expect(write == Data("from the child".utf8))
            _ = await child
            try await pair.app.write(Data("still here".utf8), to: value)
            #expect(try await pair.camera.nextWrite().first?.value == Data("still here".utf8))
            pair.app.manager.cancelPeripheralConnection(peripheral)
            await pair.app.events.expect(["disconnected ok"])
            try await pair.worksAgain()
        }

        @Test("another program scans and stops: our scan goes on")
        func otherScan() async throws {
            let pair = try await FaultPair()
            pair.app.manager.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
            let other = try await LabAir.readyApp()
            _ = try await pair.found(by: other)
            other.release()
            let later = CBUUID(string: "FFF1")
            pair.camera.manager.stopAdvertising()
            try await pair.advertise(later)
            _ = try await pair.heard(by: pair.app, service: later)
            pair.app.manager.stopScan()
            pair.camera.manager.stopAdvertising()
            try await pair.advertise()
            try await pair.worksAgain()
        }

        @Test("the camera's program is started anew under a connection: it is found by its service again")
        func restartedCamera() async throws {
            let pair = try await FaultPair()
            let peripheral = try await pair.explored()
            pair.camera.release()
            await pair.app.events.expect(["modified"])
            pair.app.manager.cancelPeripheralConnection(peripheral)
            await pair.app.events.expect(["disconnected ok"])
            let camera = try LabAir.camera()
            try await camera.expectState(.poweredOn)
            try await FaultPair(pair.lab, camera: camera, app: pair.app).worksAgain()
        }
    }
}
