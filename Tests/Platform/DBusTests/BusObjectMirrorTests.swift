import DBus
import Foundation
import TestSupport
import Testing

@Suite("A mirror of a service")
struct BusObjectMirrorTests {
    typealias Event = BusObjectMirror.Event
    let bus: PrivateBus
    let client: BusPeer
    let events = Record<Event>()

    init() throws {
        bus = try PrivateBus()
        client = try BusPeer(bus)
    }

    /// A service with one object.
    private func service(on bus: PrivateBus) async throws -> (peer: BusPeer, tree: BusObjectTree) {
        let peer = try BusPeer(bus)
        let tree = try await peer.run { connection in
            let tree = try BusObjectTree(connection, root: "/")
            try tree.add("/a", "test.One", properties: ["Name": "a", "Count": 0])
            return tree
        }
        try await peer.requestName("test.Service")
        return (peer, tree)
    }

    private func mirror(
        _ peer: BusPeer, clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> BusObjectMirror {
        try await peer.run { [events] in
            BusObjectMirror($0, service: "test.Service", clock: clock, onEvent: events.add)
        }
    }

    @Test("objects are there at first, and then as they come, change and go")
    func follows() async throws {
        let (peer, tree) = try await service(on: bus)
        let mirror = try await mirror(client)
        let start: [Event] = [
            .available(owner: peer.name),
            .added(path: "/a", interface: "test.One", properties: ["Name": "a", "Count": 0]),
        ]
        #expect(try await events.first(2) == start)
        try await client.run { _ in
            #expect(mirror.isAvailable)
            #expect(mirror.owner == peer.name)
            #expect(mirror.paths(with: "test.One") == ["/a"])
            #expect(mirror.properties("/a", "test.One") == ["Name": "a", "Count": 0])
            #expect(mirror.interfaces(of: "/a") == ["test.One"])
            #expect(mirror.objects(below: "", with: "test.One").map(\.path) == ["/a"])
            #expect(mirror.objects(below: "/a", with: "test.One").isEmpty)
        }
        try await peer.run { connection in
            try tree.add("/b", "test.Two", properties: ["X": true])
            try tree.set("/b", "test.Two", "X", false)
            try connection.emit(
                "/a", "org.freedesktop.DBus.Properties", "PropertiesChanged",
                ["test.One", .properties(["Count": 1]), .strings(["Name"])])
            // Of an interface that the object does not have: of no use to anybody.
            try connection.emit(
                "/a", "org.freedesktop.DBus.Properties", "PropertiesChanged",
                ["test.None", .properties(["Count": 1]), .strings([])])
            tree.remove("/b")
        }
        #expect(
            try await events.first(6) == start + [
                .added(path: "/b", interface: "test.Two", properties: ["X": true]),
                .changed(path: "/b", interface: "test.Two", changed: ["X": false], invalidated: []),
                .changed(path: "/a", interface: "test.One", changed: ["Count": 1], invalidated: ["Name"]),
                .removed(path: "/b", interface: "test.Two"),
            ])
        try await client.run { _ in
            #expect(mirror.properties("/a", "test.One") == ["Count": 1])
            #expect(mirror.properties("/b", "test.Two") == nil)
            #expect(mirror.paths(with: "test.Two") == [])
            mirror.close()
            mirror.close()
            #expect(mirror.properties("/a", "test.One") == nil)
        }
        try await peer.run { _ in try tree.add("/c", "test.Two") }
        try await peer.sync()
        try await client.sync()
        #expect(events.elements.count == 6)
    }

