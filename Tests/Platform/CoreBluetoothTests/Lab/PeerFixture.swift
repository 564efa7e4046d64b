import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Bumble's peripherals (Lab/peers/peripheral.py) on the adapter hci0, and an app that meets them.
struct PeerFixture {
    let lab: LabControl
    let app: CentralProbe

    init() async throws {
        lab = try #require(LabControl.shared)
        try await lab.clear()
        try await lab.ask("quiet_peer peers \(Self.characters)")
        app = try await LabAir.readyApp()
    }

    /// All that the scenario has started.
    static let characters = "plain mute dropper flaky shy stale"

    /// An attribute of Lab/peers/table.py.
    static func identifier(_ number: UInt16) -> CBUUID {
        let digits = String(number, radix: 16)
        return CBUUID(
            string: "0000\(String(repeating: "0", count: 4 - digits.count))\(digits)-1AB0-4000-8000-706565727321")
    }

    static let short = identifier(0x0101)
    static let notified = identifier(0x0105)

    /// Does what Lab/peers/peripheral.py calls a command: it has begun on return.
    func tell(_ character: String, _ command: String) async throws {
        try await lab.ask("order_peer peers \(character) \(command)")
    }

    /// By name, which may come after the first report, with the scan response. Only those that are looked for advertise,
    /// since the guest is slow.
    func find(_ character: String) async throws -> CBPeripheral {
        try await tell(character, "advertise on")
        app.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        defer { app.manager.stopScan() }
        return try await app.events.next("the discovery of peer-\(character)", limit: .seconds(40)) { event in
            if case .discovered(let peripheral, let heard) = event, heard.name == "peer-\(character)" {
                peripheral
            } else {
                nil
            }
        }
    }

    func explored(_ character: String) async throws -> CBPeripheral {
        let peripheral = try await find(character)
        try await app.connect(peripheral)
        try await app.discoverAll(peripheral)
        return peripheral
    }

    func characteristic(_ uuid: CBUUID, of peripheral: CBPeripheral) throws -> CBCharacteristic {
        try #require(peripheral.services?.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid })
    }

    /// The next call is the end of a request that our own side's fault took the answer of. The daemon ends requests with
    /// an ATT error of its own, or tells of the connection or the adapter first.
    func expectFailure(_ call: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        do {
            let label = try await app.events.next("the request's end") { $0.label }
            let permitted = ["unlikely error", "notConnected", "peripheralDisconnected"].map { "\(call) \($0)" }
            #expect(permitted.contains(label), sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    /// The same manager serves a whole visit, and was told nothing that the test did not ask for.
    func worksAgain(with character: String = "plain", sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let peripheral = try await explored(character)
        _ = try await app.read(characteristic(Self.short, of: peripheral))
        app.manager.cancelPeripheralConnection(peripheral)
        await app.events.expect(["disconnected ok"], sourceLocation: sourceLocation)
        #expect(app.events.unexpected == [], "the app was told more", sourceLocation: sourceLocation)
    }
}
