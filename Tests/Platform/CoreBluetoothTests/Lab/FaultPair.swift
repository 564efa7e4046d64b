import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// What the camera of the fault tests offers.
struct FaultService {
    static let uuid = CBUUID(string: "0F7A0001-6A2B-4B8E-9C1D-5A3E7C9B2D10")

    let service = CBMutableService(type: FaultService.uuid, primary: true)
    let fixed = CBMutableCharacteristic(
        type: CBUUID(string: "2A29"), properties: .read, value: Data("Porchlight".utf8), permissions: .readable)
    /// Answered by the application. Without writes without response, because bluetoothd confirms writes by itself then.
    let value = CBMutableCharacteristic(
        type: CBUUID(string: "0F7A0002-6A2B-4B8E-9C1D-5A3E7C9B2D10"), properties: [.read, .write], value: nil,
        permissions: [.readable, .writeable])
    let notifying = CBMutableCharacteristic(
        type: CBUUID(string: "0F7A0003-6A2B-4B8E-9C1D-5A3E7C9B2D10"), properties: .notify, value: nil,
        permissions: .readable)

    init() { service.characteristics = [fixed, value, notifying] }
}

/// An app on one adapter and a camera on another, to which faults are done.
struct FaultPair {
    static let name = "camera"

    let lab: LabControl
    let sample = FaultService()
    let camera: PeripheralProbe
    let app: CentralProbe

    /// Both radios on, the camera advertising.
    init() async throws {
        let lab = try #require(LabControl.shared)
        try await lab.clear()
        let camera = try LabAir.camera()
        try await camera.expectState(.poweredOn)
        try await self.init(lab, camera: camera, app: try await LabAir.readyApp())
    }

    /// Of managers whose radios are on.
    init(_ lab: LabControl, camera: PeripheralProbe, app: CentralProbe) async throws {
        self.lab = lab
        self.camera = camera
        self.app = app
        try await publish()
        try await advertise()
    }

    func publish() async throws { try await camera.add(sample.service) }

    func advertise(_ service: CBUUID = FaultService.uuid) async throws {
        try await camera.advertise(Self.name, services: [service])
    }

    /// Found, by its service: after a connection the daemon may know it under the name of its machine.
    func found(by other: CentralProbe? = nil) async throws -> CBPeripheral {
        let app = other ?? app
        app.manager.scanForPeripherals(withServices: [FaultService.uuid])
        defer { app.manager.stopScan() }
        return try await heard(by: app)
    }

    /// Heard by an app that scans, with a service that it advertises.
    ///
    /// btvirt's controllers report an advertisement when a scan or the advertising begins, and the daemon drops what
    /// comes before the answer to its command: so the camera begins anew while the scan runs.
    func heard(by app: CentralProbe, service: CBUUID = FaultService.uuid) async throws -> CBPeripheral {
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await app.events.next("the discovery of the camera", limit: .seconds(2)) { event in
                    if case .discovered(let peripheral, let heard) = event, heard.services?.contains(service) == true {
                        peripheral
                    } else {
                        nil
                    }
                }
            } catch is DeadlinePassed where attempts < 8 {
                camera.manager.stopAdvertising()
                try await advertise(service)
            }
        }
    }

    /// Found and connected.
    func connected() async throws -> CBPeripheral {
        let peripheral = try await found()
        try await app.connect(peripheral)
        return peripheral
    }

    /// Found, connected and looked at.
    func explored() async throws -> CBPeripheral {
        let peripheral = try await connected()
        try await app.discoverAll(peripheral)
        return peripheral
    }

    func remote(_ local: CBMutableCharacteristic, of peripheral: CBPeripheral) throws -> CBCharacteristic {
        let service = peripheral.services?.first { $0.uuid == FaultService.uuid }
        return try #require(service?.characteristics?.first { $0.uuid == local.uuid })
    }

    /// Both radios come back, in steps or at once. What took longer than the managers are patient for was called
    /// unsupported meanwhile.
    ///
    /// The kernel ends a killed daemon's connections two seconds later. A new daemon that is quicker takes them for its own
    /// until then, and a connection that is made in that time goes with them.
    func expectReturn(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await app.events.expectReturn(sourceLocation)
        try await camera.events.expectReturn(sourceLocation)
        try await BlueZDaemon().disconnected()
    }

    /// The same two managers do all of it once more, and nobody was told anything that the test did not ask for.
    func worksAgain(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        camera.behaviour.withLock { $0.answers = true }
        let peripheral = try await explored()
        let fixed = try remote(sample.fixed, of: peripheral)
        let value = try remote(sample.value, of: peripheral)
        let notifying = try remote(sample.notifying, of: peripheral)
        #expect(try await app.read(fixed) == Data("Porchlight".utf8), sourceLocation: sourceLocation)
        try await app.write(Data("again".utf8), to: value)
        #expect(try await camera.nextWrite().first?.value == Data("again".utf8), sourceLocation: sourceLocation)
        try await app.setNotify(true, for: notifying)
        _ = try await camera.expectSubscription(to: sample.notifying)
        #expect(camera.manager.updateValue(Data([7]), for: sample.notifying, onSubscribedCentrals: nil))
        #expect(try await app.nextValue(of: notifying) == Data([7]), sourceLocation: sourceLocation)
        app.manager.cancelPeripheralConnection(peripheral)
        await app.events.expect(["disconnected ok"], sourceLocation: sourceLocation)
        await camera.events.expect(["unsubscribed"], sourceLocation: sourceLocation)
        expectNothingMore(sourceLocation)
    }

    func expectNothingMore(_ sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(app.events.unexpected == [], "the app was told more", sourceLocation: sourceLocation)
        #expect(camera.events.unexpected == [], "the camera was told more", sourceLocation: sourceLocation)
    }
}
