import Basics
import DBus
import Dispatch
import Foundation
import TestSupport

@testable import CoreBluetooth

/// `bluetoothd` as a script: it owns `org.bluez` on a bus of the test's own, does by default what the real one does, and
/// fails on purpose where it is told to. Its methods may be called from any thread but its own queue's.
final class FakeBlueZ: @unchecked Sendable {
    // Unchecked because the mutable state is touched on `queue` only.

    /// A method call that came in.
    struct Call: Sendable {
        var path: String
        var interface: String
        var member: String
        var arguments: [BusValue]
    }

    /// What the next call of a method gets instead of what the daemon usually does.
    enum Reply: Sendable {
        case error(String, String = "")
        /// No answer until ``FakeBlueZ/answerSilenced(_:_:)``.
        case silence
        /// Success, and nothing else happens.
        case nothing
        /// These values, whatever they mean.
        case values([BusValue])
    }

    let bus: PrivateBus
    /// Every call, in order.
    let calls = Recorder<Call>()
    let queue = DispatchQueue(label: "test.bluez")
    private(set) var connection: BusConnection?
    private(set) var tree: BusObjectTree?
    private var scripts: [String: [Reply]] = [:]
    private var silenced: [String: [BusMethodCall]] = [:]
    /// Sessions of discovery, by the client's name.
    var discoverers: [String: String] = [:]
    /// The daemon's ends of sockets.
    var sockets: [String: Int32] = [:]
    /// Values of attributes, by path.
    var values: [String: Data] = [:]
    /// Characteristics that notify by signals.
    var notifying: Set<String> = []
    /// Services of devices, exported when they connect.
    var tables: [String: [FakeService]] = [:]
    /// Whether services are resolved right after connecting.
    var resolvesServices = true
    /// The ATT MTU of every link.
    var mtu: UInt16 = 517
    private var known: Set<String> = []

    /// The daemon on a new bus, not started.
    init(policy: String = "") throws { bus = try PrivateBus(policy: policy) }

    deinit { for socket in sockets.values { close(socket) } }

    // MARK: Life

    /// Starts the daemon without adapters.
    func start() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { [self] in
                do {
                    let connection = try BusConnection(.address(bus.address), queue: queue)
                    self.connection = connection
                    tree = try BusObjectTree(connection, root: "/")
                    try tree?.add("/org/bluez", "org.bluez.AgentManager1")
                    connection.requestName(BlueZ.service) { continuation.resume(with: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// A daemon with a powered adapter.
    static func powered(_ adapter: String = "hci0", policy: String = "") async throws -> FakeBlueZ {
        let daemon = try FakeBlueZ(policy: policy)
        try await daemon.start()
        daemon.addAdapter(adapter)
        return daemon
    }

    /// Kills the daemon: it loses its name and everything it knew, and answers nobody any more.
    func kill() { queue.sync { reset() } }

    private func reset() {
        tree?.close()
        tree = nil
        connection?.close()
        connection = nil
        silenced = [:]
        discoverers = [:]
        for socket in sockets.values { close(socket) }
        sockets = [:]
        notifying = []
        known = []
    }

    /// Calls somebody on the bus as a program that has nothing to do with the daemon.
    func ask(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) async throws -> [BusValue] {
        let queue = DispatchQueue(label: "test.stranger")
        let stranger = try BusConnection(.address(bus.address), queue: queue)
        return try await withCheckedThrowingContinuation { answer in
            queue.async {
                stranger.call(destination, path, interface, member, arguments) { result in
                    stranger.close()
                    answer.resume(with: result)
                }
            }
        }
    }

    // MARK: Scripts

    /// Says what the next calls of a method get.
    func script(_ member: String, _ replies: Reply...) {
        queue.sync { scripts[member, default: []] += replies }
    }

    /// Answers the calls of a method that were met with silence; an error, or success.
    func answerSilenced(_ member: String, _ error: (String, String)? = nil) {
        queue.sync {
            for call in silenced.removeValue(forKey: member) ?? [] {
                if let (name, message) = error { call.fail(name, message) } else { call.reply() }
            }
        }
    }

    /// Waits for a call of a method.
    @discardableResult
    func called(_ member: String) async throws -> Call {
        try await calls.next("a call of \(member)") { $0.member == member ? $0 : nil }
    }

    /// Calls of a method that nobody has waited for.
    func remaining(_ member: String) -> Int { calls.remaining.count { $0.member == member } }

    /// Answers a call by the script, else as the daemon does. To be returned from an interface's methods.
    func serve(_ call: BusMethodCall, _ usual: () -> Bool) -> Bool {
        calls.record(
            Call(path: call.path, interface: call.interface, member: call.member, arguments: call.arguments))
        guard let reply = scripts[call.member]?.first else { return usual() }
        scripts[call.member]?.removeFirst()
        switch reply {
        case .error(let name, let message): call.fail(name, message)
        case .silence: silenced[call.member, default: []].append(call)
        case .nothing: call.reply()
        case .values(let values): call.reply(values)
        }
        return true
    }

    // MARK: Objects

    /// Adds an interface whose methods are answered by the script, else by `usual`.
    func add(
        _ path: String, _ interface: String, _ properties: [String: BusValue],
        _ usual: @escaping @Sendable (FakeBlueZ, BusMethodCall) -> Bool = { _, _ in false }
    ) throws {
        known.insert(path)
        try tree?.add(
            path, interface, properties: properties,
            methods: { [weak self] call in
                guard let self else { return false }
                return serve(call) { usual(self, call) }
            })
    }

    /// Removes an object and all below it.
    func remove(_ path: String) {
        for object in paths(below: path + "/").reversed() { tree?.remove(object) }
        tree?.remove(path)
        known = known.filter { $0 != path && !$0.hasPrefix(path + "/") }
    }

    /// Paths of objects below a prefix, in order.
    func paths(below prefix: String) -> [String] { known.filter { $0.hasPrefix(prefix) }.sorted() }

    func property(_ path: String, _ interface: String, _ name: String) -> BusValue? {
        tree?.properties(path, interface)?[name]
    }

    /// Runs `body` with the tree of objects.
    func change(_ body: (BusObjectTree) throws -> Void) {
        queue.sync {
            guard let tree else { return }
            do { try body(tree) } catch { preconditionFailure("\(error)") }
        }
    }
}
