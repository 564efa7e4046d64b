import Basics
import DBus
import Dispatch
import TestSupport

/// One end of a conversation on a test's bus: a connection on a queue of its own, with `async` forms of what tests need.
final class BusPeer: Sendable {
    let queue = DispatchQueue(label: "peer")
    let connection: BusConnection

    init(_ bus: PrivateBus) throws { connection = try BusConnection(.address(bus.address), queue: queue) }

    deinit {
        queue.async { [connection] in connection.close() }
    }

    /// Runs `body` on the connection's queue.
    func run<Result: Sendable>(_ body: @escaping @Sendable (BusConnection) throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [connection] in continuation.resume(with: Swift.Result { try body(connection) }) }
        }
    }

    func call(
        _ destination: String, _ path: String = "/", _ interface: String = "test.Echo", _ member: String = "Echo",
        _ arguments: [BusValue] = [], timeout: Duration = .seconds(25)
    ) async throws -> [BusValue] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [connection] in
                connection.call(destination, path, interface, member, arguments, timeout: timeout) {
                    continuation.resume(with: $0)
                }
            }
        }
    }

    /// Waits until the bus has taken in everything that was sent before.
    func sync() async throws {
        _ = try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
    }

    /// Answers every call below `/` with its own arguments.
    func echo() async throws -> BusSubscription {
        try await run { try $0.export(at: "/") { call in call.reply(call.arguments) } }
    }
}

/// What closures have reported, in order, for a test to wait on.
final class Record<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state = Locked(State())

    var elements: [Element] { state.withLock { $0.elements } }

    func add(_ element: Element) {
        let due = state.withLock { state in
            state.elements.append(element)
            let count = state.elements.count
            let due = state.waiters.filter { $0.count <= count }.map(\.continuation)
            state.waiters.removeAll { $0.count <= count }
            return due
        }
        for continuation in due { continuation.resume() }
    }

    /// The elements, once there are at least `count`.
    func first(_ count: Int, _ what: String = "enough reports") async throws -> [Element] {
        try await within(.seconds(20), what) { [self] in
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.elements.count >= count { return true }
                    state.waiters.append((count, continuation))
                    return false
                }
                if isThere { continuation.resume() }
            }
            return elements
        }
    }
}
