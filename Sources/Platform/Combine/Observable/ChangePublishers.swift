import Basics

/// Which ``ObservableObjectPublisher`` belongs to which object.
///
/// Linux has no associated objects, and a protocol extension cannot add storage, so the link is kept here. It owns
/// neither side: an entry holds its object and its publisher weakly, the publisher is owned by those who use it, and its
/// `deinit` removes the entry. So nothing stays behind when an object or its last observer goes. A later object at the
/// same address finds that the entry's object is gone, and gets a new publisher. A publisher that nobody holds may be
/// replaced by another unnoticed: nobody is subscribed to it.
enum ChangePublishers {
    /// One entry's key and number; the number tells it from a later entry under the same key.
    struct Registration: Sendable {
        fileprivate let key: ObjectIdentifier
        fileprivate let number: UInt64
    }

    private struct Entry: @unchecked Sendable {
        // Unchecked because the object is only compared by identity, never used.
        weak var object: AnyObject?
        weak var publisher: ObservableObjectPublisher?
        var number: UInt64
    }

    private struct Table {
        var entries: [ObjectIdentifier: Entry] = [:]
        var last: UInt64 = 0
    }

    private static let table = Locked(Table())

    /// The object's publisher, made if there is none.
    static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
        let key = ObjectIdentifier(object)
        let object = Unchecked(object)
        return table.withLock { table in
            if let known = table.entries[key].flatMap({ live($0, of: object.value) }) { return known }
            table.last += 1
            let publisher = ObservableObjectPublisher(registration: Registration(key: key, number: table.last))
            table.entries[key] = Entry(object: object.value, publisher: publisher, number: table.last)
            return publisher
        }
    }

    /// The object's publisher, if somebody uses it.
    static func existing(of object: AnyObject) -> ObservableObjectPublisher? {
        let key = ObjectIdentifier(object)
        let object = Unchecked(object)
        return table.withLock { table in table.entries[key].flatMap { live($0, of: object.value) } }
    }

    static func remove(_ registration: Registration) {
        table.withLock { table in
            if table.entries[registration.key]?.number == registration.number {
                table.entries[registration.key] = nil
            }
        }
    }

    /// How many entries there are, for tests.
    static func hasEntry(at key: ObjectIdentifier) -> Bool {
        table.withLock { $0.entries[key] != nil }
    }

    private static func live(_ entry: Entry, of object: AnyObject) -> ObservableObjectPublisher? {
        entry.object === object ? entry.publisher : nil
    }
}