    @Test("changes around the snapshot are neither lost nor doubled")
    func race() async throws {
        // This service counts at every chance, and more while it is asked for its objects.
        let peer = try BusPeer(bus)
        let count = Record<Void>()
        let object = try await peer.run { connection in
            @Sendable func countOn() {
                count.add(())
                try? connection.emit(
                    "/a", "org.freedesktop.DBus.Properties", "PropertiesChanged",
                    ["test.One", .properties(["Count": .int32(Int32(count.elements.count))]), .strings([])])
            }
            return try connection.export(at: "/") { call in
                if call.member == "GetManagedObjects" {
                    for _ in 0..<50 { countOn() }
                    let objects = BusValue.dictionary(
                        key: "s", value: "a{sv}",
                        [BusEntry("test.One", .properties(["Count": .int32(Int32(count.elements.count))]))])
                    call.reply([.dictionary(key: "o", value: "a{sa{sv}}", [BusEntry(.path("/a"), objects)])])
                }
                for _ in 0..<50 { countOn() }
            }
        }
        try await peer.requestName("test.Service")
        let mirror = try await mirror(client)
        #expect(
            try await events.first(52)
                == [.available(owner: peer.name), .added(path: "/a", interface: "test.One", properties: ["Count": 50])]
                + (51...100).map {
                    .changed(path: "/a", interface: "test.One", changed: ["Count": .int32($0)], invalidated: [])
                })
        withExtendedLifetime((object, mirror)) {}
    }

    @Test("a service that is not there yet, comes, goes and comes again")
    func restart() async throws {
        let mirror = try await mirror(client)
        #expect(try await events.first(1) == [.unavailable(nil)])
        for round in 0..<3 {
            let (peer, tree) = try await service(on: bus)
            let start = 1 + round * 3
            #expect(
                try await Array(events.first(start + 2)[start...]) == [
                    .available(owner: peer.name),
                    .added(path: "/a", interface: "test.One", properties: ["Name": "a", "Count": 0]),
                ])
            try await peer.run { $0.close() }
            #expect(try await events.first(start + 3).last == .unavailable(nil))
            try await client.run { _ in
                #expect(mirror.owner == nil)
                #expect(mirror.paths(with: "test.One") == [])
            }
            withExtendedLifetime(tree) {}
        }
    }

    @Test("a service that dies while it is asked is simply away")
    func diesWhenAsked() async throws {
        let peer = try BusPeer(bus)
        let object = try await peer.run { connection in try connection.export(at: "/") { _ in connection.close() } }
        try await peer.requestName("test.Service")
        let mirror = try await mirror(client)
        let last = try await events.when("the service to go") { $0.last == .unavailable(nil) }
        #expect(last.allSatisfy { if case .unavailable = $0 { true } else { false } })
        let (next, tree) = try await service(on: bus)
        #expect(try await events.when("the next service") { $0.contains(.available(owner: next.name)) }.count > 1)
        withExtendedLifetime((object, mirror, tree)) {}
    }

    @Test("a policy that hides the objects is an error with its name")
    func refused() async throws {
        let bus = try PrivateBus(
            policy: """
                <policy context="default"><deny send_interface="org.freedesktop.DBus.ObjectManager" send_type="method_call"/>
                </policy>
                """)
        let (peer, tree) = try await service(on: bus)
        let client = try BusPeer(bus)
        let mirror = try await mirror(client)
        guard case .unavailable(let error?) = try await events.first(1).first else {
            return #expect(Bool(false), "\(events.elements)")
        }
        #expect(error.name == "org.freedesktop.DBus.Error.AccessDenied")
        withExtendedLifetime((peer, tree, mirror)) {}
    }

    @Test("a service that refuses is asked again, ever less often, and known as soon as it answers")
    func asksAgain() async throws {
        let peer = try BusPeer(bus)
        let questions = Record<String>()
        let object = try await peer.serve { call in
            questions.add(call.member)
            switch questions.elements.count {
            case 1, 2: call.fail("org.freedesktop.DBus.Error.AccessDenied", "not now")
            case 3...7: call.fail("test.Busy", "not yet")
            default: call.reply([.dictionary(key: "o", value: "a{sa{sv}}", [])])
            }
        }
        try await peer.requestName("test.Service")
        let clock = ManualClock()
        let mirror = try await mirror(client, clock: clock)
        for (index, pause) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
            _ = try await questions.first(index + 1)
            try await within(.seconds(20), "a pause") { await clock.sleepers() }
            clock.advance(by: .seconds(pause) - .milliseconds(1))
            try await client.sync()
            #expect(questions.elements.count == index + 1)
            clock.advance(by: .milliseconds(1))
        }
        // A reason is told once.
        #expect(
            try await events.first(3) == [
                .unavailable(.remote(name: "org.freedesktop.DBus.Error.AccessDenied", message: "not now")),
                .unavailable(.remote(name: "test.Busy", message: "not yet")), .available(owner: peer.name),
            ])
        withExtendedLifetime((object, mirror)) {}
    }

    @Test("a mirror that was ended, or whose service has gone, does not ask again")
    func asksNoMore() async throws {
        let peer = try BusPeer(bus)
        let questions = Record<String>()
        let object = try await peer.serve { call in
            questions.add(call.member)
            call.fail("test.Busy", "not yet")
        }
        try await peer.requestName("test.Service")
        let clock = ManualClock()
        let mirror = try await mirror(client, clock: clock)
        _ = try await events.first(1)
        try await within(.seconds(20), "a pause") { await clock.sleepers() }
        try await client.run { _ in mirror.close() }
        clock.advance(by: .seconds(60))
        try await client.sync()
        #expect(questions.elements.count == 1)
        withExtendedLifetime(object) {}
    }

    @Test("an answer of another form is an error, and what is not understood in a signal is dropped")
    func wrongForms() async throws {
        let peer = try BusPeer(bus)
        let answer = Record<BusValue>()
        answer.add("nonsense")
        let object = try await peer.serve { call in call.reply([answer.elements[0]]) }
        try await peer.requestName("test.Service")
        let mirror = try await mirror(client)
        guard case .unavailable(.unexpectedReply) = try await events.first(1).first else {
            return #expect(Bool(false), "\(events.elements)")
        }
        let (next, tree) = try await {
            try await peer.run { $0.close() }
            _ = try await events.when("the service to go") { $0.last == .unavailable(nil) }
            return try await service(on: bus)
        }()
        _ = try await events.when("the next service") { $0.contains(.available(owner: next.name)) }
        let count = try await events.when("its object") { if case .added = $0.last { true } else { false } }.count
        try await next.run { connection in
            for member in ["InterfacesAdded", "InterfacesRemoved"] {
                for arguments: [BusValue] in [[], [1], [1, 2], [.path("/a"), "x"], ["/a", .strings([]), 3]] {
                    try connection.emit("/", "org.freedesktop.DBus.ObjectManager", member, arguments)
                }
            }
            for arguments: [BusValue] in [[], ["test.One"], ["test.One", 1, 2], [1, .properties([:]), .strings([])]] {
                try connection.emit("/a", "org.freedesktop.DBus.Properties", "PropertiesChanged", arguments)
            }
            try tree.add("/z", "test.End")
        }
        #expect(try await events.first(count + 1).last == .added(path: "/z", interface: "test.End", properties: [:]))
        withExtendedLifetime((object, mirror)) {}
    }

    @Test("a closure may end the mirror that called it")
    func closeInside() async throws {
        let (peer, tree) = try await service(on: bus)
        try await peer.run { _ in try tree.add("/b", "test.One") }
        let box = Record<BusObjectMirror>()
        try await client.run { [events] connection in
            box.add(
                BusObjectMirror(connection, service: "test.Service") { event in
                    events.add(event)
                    if case .added = event { box.elements[0].close() }
                })
        }
        #expect(try await events.first(2).count == 2)
        try await client.sync()
        #expect(events.elements.count == 2)
    }

    @Test("signals of others about the service's objects change nothing")
    func forged() async throws {
        let (peer, tree) = try await service(on: bus)
        let mirror = try await mirror(client)
        _ = try await events.first(2)
        let forger = try BusPeer(bus)
        // Anybody's signals are let in by this match.
        let anybody = Record<String>()
        let match = BusMatch(interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
        let open = try await client.run { $0.observe(match) { anybody.add($0.sender) } }
        try await client.sync()
        try await forger.run { connection in
            try connection.emit(
                "/a", "org.freedesktop.DBus.Properties", "PropertiesChanged",
                ["test.One", .properties(["Name": "forged"]), .strings([])])
        }
        _ = try await anybody.first(1)
        try await client.run { _ in #expect(mirror.properties("/a", "test.One")?["Name"] == "a") }
        #expect(events.elements.count == 2)
        withExtendedLifetime((peer, tree, open)) {}
    }
}
