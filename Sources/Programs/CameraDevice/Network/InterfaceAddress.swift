import Foundation

/// An address of a network interface.
struct InterfaceAddress: Sendable, Hashable {
    /// 4 bytes of IPv4 or 16 of IPv6, in network order.
    var bytes: Data
    /// Whether it was set for good, by hand or by a simple client, and not with a lease's lifetime.
    var isPermanent: Bool
    /// Whether programs can be reached by it from beyond the link, now.
    var isUsable: Bool
}

/// What the kernel says of an interface's addresses.
enum AddressChange: Sendable, Equatable {
    /// It was there when the watch began, or when it was ``restarted``.
    case present(InterfaceAddress)
    /// It was set, or its lifetime was renewed.
    case added(InterfaceAddress)
    /// It was taken away.
    case removed(InterfaceAddress)
    /// Changes were lost; what is there now follows.
    case restarted
}

/// Watches the addresses of interfaces.
protocol AddressWatch: Sendable {
    /// Those that are there, then each change, until the stream is dropped.
    /// - Throws: ``WiFiError/refused(reason:)`` when the kernel does not tell.
    func changes(of interface: String) throws(WiFiError) -> AsyncStream<AddressChange>

    /// Whether an interface other than this one, and the loopback, has an address that can be used.
    func isReachable(without interface: String) -> Bool
}

/// Whether a network that is being joined has given an address. A pure value.
///
/// A DHCP client takes the old network's address away when the carrier is lost, but not all clients do, nor at once; so an
/// address with a lifetime counts only when it was set, or renewed, since the joining began. One that was there before
/// counts if it has no lifetime, for it was set by hand. After changes were lost nobody can tell old from new: then every
/// address that is there counts, since the wrong 'no' would end a joining that has worked.
struct AddressLedger: Sendable {
    private var fixed: Set<Data> = []
    private var given: Set<Data> = []
    private var changesWereLost = false

    /// Whether there is an address that counts.
    var hasAddress: Bool { !fixed.isEmpty || !given.isEmpty }

    /// Takes a change.
    mutating func take(_ change: AddressChange) {
        switch change {
        case .present(let address):
            if changesWereLost { return take(.added(address)) }
            if address.isUsable, address.isPermanent { fixed.insert(address.bytes) }
        case .added(let address):
            if address.isUsable {
                given.insert(address.bytes)
            } else {
                remove(address)
            }
        case .removed(let address):
            remove(address)
        case .restarted:
            // Removals may have been lost as well.
            self = AddressLedger()
            changesWereLost = true
        }
    }

    private mutating func remove(_ address: InterfaceAddress) {
        fixed.remove(address.bytes)
        given.remove(address.bytes)
    }
}
