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
    /// Of a property that is not for the handler when it is told alone.
    var watches: PropertyWatches?
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

    /// What is to be delivered of `message`, if it is for this observer.
    func read(_ message: OpaquePointer, _ types: MessageTypes) -> BusConnection.Delivery? {
        guard lease.isValid else { return nil }
        if let owner, !owner.isOwned(by: sd_bus_message_get_sender(message)) { return nil }
        do throws(MessageReader.Fault) {
            switch try watches?.find(in: message, types) ?? .other {
            case .value(let value, let watch): return .property(watch, value)
            case .unwatched: return nil
            case .other: return .signal(self, try signal(message, types))
            }
        } catch {
            let sender = String(text: sd_bus_message_get_sender(message))
            Self.log.warning("a signal of \(sender) for \(match) is dropped: \(error.text)")
            return nil
        }
    }

    private func signal(_ message: OpaquePointer, _ types: MessageTypes) throws(MessageReader.Fault) -> BusSignal {
        var reader = MessageReader(message, types)
        let arguments = try reader.arguments()
        // What the match fixes need not be copied out of the message.
        return BusSignal(
            sender: String(text: sd_bus_message_get_sender(message)),
            path: match.path ?? String(text: sd_bus_message_get_path(message)),
            interface: match.interface ?? String(text: sd_bus_message_get_interface(message)),
            member: match.member ?? String(text: sd_bus_message_get_member(message)),
            arguments: arguments)
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
