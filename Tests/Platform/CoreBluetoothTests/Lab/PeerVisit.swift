import CoreBluetooth
import Foundation
import Testing

/// Our central, connected to a peripheral that nobody here wrote and that has the attributes of ``PeerTable``.
struct PeerVisit {
    let app: CentralProbe
    let peripheral: CBPeripheral
    /// What the peripheral said of itself when it was found.
    let heard: CentralProbe.Heard

    init(to name: String, with app: CentralProbe) async throws {
        self.app = app
        app.manager.scanForPeripherals(withServices: nil)
        (peripheral, heard) = try await app.discovered(name)
        app.manager.stopScan()
        try await app.connect(peripheral)
        try await app.discoverAll(peripheral)
    }

    func service(_ uuid: CBUUID) throws -> CBService { try #require(peripheral.services?.first { $0.uuid == uuid }) }

    func characteristic(_ uuid: CBUUID) throws -> CBCharacteristic {
        try #require(peripheral.services?.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid })
    }

    func read(_ uuid: CBUUID) async throws -> Data { try await app.read(try characteristic(uuid)) }

    func write(_ value: Data, to uuid: CBUUID) async throws { try await app.write(value, to: try characteristic(uuid)) }

    /// Has the peripheral do one of its commands.
    func ask(_ command: String) async throws { try await write(Data(command.utf8), to: PeerTable.commands) }

    func next(_ count: Int, of uuid: CBUUID) async throws -> [Data] {
        let characteristic = try characteristic(uuid)
        var values: [Data] = []
        while values.count < count { values.append(try await app.nextValue(of: characteristic)) }
        return values
    }

    /// The numbers that the peripheral puts in front of its values.
    static func numbers(_ values: [Data]) -> [Int] {
        values.map { value in value.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    func leave() async throws {
        app.manager.cancelPeripheralConnection(peripheral)
        #expect(try await app.expectDisconnected(peripheral) == nil)
    }
}
