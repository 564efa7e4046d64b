import DBus
import Dispatch
import TestSupport

/// A program with a name and objects on a bus of the test's own. Its methods may be called from any thread.
final class FakeDaemon: @unchecked Sendable {
    // Unchecked because everything mutable is touched on `queue` only.
    private let queue = DispatchQueue(label: "test.daemon")
    private let connection: BusConnection
    private let tree: BusObjectTree

    /// An object's interfaces with their properties.
    typealias Object = [String: [String: BusValue]]

    /// Takes the name when the objects are there.
    init(_ name: String, on bus: PrivateBus, objects: [String: Object] = [:]) async throws {
        connection = try BusConnection(.address(bus.address), queue: queue)
        tree = try queue.sync { [connection] in try BusObjectTree(connection, root: "/") }
        try queue.sync { [tree] in
            for (path, interfaces) in objects {
                for (interface, properties) in interfaces { try tree.add(path, interface, properties: properties) }
            }
        }
        try await withCheckedThrowingContinuation { (answer: CheckedContinuation<Void, any Error>) in
            queue.async { [connection] in connection.requestName(name) { answer.resume(with: $0) } }
        }
    }

    /// From now on it takes calls and answers none.
    func fallSilent() throws -> BusSubscription {
        try queue.sync { [tree, connection] in
            tree.close()
            return try connection.export(at: "/") { call in Self.unanswered(call) }
        }
    }

    /// Held for ever, since a call that is let go of is answered by an error.
    private static func unanswered(_ call: BusMethodCall) { _ = Unmanaged.passRetained(call) }
}
