import DBus
import Foundation
import TestSupport
import Testing

@Suite("A property that a mirror keeps apart")
struct BusPropertyWatchTests {
    private let bus: PrivateBus
    private let client: BusPeer
    private let service: BusPeer
    private let events = Record<BusObjectMirror.Event>()
    private let values = Record<BusValue>()

    init() throws {
        bus = try PrivateBus()
        client = try BusPeer(bus)
        service = try BusPeer(bus)
    }

    /// A mirror of a service with two objects that have the property, once it is available.
    private func mirror() async throws -> (mirror: BusObjectMirror, tree: BusObjectTree) {
        let tree = try await service.run { connection in
            let tree = try BusObjectTree(connection, root: "/")
            for path in ["/a", "/b"] {
                try tree.add(path, "test.One", properties: ["Value": .bytes(Data([0])), "Name": "x"])
            }
            return tree
        }
        try await service.requestName("test.Service")
        let mirror = try await client.run { [events] in
            BusObjectMirror($0, service: "test.Service", apart: BusProperty("test.One", "Value"), onEvent: events.add)
        }
        _ = try await events.first(3)
        return (mirror, tree)
    }

    /// Has the service signal changes of one object, and waits until the mirror has them all.
    private func tell(
        _ changed: [String: BusValue] = [:], without invalidated: [String] = [], at path: String = "/a",
        of interface: String = "test.One", as form: BusValue? = nil
    ) async throws {
        try await service.run { connection in
            try connection.emit(
                path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                [.string(interface), form ?? .properties(changed), .strings(invalidated)])
        }
        try await service.sync()
        try await client.sync()
    }

    @Test("told alone, it is for those who follow it at that object, and no event")
    func alone() async throws {
        let (mirror, tree) = try await mirror()
        let watch = try await client.run { [values] _ in mirror.watch("/a", values.add) }
        try await tell(["Value": .bytes(Data([1, 2]))])
        try await tell(["Value": .bytes(Data([3]))], at: "/b")
        try await tell(["Value": "text"])
        #expect(values.elements == [.bytes(Data([1, 2])), "text"])
        #expect(events.elements.count == 3)
        try await client.run { _ in
            watch.cancel()
            #expect(mirror.properties("/a", "test.One") == ["Value": .bytes(Data([0])), "Name": "x"])
        }
        try await tell(["Value": .bytes(Data([4]))])
        #expect(values.elements.count == 2)
        #expect(events.elements.count == 3)
        withExtendedLifetime(tree) {}
    }

    @Test("told with others, it is told to those who follow it, and then an event")
    func withOthers() async throws {
        let (mirror, tree) = try await mirror()
        let watch = try await client.run { [values] _ in mirror.watch("/a", values.add) }
        let changes: [([String: BusValue], [String])] = [
            (["Value": .bytes(Data([1])), "Name": "y"], []), (["Name": "z"], []),
            (["Value": .bytes(Data([2]))], ["Name"]),
            ([:], ["Name"]), ([:], []),
        ]
        for (changed, invalidated) in changes { try await tell(changed, without: invalidated) }
        #expect(values.elements == [.bytes(Data([1])), .bytes(Data([2]))])
        #expect(
            Array(events.elements.dropFirst(3))
                == changes.map { .changed(path: "/a", interface: "test.One", changed: $0, invalidated: $1) })
        withExtendedLifetime((watch, tree)) {}
    }

    @Test("the same name in another interface, and a signal of another form, are not it")
    func others() async throws {
        let (mirror, tree) = try await mirror()
        let watch = try await client.run { [values] _ in mirror.watch("/a", values.add) }
        try await service.run { _ in try tree.add("/a", "test.Two", properties: ["Value": 1]) }
        _ = try await events.first(4)
        try await tell(["Value": 2], of: "test.Two")
        try await tell(as: .dictionary(key: "s", value: "s", [BusEntry("Value", "text")]))
        #expect(values.elements == [])
        #expect(
            events.elements.last == .changed(path: "/a", interface: "test.Two", changed: ["Value": 2], invalidated: []))
        withExtendedLifetime(watch) {}
    }
}
