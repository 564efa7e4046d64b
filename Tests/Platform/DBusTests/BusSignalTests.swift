import DBus
import Foundation
import TestSupport
import Testing

@Suite("Signals and names")
struct BusSignalTests {
    let bus: PrivateBus
    let service: BusPeer
    let client: BusPeer

    init() throws {
        bus = try PrivateBus()
        service = try BusPeer(bus)
        client = try BusPeer(bus)
    }

    @Test("signals arrive whole and in order, in line with answers")
    func order() async throws {
        let heard = Record<Int>()
        let signals = try await client.run { [name = service.name] connection in
            connection.observe(BusMatch(sender: name, interface: "test.Count")) { signal in
                heard.add(signal.arguments[0].int ?? -1)
            }
        }
        let object = try await service.serve { [connection = service.connection] call in
            for number: Int32 in 0..<500 { try? connection.emit("/a", "test.Count", "Tick", [.int32(number)]) }
            call.reply([500])
            for number: Int32 in 501..<1000 { try? connection.emit("/a", "test.Count", "Tick", [.int32(number)]) }
        }
        try await client.run { [name = service.name] connection in
            connection.call(name, "/", "test.Count", "Start") { heard.add((try? $0.get().first?.int) ?? -1) }
        }
        #expect(try await heard.first(1000) == Array(0..<1000))
        withExtendedLifetime((signals, object)) {}
    }

