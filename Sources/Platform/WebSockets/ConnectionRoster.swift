/// Who has to be told when a server stops.
///
/// The entries are touched on the service thread only, hence `@unchecked Sendable`.
final class ConnectionRoster: @unchecked Sendable {
    /// Something that ends with its server.
    protocol Member: AnyObject {
        func serverStops()
    }

    private var members: [ObjectIdentifier: any Member] = [:]

    func add(_ member: any Member) { members[ObjectIdentifier(member)] = member }

    func remove(_ member: any Member) { members[ObjectIdentifier(member)] = nil }

    /// Ends everything, on the service thread.
    func stopAll() {
        for member in members.values { member.serverStops() }
    }
}
