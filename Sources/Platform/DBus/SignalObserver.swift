import Basics
import CSystemd

/// One observer of signals. Lives in its connection's table and is used on its queue only; the lease may be ended anywhere.
final class SignalObserver {
    let id: UInt64
    let lease = Lease()
    unowned let connection: BusConnection
    /// sd-bus's hold on the match.
    var slot: OpaquePointer?
    /// Who may speak in the sender's name, where that is a well-known one.
    var owner: FollowedName?
    private let match: BusMatch
    private let handler: @Sendable (BusSignal) -> Void
    private static let log = Log("dbus")

    init(id: UInt64, _ connection: BusConnection, _ match: BusMatch, _ handler: @escaping @Sendable (BusSignal) -> Void)
    {
        self.id = id
        self.connection = connection
        self.match = match
        self.handler = handler
    }

    /// The signal that `message` is, if it is for this observer.
    func read(_ message: OpaquePointer, _ types: MessageTypes) -> BusSignal? {
        guard lease.isValid else { return nil }
        let sender = String(text: sd_bus_message_get_sender(message))
        if let owner, owner.owner != sender { return nil }
        do throws(MessageReader.Fault) {
            var reader = MessageReader(message, types)
            let arguments = try reader.arguments()
            // What the match fixes need not be copied out of the message.
            return BusSignal(
                sender: sender,
                path: match.path ?? String(text: sd_bus_message_get_path(message)),
                interface: match.interface ?? String(text: sd_bus_message_get_interface(message)),
                member: match.member ?? String(text: sd_bus_message_get_member(message)),
                arguments: arguments)
        } catch {
            Self.log.warning("a signal of \(sender) for \(match) is dropped: \(error.text)")
            return nil
        }
    }

    func deliver(_ signal: BusSignal) {
        if lease.isValid { handler(signal) }
    }

    func releaseSlot() {
        sd_bus_slot_unref(slot)
        slot = nil
    }
}

/// One exported object. Lives in its connection's table and is used on its queue only; the lease may be ended anywhere.
final class ExportedObject {
    let id: UInt64
    let lease = Lease()
    unowned let connection: BusConnection
    /// sd-bus's hold on the path.
    var slot: OpaquePointer?
    private let handler: @Sendable (BusMethodCall) -> Void

    init(id: UInt64, _ connection: BusConnection, _ handler: @escaping @Sendable (BusMethodCall) -> Void) {
        self.id = id
        self.connection = connection
        self.handler = handler
    }

    func deliver(_ call: BusMethodCall) {
        if lease.isValid { handler(call) }
    }

    func releaseSlot() {
        sd_bus_slot_unref(slot)
        slot = nil
    }
}
