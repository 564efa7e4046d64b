import CSystemd
import Glibc

/// One property of a service's objects that changes often and is of interest to few: who follows it, and of which object.
/// Belongs to a mirror; used on its connection's queue only.
///
/// A signal that tells this property alone is recognised in the message, where it lies, so that nothing is made of it but
/// the value: no texts, no dictionaries, and nothing at all where nobody follows it.
final class PropertyWatches {
    /// What a message is.
    enum Finding {
        /// Something else, or something more.
        case other
        /// News of an object that nobody follows.
        case unwatched
        case value(BusValue, PropertyWatch)
    }

    private let interface: CText
    private let property: CText
    private let names: BusProperty
    private var watches: [PropertyWatch] = []

    init(_ property: BusProperty) {
        interface = CText(property.interface)
        self.property = CText(property.name)
        names = property
    }

    func add(_ watch: PropertyWatch) { watches.append(watch) }

    func remove(_ watch: PropertyWatch) { watches.removeAll { $0 === watch } }

    /// Looks at a PropertiesChanged message.
    func find(in message: OpaquePointer, _ types: MessageTypes) throws(MessageReader.Fault) -> Finding {
        var reader = MessageReader(message, types)
        guard let path = sd_bus_message_get_path(message),
            let value = try reader.onlyProperty(property, of: interface)
        else { return .other }
        for watch in watches where strcmp(watch.path.pointer, path) == 0 { return .value(value, watch) }
        return .unwatched
    }

    /// Tells what a signal has said among other things.
    func tell(_ path: String, _ interface: String, _ changed: [String: BusValue]) {
        guard interface == names.interface, let value = changed[names.name] else { return }
        for watch in watches where strcmp(watch.path.pointer, path) == 0 { watch.deliver(value) }
    }
}

/// An object whose property is followed. Used on its connection's queue only; the lease may be ended anywhere.
final class PropertyWatch: Sendable {
    let lease = Lease()
    let path: CText
    private let handler: @Sendable (BusValue) -> Void

    init(_ path: String, _ handler: @escaping @Sendable (BusValue) -> Void) {
        self.path = CText(path)
        self.handler = handler
    }

    func deliver(_ value: BusValue) {
        if lease.isValid { handler(value) }
    }
}
