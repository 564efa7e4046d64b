import DBus
import Dispatch
import TestSupport

/// One end of a conversation on a test's bus: a connection on a queue of its own, with `async` forms of what tests need.
final class BusPeer: Sendable {
    let queue = DispatchQueue(label: "peer")
    let connection: BusConnection

    var name: String { connection.uniqueName }

    init(_ bus: PrivateBus) throws { connection = try BusConnection(.address(bus.address), queue: queue) }

    deinit {
        queue.async { [connection] in connection.close() }
    }

    /// Runs `body` on the connection's queue.
    @discardableResult
    func run<Result: Sendable>(_ body: @escaping @Sendable (BusConnection) throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [connection] in continuation.resume(with: Swift.Result { try body(connection) }) }
        }
    }

    func call(
        _ destination: String, _ path: String = "/", _ interface: String = "test.Echo", _ member: String = "Echo",
        _ arguments: [BusValue] = [], timeout: Duration = .seconds(25)
    ) async throws -> [BusValue] {
        try await connection.call(destination, path, interface, member, arguments, timeout: timeout)
    }

    /// Waits until the bus has taken in everything that was sent before.
    func sync() async throws {
        _ = try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
    }

    /// Serves calls below `/`.
    func serve(_ handler: @escaping @Sendable (BusMethodCall) -> Void) async throws -> BusSubscription {
        try await run { try $0.export(at: "/", handler) }
    }

    func requestName(_ name: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [connection] in connection.requestName(name) { continuation.resume(with: $0) } }
        }
    }

    /// Answers every call below `/` with its own arguments.
    func echo() async throws -> BusSubscription {
        try await serve { call in call.reply(call.arguments) }
    }
}