    @Test("a match lets through what it names and nothing else")
    func matches() async throws {
        let heard = Record<String>()
        let matches: [(String, BusMatch)] = [
            ("all", BusMatch(interface: "test.One")),
            ("path", BusMatch(path: "/a/b", interface: "test.One")),
            ("below", BusMatch(pathNamespace: "/a", interface: "test.One")),
            ("member", BusMatch(interface: "test.One", member: "Two")),
            ("argument", BusMatch(interface: "test.One", argument0: "x")),
            ("other sender", BusMatch(sender: client.name, interface: "test.One")),
        ]
        let subscriptions = try await client.run { connection in
            matches.map { name, match in
                connection.observe(match) { signal in heard.add("\(name) \(signal.path) \(signal.member)") }
            }
        }
        try await client.sync()
        try await service.run { connection in
            try connection.emit("/a/b", "test.One", "One", ["y"])
            try connection.emit("/a", "test.One", "Two", ["x"])
            try connection.emit("/ab", "test.One", "One")
            try connection.emit("/a", "test.Two", "Two", ["x"])
            try connection.emit("/end", "test.One", "End")
        }
        let lines = try await heard.when("the last signal") { $0.contains("all /end End") }
        #expect(
            Set(lines) == [
                "all /a/b One", "all /a Two", "all /ab One", "all /end End", "path /a/b One", "below /a/b One",
                "below /a Two", "member /a Two", "argument /a Two",
            ])
        #expect(lines.count == Set(lines).count)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("a signal carries who, where and what")
    func contents() async throws {
        let heard = Record<BusSignal>()
        let subscription = try await client.run { $0.observe(BusMatch(pathNamespace: "/x"), heard.add) }
        try await client.sync()
        try await service.run { try $0.emit("/x/y", "test.One", "Two", [.properties(["a": 1])]) }
        #expect(
            try await heard.first(1) == [
                BusSignal(
                    sender: service.name, path: "/x/y", interface: "test.One", member: "Two",
                    arguments: [.properties(["a": 1])])
            ])
        withExtendedLifetime(subscription) {}
    }

    @Test("nothing is heard after cancel, or after the last reference has gone")
    func cancel() async throws {
        let heard = Record<String>()
        var subscriptions = try await client.run { connection in
            ["kept", "cancelled", "dropped"].map { name in
                connection.observe(BusMatch(interface: "test.One")) { _ in heard.add(name) }
            }
        }
        try await client.sync()
        try await client.run { [second = subscriptions[1]] _ in second.cancel() }
        subscriptions.removeLast()
        try await service.run { try $0.emit("/", "test.One", "One") }
        _ = try await heard.first(1)
        try await client.sync()
        #expect(heard.elements == ["kept"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("one of two observers of a signal may end the other")
    func cancelEachOther() async throws {
        let heard = Record<Int>()
        let subscriptions = Record<BusSubscription>()
        try await client.run { connection in
            for number in 0..<2 {
                subscriptions.add(
                    connection.observe(BusMatch(interface: "test.One")) { _ in
                        heard.add(number)
                        subscriptions.elements[1 - number].cancel()
                    })
            }
        }
        try await client.sync()
        try await service.run { connection in
            try connection.emit("/", "test.One", "One")
            try connection.emit("/", "test.One", "One")
        }
        let lines = try await heard.first(2)
        #expect(lines[0] == lines[1])
    }

    @Test("matches that have ended are taken back at the bus")
    func matchesAreReleased() async throws {
        let bus = try PrivateBus(policy: "<limit name=\"max_match_rules_per_connection\">8</limit>")
        let client = try BusPeer(bus)
        for _ in 0..<50 {
            let subscription = try await client.run { $0.observe(BusMatch(sender: "test.Name", member: "M")) { _ in } }
            try await client.sync()
            try await client.run { _ in subscription.cancel() }
        }
        try await client.sync()
    }

    @Test("a match that the bus refuses ends the connection, since it would never hear anything")
    func refusedMatch() async throws {
        let bus = try PrivateBus(policy: "<limit name=\"max_match_rules_per_connection\">2</limit>")
        let client = try BusPeer(bus)
        let reports = Record<String>()
        let subscriptions = try await client.run { connection in
            connection.onDisconnect = { reports.add("gone") }
            return (0..<3).map { connection.observe(BusMatch(member: "M\($0)")) { _ in } }
        }
        #expect(try await reports.first(1) == ["gone"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("a signal that only looks like the service's is dropped")
    func forged() async throws {
        let forger = try BusPeer(bus)
        try await service.requestName("test.Service")
        let heard = Record<String>()
        let match = BusMatch(sender: "test.Service", interface: "test.One")
        let subscription = try await client.run { $0.observe(match) { heard.add($0.member) } }
        // With a match for anybody's signals the bus hands the forger's over, too.
        let anybody = try await client.run {
            $0.observe(BusMatch(interface: "test.One")) { heard.add("any \($0.member)") }
        }
        try await client.sync()
        try await forger.run { try $0.emit("/", "test.One", "Forged") }
        _ = try await heard.first(1)
        try await service.run { try $0.emit("/", "test.One", "True") }
        #expect(Set(try await heard.first(3)) == ["any Forged", "any True", "True"])
        withExtendedLifetime((subscription, anybody)) {}
    }

    @Test("signals follow a name to its next owner")
    func nextOwner() async throws {
        let heard = Record<String>()
        let match = BusMatch(sender: "test.Service", interface: "test.One")
        let subscription = try await client.run { $0.observe(match) { heard.add($0.member) } }
        let owners = Record<String?>()
        let watch = try await client.run { $0.watchOwner(of: "test.Service", owners.add) }
        try await client.sync()
        for member in ["First", "Second"] {
            let service = try BusPeer(bus)
            try await service.requestName("test.Service")
            try await service.run { try $0.emit("/", "test.One", member) }
            _ = try await heard.when(member) { $0.last == member }
            try await service.run { $0.close() }
            _ = try await owners.when("the name to be free") { $0.count > 1 && $0.last == .some(nil) }
        }
        withExtendedLifetime((subscription, watch)) {}
    }

    @Test("a watch says who owns a name, at once and at each change")
    func watch() async throws {
        let owners = Record<String?>()
        let watch = try await client.run { $0.watchOwner(of: "test.Service", owners.add) }
        #expect(try await owners.first(1) == [nil])
        try await service.requestName("test.Service")
        #expect(try await owners.first(2) == [nil, service.name])
        let late = Record<String?>()
        let secondWatch = try await client.run { $0.watchOwner(of: "test.Service", late.add) }
        #expect(try await late.first(1) == [service.name])
        try await service.run { $0.close() }
        #expect(try await owners.first(3) == [nil, service.name, nil])
        #expect(try await late.first(2) == [service.name, nil])
        try await client.run { _ in watch.cancel() }
        let next = try BusPeer(bus)
        try await next.requestName("test.Service")
        #expect(try await late.first(3) == [service.name, nil, next.name])
        try await client.sync()
        #expect(owners.elements.count == 3)
        withExtendedLifetime(secondWatch) {}
    }

    @Test("a match that D-Bus does not allow hears nothing and breaks nothing")
    func invalidMatch() async throws {
        let subscriptions = try await client.run { connection in
            [
                BusMatch(path: "not a path"), BusMatch(argument0: "it's"), BusMatch(sender: "no name"),
                BusMatch(interface: "x"),
            ].map { connection.observe($0) { _ in } }
        }
        try await client.sync()
        withExtendedLifetime(subscriptions) {}
    }
}
