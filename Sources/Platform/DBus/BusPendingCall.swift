import CSystemd

/// A method call on its way. Dropping it changes nothing: the connection keeps it until it is answered.
public final class BusPendingCall: @unchecked Sendable {
    // Unchecked because everything mutable is touched only on the connection's queue.
    let id: UInt64
    private(set) weak var connection: BusConnection?
    private let destination: String
    private let path: String
    private let interface: String
    private let member: String
    private var completion: (@Sendable (Result<[BusValue], BusError>) -> Void)?
    /// sd-bus's hold on the answer; letting go of it makes sd-bus forget the call.
    var slot: OpaquePointer?

    init(
        id: UInt64, _ connection: BusConnection, _ destination: String, _ path: String, _ interface: String,
        _ member: String, _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        self.id = id
        self.connection = connection
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.completion = completion
    }

    /// How an error names the call.
    var title: String { "\(interface).\(member) at \(destination)\(path)" }

    /// Forgets the call: the completion is never called. The other side may carry it out all the same. To be called on
    /// the connection's queue; does nothing when the answer was delivered.
    public func cancel() {
        connection?.assertOnQueue()
        connection?.forget(self)
        completion = nil
    }

    /// Calls the completion, the first time.
    func finish(_ outcome: Result<[BusValue], BusError>) {
        let completion = completion
        self.completion = nil
        completion?(outcome)
    }

    func releaseSlot() {
        sd_bus_slot_unref(slot)
        slot = nil
    }
}
