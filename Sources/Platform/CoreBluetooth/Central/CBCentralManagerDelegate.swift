public import Foundation

#if canImport(Darwin)
#else
    /// Seconds since 1 January 2001, as Apple's Core Foundation counts them.
    public typealias CFAbsoluteTime = Double
#endif

/// Something that happened between a peripheral and this machine.
public enum CBConnectionEvent: Int, Sendable {
    /// The peripheral is not connected any more.
    case peerDisconnected = 0
    /// The peripheral was connected.
    case peerConnected = 1
}

/// Which peripherals' connection events are wanted.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    /// The option's name.
    public let rawValue: String
    /// An option by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A `[CBUUID]`: peripherals that advertised one of these services.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(rawValue: "kCBConnectionEventMatchingServiceUUIDs")
    /// A `[UUID]`: peripherals with one of these identifiers.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingPeripheralUUIDs")
}

/// Hears of a central manager's radio, discoveries and connections.
///
/// Every method is called on the manager's queue. All but the first are optional: they have a default that does nothing.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The radio's condition changed. Nothing can be asked of the manager until `central.state` is `poweredOn`.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// Apple's system started the app again. Never called on Linux, where no system restores programs.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// An advertisement was heard. Keep the peripheral if you mean to connect.
    /// - Parameter rssi: In dBm; 127 when it is not available.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber)

    /// The connection stands.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// The peripheral refused the connection.
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

    /// The connection, or the attempt to make it, is over.
    /// - Parameter error: Nil when this side cancelled.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

    /// The connection, or the attempt to make it, is over. This form is called first; its default calls the one without
    /// `timestamp`.
    /// - Parameters:
    ///   - timestamp: When, in seconds since 1 January 2001.
    ///   - isReconnecting: Whether the manager connects again by itself
    ///     (``CBConnectPeripheralOptionEnableAutoReconnect``).
    ///   - error: Nil when this side cancelled.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?)

    /// A peripheral for which ``CBCentralManager/registerForConnectionEvents(options:)`` asked came or went.
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

    /// Apple's notification centre service was allowed or not. Never called on Linux.
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {}
    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {}
    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {}
    /// Calls the form without `timestamp`.
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        centralManager(central, didDisconnectPeripheral: peripheral, error: error)
    }
    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {}
    /// Does nothing.
    public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
