import Basics
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import DBus

@Suite("The life of a connection")
struct BusLifetimeTests {
    @Test("no bus: the error says where and what to do")
    func noBus() throws {
        let directory = try TemporaryDirectory()
        let address = "unix:path=\(directory.path("none"))"
        for address in [address, "nonsense", "unix:path="] {
            let error = #expect(throws: BusError.self) {
                try BusConnection(.address(address), queue: DispatchQueue(label: "test"))
            }
            guard case .unreachable(let text) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.contains(address))
            #expect(text.contains("check the address"))
        }
    }

    @Test("where the environment says the buses are")
    func addresses() {
        #expect(BusAddress.system.resolved(in: [:]) == "unix:path=/run/dbus/system_bus_socket")
        #expect(BusAddress.system.resolved(in: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/x"]) == "unix:path=/x")
        #expect(BusAddress.session.resolved(in: [:]) == nil)
        #expect(BusAddress.session.resolved(in: ["XDG_RUNTIME_DIR": "/run/user/1"]) == "unix:path=/run/user/1/bus")
        #expect(BusAddress.session.resolved(in: ["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=y"]) == "unix:abstract=y")
        #expect(BusAddress.address("tcp:host=z").resolved(in: [:]) == "tcp:host=z")
    }

    @Test("a socket where nobody answers does not hold a program up for ever")
    func silentBus() throws {
        let socket = try SilentSocket()
        let error = #expect(throws: BusError.self) {
            try BusConnection(
                .address("unix:path=\(socket.path)"), queue: DispatchQueue(label: "test"), within: .milliseconds(100))
        }
        guard case .unreachable(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text.contains("no answer within 0.1 seconds"))
    }

    @Test("close fails what is pending before it returns, each once, and says nothing afterwards")
    func close() async throws {
        let bus = try PrivateBus()
        let server = try BusPeer(bus)
        let client = try BusPeer(bus)
        let calls = Record<BusMethodCall>()
        let object = try await server.serve { calls.add($0) }
        let reports = Record<String>()
        let subscription = try await client.run { [name = server.name] connection in
            connection.onDisconnect = { reports.add("disconnected") }
            let subscription = connection.observe(BusMatch(sender: name)) { _ in reports.add("signal") }
            for number in 1...3 {
                connection.call(name, "/", "test.Slow", "Wait") { reports.add("\(number) \($0)") }
            }
            connection.call("not valid!", "/", "test.Slow", "Wait") { reports.add("4 \($0)") }
            return subscription
        }
        _ = try await calls.first(3)
        try await client.run { connection in
            connection.close()
            reports.add("closed")
            connection.close()
        }
        let failure = "\(Result<[BusValue], BusError>.failure(.disconnected))"
        let lines = reports.elements.filter { !$0.hasPrefix("4") }
        #expect(lines == ["1 \(failure)", "2 \(failure)", "3 \(failure)", "closed"])
        #expect(reports.elements.count == 5)
        try await server.run { connection in
            for call in calls.elements { call.reply() }
            try connection.emit("/", "test.One", "One")
        }
        try await server.sync()
        // On a closed connection everything fails softly.
        try await client.run { connection in
            connection.call("a.b", "/", "a.b", "M") { reports.add("after \($0)") }
            #expect(throws: BusError.disconnected) { try connection.send("a.b", "/", "a.b", "M") }
            #expect(throws: BusError.disconnected) { try connection.emit("/", "a.b", "M") }
            #expect(throws: BusError.disconnected) { _ = try connection.export(at: "/") { _ in } }
            connection.observe(BusMatch()) { _ in }.cancel()
            connection.watchOwner(of: "a.b") { _ in reports.add("owner") }.cancel()
        }
        #expect(try await reports.first(6).last == "after \(failure)")
        withExtendedLifetime((object, subscription)) {}
    }

    @Test("the daemon dies in the middle of calls: each fails once, then the connection says so, once")
    func daemonDies() async throws {
        let bus = try PrivateBus()
        let server = try BusPeer(bus)
        let client = try BusPeer(bus)
        let calls = Record<BusMethodCall>()
        let object = try await server.serve { calls.add($0) }
        let reports = Record<String>()
        let serverReports = Record<String>()
        try await server.run { connection in connection.onDisconnect = { serverReports.add("disconnected") } }
        try await client.run { [name = server.name] connection in
            connection.onDisconnect = { reports.add("disconnected") }
            for number in 1...20 {
                connection.call(name, "/", "test.Slow", "Wait") { outcome in
                    if case .failure(.disconnected) = outcome {
                        reports.add("\(number)")
                    } else {
                        reports.add("\(outcome)")
                    }
                }
            }
        }
        _ = try await calls.first(20)
        bus.stop()
        #expect(try await reports.first(21) == (1...20).map(String.init) + ["disconnected"])
        #expect(try await serverReports.first(1) == ["disconnected"])
        // Answers to calls of a lost connection go nowhere.
        try await server.run { _ in for call in calls.elements { call.reply(["late"]) } }
        await #expect(throws: BusError.disconnected) { try await client.call("a.b") }
        #expect(reports.elements.count == 21)
        withExtendedLifetime(object) {}
    }

    @Test("a closure may close the connection that called it")
    func closeInside() async throws {
        let bus = try PrivateBus()
        let reports = Record<String>()
        for kind in ["answer", "signal", "call"] {
            let peer = try BusPeer(bus)
            let end: @Sendable () -> Void = { [connection = peer.connection] in
                connection.close()
                reports.add(kind)
            }
            let subscriptions = try await peer.run { [name = peer.name] connection in
                let subscriptions = [
                    connection.observe(BusMatch(interface: "test.One")) { _ in if kind == "signal" { end() } },
                    try connection.export(at: "/") { call in if kind == "call" { end() } else { call.reply() } },
                ]
                try connection.emit("/", "test.One", "One")
                connection.call(name, "/", "test.Echo", "Echo") { _ in if kind == "answer" { end() } }
                return subscriptions
            }
            _ = try await reports.when(kind) { $0.last == kind }
            withExtendedLifetime(subscriptions) {}
        }
        #expect(reports.elements == ["answer", "signal", "call"])
    }

    @Test("what was said before close arrives, although the bus has something to say meanwhile")
    func lastWords() async throws {
        let bus = try PrivateBus()
        let (listener, chatterbox) = (try BusPeer(bus), try BusPeer(bus))
        let heard = Record<Int>()
        let words = try await listener.run { connection in
            connection.observe(BusMatch(interface: "test.Words")) { heard.add($0.arguments[0].int ?? -1) }
        }
        try await listener.sync()
        for round: Int32 in 0..<40 {
            let speaker = try BusPeer(bus)
            let chatter = try await speaker.run { connection in
                connection.observe(BusMatch(interface: "test.Chatter")) { _ in }
            }
            try await speaker.sync()
            async let noise: Void = chatterbox.run { connection in
                for _ in 0..<200 { try connection.emit("/a", "test.Chatter", "Word", ["bla"]) }
            }
            try await speaker.run { connection in
                for number in round * 50..<round * 50 + 50 {
                    try connection.emit("/a", "test.Words", "Word", [.int32(number)])
                }
                connection.close()
            }
            try await noise
            withExtendedLifetime(chatter) {}
        }
        #expect(try await heard.first(2000) == Array(0..<2000))
        withExtendedLifetime(words) {}
    }

    @Test("a connection that is let go of is closed, and its calls fail on its queue")
    func dropped() async throws {
        let bus = try PrivateBus()
        let server = try BusPeer(bus)
        let object = try await server.serve { calls.add($0) }
        let queue = DispatchQueue(label: "test")
        let reports = Record<String>()
        let isGone: @Sendable () -> Bool = try {
            let connection = try BusConnection(.address(bus.address), queue: queue)
            queue.sync {
                _ = connection.call(server.name, "/", "test.Slow", "Wait") {
                    dispatchPrecondition(condition: .onQueue(queue))
                    reports.add("\($0)")
                }
            }
            return { [weak connection] in connection == nil }
        }()
        #expect(try await reports.first(1) == ["\(Result<[BusValue], BusError>.failure(.disconnected))"])
        #expect(isGone())
        withExtendedLifetime(object) {}
    }
    private let calls = Record<BusMethodCall>()

    @Test("a hundred connections leave nothing behind: neither descriptors nor objects")
    func nothingLeaks() async throws {
        let bus = try PrivateBus()
        let server = try BusPeer(bus)
        try await server.requestName("test.Service")
        let object = try await server.echo()
        let watcher = try BusPeer(bus)
        let gone = Record<String>()
        let changes = BusMatch(sender: "org.freedesktop.DBus", member: "NameOwnerChanged")
        let watch = try await watcher.run { connection in
            connection.observe(changes) { signal in
                if signal.arguments[2].string == "", let name = signal.arguments[0].string { gone.add(name) }
            }
        }
        try await watcher.sync()
        let before = try bus.descriptors()
        let connections = Record<Weak>()
        for number in 0..<100 {
            let peer = try BusPeer(bus)
            connections.add(Weak(peer.connection))
            let mirror = try await peer.run { BusObjectMirror($0, service: "test.Service") { _ in } }
            let tree = try await peer.run { try BusObjectTree($0, root: "/tree") }
            try await peer.run { try tree.emptyAdd($0) }
            _ = try await peer.call("test.Service")
            try await peer.run { connection in
                connection.call("test.Service", "/", "test.Echo", "Echo") { _ in }
                if number.isMultiple(of: 2) { connection.close() }
            }
            withExtendedLifetime((mirror, tree)) {}
        }
        _ = try await gone.when("the bus to see all of them go") { names in
            names.count { $0.hasPrefix(":") } >= 100
        }
        #expect(try bus.descriptors() == before)
        // The bus sees a connection close a moment before the thread that closed it lets go of it.
        try await within(.seconds(20), "the end of every connection") {
            while connections.elements.contains(where: { $0.connection != nil }) { await Task.yield() }
        }
        withExtendedLifetime((object, watch)) {}
    }
}

private struct Weak: Sendable {
    private final class Box: @unchecked Sendable {
        // Unchecked because weak references may be read on any thread.
        weak var connection: BusConnection?
        init(_ connection: BusConnection) { self.connection = connection }
    }
    private let box: Box
    var connection: BusConnection? { box.connection }
    init(_ connection: BusConnection) { box = Box(connection) }
}

extension BusObjectTree {
    fileprivate func emptyAdd(_ connection: BusConnection) throws { try add("/tree/a", "test.One") }
}

extension PrivateBus {
    /// How many descriptors the daemon has open: one for each connection, and its own.
    fileprivate func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count
    }
}
