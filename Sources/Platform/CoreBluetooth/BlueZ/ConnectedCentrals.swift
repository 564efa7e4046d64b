/// The centrals that use this program's attributes, and who of them is subscribed to what.
///
/// The daemon says who reads and writes. Of subscriptions it says less (BlueZ 5.66, src/gatt-database.c): it asks for a
/// socket (`AcquireNotify`) with the name of the central; refused, it calls `StartNotify` and counts one more subscriber,
/// and it calls `StopNotify` when the last one of a characteristic has left. So one of several who unsubscribes goes
/// unnoticed until it subscribes again, disconnects, or is the last.
///
/// A value: it is told what the daemon says and answers with the events to deliver, in order.
struct ConnectedCentrals: Sendable {
    private struct Subscription {
        var characteristic: AttributeID
        /// Whether the daemon counts it. A `StopNotify` that was under way before does not mean it.
        var isCounted = false
    }

    private struct Central {
        var remote: RemoteCentral
        var subscriptions: [Subscription] = []
    }

    /// The smallest MTU of LE: what can be relied upon before the daemon has said more.
    static let leastMTU = 23

    private var centrals: [String: Central] = [:]
    /// Centrals whose subscription the daemon has not counted yet, for each characteristic in the order of their asking.
    private var uncounted: [AttributeID: [String]] = [:]
    /// Subscriptions of bonded centrals that are away. The daemon keeps them, and says nothing when they come back.
    private var kept: [String: [AttributeID]] = [:]

    /// A central asks for something.
    mutating func met(_ path: String, _ address: RadioAddress, mtu: Int?) -> RemoteCentral {
        let known = centrals[path]?.remote
        let remote = RemoteCentral(
            address: address, mtu: max(mtu ?? known?.mtu ?? Self.leastMTU, Self.leastMTU))
        centrals[path, default: Central(remote: remote)].remote = remote
        return remote
    }

    /// A central that was met subscribes.
    mutating func subscribed(_ path: String, to characteristic: AttributeID) -> [PeripheralRadioEvent] {
        // Subscribed already: it had unsubscribed while others were left, or changed to indications.
        var events = end(path, [characteristic])
        guard let remote = centrals[path]?.remote else { return events }
        centrals[path]?.subscriptions.append(Subscription(characteristic: characteristic))
        uncounted[characteristic, default: []].append(path)
        events.append(.subscribed(remote, characteristic))
        return events
    }

    /// The daemon counts one more subscriber.
    mutating func counted(_ characteristic: AttributeID) {
        guard var waiting = uncounted[characteristic], !waiting.isEmpty else { return }
        let path = waiting.removeFirst()
        uncounted[characteristic] = waiting.isEmpty ? nil : waiting
        if let index = centrals[path]?.subscriptions.firstIndex(where: { $0.characteristic == characteristic }) {
            centrals[path]?.subscriptions[index].isCounted = true
        }
    }

    /// The last subscriber that the daemon counted has left.
    mutating func stopped(_ characteristic: AttributeID) -> [PeripheralRadioEvent] {
        for path in kept.keys { kept[path]?.removeAll { $0 == characteristic } }
        return sortedPaths.flatMap { path in
            let isMeant = centrals[path]?.subscriptions.contains { $0.characteristic == characteristic && $0.isCounted }
            return isMeant == true ? end(path, [characteristic]) : []
        }
    }

    /// A device's connection ended.
    /// - Parameter isBonded: Whether the daemon keeps its subscriptions.
    mutating func left(_ path: String, isBonded: Bool) -> [PeripheralRadioEvent] {
        guard let central = centrals[path] else { return [] }
        let characteristics = central.subscriptions.map(\.characteristic)
        let events = end(path, characteristics) + [.disconnected(central.remote)]
        centrals[path] = nil
        kept[path] = isBonded && !characteristics.isEmpty ? characteristics : nil
        return events
    }

    /// A device connected: whom the daemon keeps subscribed is so again.
    mutating func came(_ path: String, _ address: RadioAddress) -> [PeripheralRadioEvent] {
        guard let characteristics = kept.removeValue(forKey: path), !characteristics.isEmpty else { return [] }
        let remote = met(path, address, mtu: nil)
        centrals[path]?.subscriptions = characteristics.map { Subscription(characteristic: $0, isCounted: true) }
        return characteristics.map { .subscribed(remote, $0) }
    }

    /// The daemon has forgotten a device.
    mutating func forgot(_ path: String) { kept[path] = nil }

    /// These characteristics are gone, and the subscriptions with them.
    mutating func removed(_ characteristics: Set<AttributeID>) -> [PeripheralRadioEvent] {
        for path in kept.keys { kept[path]?.removeAll(where: characteristics.contains) }
        return sortedPaths.flatMap { path in
            let subscriptions = centrals[path]?.subscriptions.map(\.characteristic) ?? []
            return end(path, subscriptions.filter(characteristics.contains))
        }
    }

    /// Who is subscribed to a characteristic.
    func subscribers(of characteristic: AttributeID) -> Set<RadioAddress> {
        Set(
            centrals.values.filter { central in
                central.subscriptions.contains { $0.characteristic == characteristic }
            }.map(\.remote.address))
    }

    private var sortedPaths: [String] { centrals.keys.sorted() }

    private mutating func end(_ path: String, _ characteristics: [AttributeID]) -> [PeripheralRadioEvent] {
        guard let central = centrals[path] else { return [] }
        return characteristics.compactMap { characteristic in
            uncounted[characteristic]?.removeAll { $0 == path }
            guard central.subscriptions.contains(where: { $0.characteristic == characteristic }) else { return nil }
            centrals[path]?.subscriptions.removeAll { $0.characteristic == characteristic }
            return .unsubscribed(central.remote, characteristic)
        }
    }
}
