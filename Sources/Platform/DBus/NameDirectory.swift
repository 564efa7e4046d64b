import Dispatch
import Glibc

/// The well-known names that a connection follows, each once however many ask. Used on the connection's queue only.
final class NameDirectory {
    private struct Entry { weak var name: FollowedName? }
    private var entries: [String: Entry] = [:]

    /// The name, followed from now on, for as long as somebody holds it.
    func follow(_ name: String, on connection: BusConnection) -> FollowedName {
        if let followed = entries[name]?.name { return followed }
        entries = entries.filter { $0.value.name != nil }
        let followed = FollowedName(name)
        entries[name] = Entry(name: followed)
        followed.start(on: connection)
        return followed
    }

    func removeAll() { entries = [:] }
}

/// Who owns one well-known name.
final class FollowedName: @unchecked Sendable {
    // Unchecked because everything mutable is touched on the connection's queue only.
    let name: String
    /// The unique name of the owner. Exact in the order of messages: the bus answers the question and reports changes in
    /// line with the signals that the owner sends.
    private(set) var owner: String? {
        didSet { ownerText = owner.map { CText($0) } }
    }
    private var ownerText: CText?
    private var isKnown = false
    private weak var connection: BusConnection?
    private var subscription: BusSubscription?
    private struct Entry { weak var follower: OwnerFollower? }
    private var followers: [Entry] = []

    init(_ name: String) { self.name = name }

    func start(on connection: BusConnection) {
        self.connection = connection
        let changes = BusMatch(
            sender: BusName.bus, path: BusName.busPath, interface: BusName.bus, member: "NameOwnerChanged",
            argument0: name)
        subscription = connection.observe(changes) { [weak self] signal in
            guard signal.arguments.count == 3, let owner = signal.arguments[2].string else { return }
            self?.update(owner.isEmpty ? nil : owner)
        }
        connection.call(BusName.bus, BusName.busPath, BusName.bus, "GetNameOwner", [.string(name)]) {
            [weak self] outcome in
            switch outcome {
            case .success(let values): self?.update(values.first?.string)
            case .failure(.disconnected): break
            case .failure: self?.update(nil)
            }
        }
    }

    /// Whether that is the owner's unique name.
    func isOwned(by sender: UnsafePointer<CChar>?) -> Bool {
        guard let sender, let ownerText else { return false }
        return strcmp(sender, ownerText.pointer) == 0
    }

    func add(_ follower: OwnerFollower) {
        followers.removeAll { $0.follower == nil }
        followers.append(Entry(follower: follower))
        guard isKnown else { return }
        connection?.queue.async { [weak self, weak follower] in
            guard let self, connection?.isOpen == true else { return }
            follower?.tell(owner)
        }
    }

    private func update(_ owner: String?) {
        self.owner = owner
        isKnown = true
        for follower in followers.compactMap(\.follower) where connection?.isOpen == true { follower.tell(owner) }
    }
}

/// One watch of a name's owner. Used on the connection's queue only.
final class OwnerFollower: @unchecked Sendable {
    // Unchecked because everything mutable is touched on the connection's queue only.
    private let name: FollowedName
    private let lease: Lease
    private let handler: @Sendable (String?) -> Void
    /// What was told last; nil before the first time.
    private var told: String??

    init(_ name: FollowedName, _ lease: Lease, _ handler: @escaping @Sendable (String?) -> Void) {
        self.name = name
        self.lease = lease
        self.handler = handler
        name.add(self)
    }

    /// Tells the owner, unless it was told before.
    func tell(_ owner: String?) {
        guard lease.isValid, told != .some(owner) else { return }
        told = .some(owner)
        handler(owner)
    }
}
