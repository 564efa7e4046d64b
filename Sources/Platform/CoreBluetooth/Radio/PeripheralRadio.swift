import Foundation

/// The peripheral's half of a radio.
///
/// Every method is called on the radio's queue, where every event and completion is delivered as well. Completions are
/// called exactly once. Identifiers of attributes are chosen by the caller and never used twice.
protocol PeripheralRadio: AnyObject, Sendable {
    /// Begins to work and reports the state. Called once.
    func start(_ deliver: @escaping @Sendable (PeripheralRadioEvent) -> Void)
    /// Stops advertising, ends all connections and frees what is held. Called once.
    func shutdown()

    /// Why the radio cannot be used and what mends it, for a person; nil where its state says all. Set before the state is
    /// reported. May be called from any thread.
    var explanation: String? { get }

    /// Puts a service into the database. The descriptor for subscriptions is the radio's affair.
    func add(_ service: LocalService, _ completion: @escaping RadioCompletion<Void>)
    /// Takes a service out of the database and tells connected centrals.
    func remove(_ service: AttributeID)

    /// Starts advertising.
    func startAdvertising(_ advertisement: Advertisement, _ completion: @escaping RadioCompletion<Void>)
    /// Stops advertising; connections stay.
    func stopAdvertising()

    /// Answers a request: for reads with the value from the asked offset on, for writes with empty data.
    func respond(to ticket: RequestTicket, _ result: RadioResult<Data>)
    /// Sends a value to these centrals, by notification or indication as each asked for, cut to what fits its MTU.
    /// Completed when the radio has room for another one.
    func notify(
        _ value: Data, for characteristic: AttributeID, to centrals: [RadioAddress],
        _ completion: @escaping @Sendable () -> Void)
    /// Asks for a connection latency. Radios that cannot choose ignore it.
    func setLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: RadioAddress)
}

extension PeripheralRadio {
    var explanation: String? { nil }
}

/// Names a request that waits for its answer.
struct RequestTicket: Hashable, Sendable {
    var number: UInt64
}

/// A central as the peripheral sees it.
struct RemoteCentral: Hashable, Sendable {
    var address: RadioAddress
    var mtu: Int
}

/// One piece of a write, as it came over the air.
struct WritePiece: Equatable, Sendable {
    var attribute: AttributeID
    var offset: Int
    var value: Data
}

/// What a peripheral's radio reports by itself.
enum PeripheralRadioEvent: Sendable {
    /// The radio's condition. Any state but `poweredOn` means that connections are over and advertising has stopped;
    /// any state below `poweredOff` means that the database is gone.
    case state(CBManagerState)
    /// A central reads a characteristic or descriptor from an offset on.
    case read(RemoteCentral, AttributeID, offset: Int, RequestTicket)
    /// A central writes: one piece, or all pieces of a prepared write together. Nil ticket when it wants no answer.
    case write(RemoteCentral, [WritePiece], RequestTicket?)
    /// A central turned notifications or indications on.
    case subscribed(RemoteCentral, AttributeID)
    /// A central turned them off, or went away.
    case unsubscribed(RemoteCentral, AttributeID)
    /// A central's connection ended. Its subscriptions have ended before, each with an event.
    case disconnected(RemoteCentral)
    /// Advertising ended without being stopped.
    case advertisingStopped(RadioFailure)
}

/// A service for the database.
struct LocalService: Sendable {
    var id: AttributeID
    var uuid: CBUUID
    var isPrimary: Bool
    /// Services of the database, by their identifiers.
    var includes: [AttributeID] = []
    var characteristics: [LocalCharacteristic] = []
}

/// A characteristic for the database.
struct LocalCharacteristic: Sendable {
    var id: AttributeID
    var uuid: CBUUID
    var properties: CBCharacteristicProperties
    var permissions: CBAttributePermissions
    var descriptors: [LocalDescriptor] = []
}

/// A descriptor for the database. Its value is read like a characteristic's.
struct LocalDescriptor: Sendable {
    var id: AttributeID
    var uuid: CBUUID
}
