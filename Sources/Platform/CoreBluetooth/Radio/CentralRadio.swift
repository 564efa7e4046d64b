import Foundation

/// The central's half of a radio.
///
/// Every method is called on the radio's queue, where every event and completion is delivered as well; only
/// ``connectedPeripherals`` and ``explanation`` may be called from anywhere. A completion is called exactly once. When a connection ends, the
/// operations in flight are completed with a failure first and ``CentralRadioEvent/disconnected(_:_:)`` follows.
/// Reads and writes are of whole values: blob reads and prepared writes are the radio's affair.
protocol CentralRadio: AnyObject, Sendable {
    /// Begins to work and reports the state. Called once.
    func start(_ deliver: @escaping @Sendable (CentralRadioEvent) -> Void)
    /// Ends all connections and attempts without further events and frees what is held. Called once.
    func shutdown()

    /// Why the radio cannot be used and what mends it, for a person; nil where its state says all. Set before the state is
    /// reported. May be called from any thread.
    var explanation: String? { get }

    /// Reports every advertisement that is heard until ``stopScan()``; replaces an earlier scan.
    ///
    /// The services are a hint that lets a radio filter early; what does not match is filtered above as well.
    func scan(_ request: ScanRequest)
    /// Stops reporting advertisements.
    func stopScan()

    /// Connects, however long it takes, until ``disconnect(_:)``.
    func connect(_ address: RadioAddress)
    /// Gives up an attempt or ends a connection. Always answered by `disconnected`.
    func disconnect(_ address: RadioAddress)

    /// The link on which a peripheral's attributes can be used; nil while there is none.
    func link(to address: RadioAddress) -> (any AttributeLink)?

    /// Peripherals that are connected to this machine, whoever asked for it, with the services known of each.
    /// May be called from any thread.
    var connectedPeripherals: [RadioAddress: [CBUUID]] { get }
}

extension CentralRadio {
    var explanation: String? { nil }
}

/// What to listen for.
struct ScanRequest: Equatable, Sendable {
    var services: [CBUUID]?
    var solicited: [CBUUID] = []
    var allowsDuplicates = false
}

/// What a central's radio reports by itself.
enum CentralRadioEvent: Sendable {
    /// The radio's condition. Any state but `poweredOn` means that scans and connections are over, without further
    /// events for them (operations in flight are completed first).
    case state(CBManagerState)
    /// An advertisement. Nil for a signal strength that is not available.
    case discovered(RadioAddress, Advertisement, rssi: Int?)
    /// The connection stands, with this ATT MTU.
    case connected(RadioAddress, mtu: Int)
    /// The attempt was refused and is given up.
    case connectFailed(RadioAddress, RadioFailure)
    /// The connection or the attempt is over: nil when this side asked for it.
    case disconnected(RadioAddress, RadioFailure?)
    /// The ATT MTU of a connection changed.
    case mtuChanged(RadioAddress, Int)
    /// A notification or indication.
    case notified(RadioAddress, AttributeID, Data)
    /// These services changed or are gone. Nil when the radio cannot tell: then all did.
    case servicesChanged(RadioAddress, [AttributeID]?)
}

/// A service as discovery finds it.
struct RemoteService: Equatable, Sendable {
    var id: AttributeID
    var uuid: CBUUID
    var isPrimary: Bool
}

/// A characteristic as discovery finds it. Its value is read and written by the same identifier.
struct RemoteCharacteristic: Equatable, Sendable {
    var id: AttributeID
    var uuid: CBUUID
    var properties: CBCharacteristicProperties
}

/// A descriptor as discovery finds it.
struct RemoteDescriptor: Equatable, Sendable {
    var id: AttributeID
    var uuid: CBUUID
}
