import DBus
import Foundation
import TestSupport
import Testing

@Suite("A tree of objects")
struct BusObjectTreeTests {
    let bus: PrivateBus
    let service: BusPeer
    let client: BusPeer
    let tree: BusObjectTree
    private let properties = "org.freedesktop.DBus.Properties"
    private let manager = "org.freedesktop.DBus.ObjectManager"

    init() async throws {
        let bus = try PrivateBus()
        let service = try BusPeer(bus)
        self.bus = bus
        self.service = service
        client = try BusPeer(bus)
        tree = try await service.run { connection in
            let tree = try BusObjectTree(connection, root: "/app")
            try tree.add("/app/a", "test.One", properties: ["Name": "a", "Value": .bytes(Data([1, 2]))]) { call in
                guard call.member == "Double", let number = call.arguments.first?.int else { return false }
                call.reply([.int32(Int32(number * 2))])
                return true
            }
            try tree.add("/app/a", "test.Two")
            try tree.add(
                "/app/a/b", "test.One", properties: ["Powered": false],
                onSet: { [weak tree] call, property, value in
                    guard property == "Powered", let isOn = value.bool else { return false }
                    try? tree?.set(call.path, "test.One", property, .bool(isOn))
                    call.reply()
                    return true
                })
            return tree
        }
        // What was announced until here is not what the tests listen for.
        try await service.sync()
    }

    private func failure(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) async
        -> String?
    {
        let error = await #expect(throws: BusError.self) {
            try await client.call(service.name, path, interface, member, arguments)
        }
        return error?.name?.replacing("org.freedesktop.DBus.Error.", with: "")
    }

    @Test("properties are read, one and all")
    func get() async throws {
        #expect(
            try await client.call(service.name, "/app/a", properties, "Get", ["test.One", "Name"]) == [.variant("a")])
        #expect(
            try await client.call(service.name, "/app/a", properties, "GetAll", ["test.One"])
                == [.properties(["Name": "a", "Value": .bytes(Data([1, 2]))])])
        #expect(await failure("/app/a", properties, "Get", ["test.One", "None"]) == "UnknownProperty")
        #expect(await failure("/app/a", properties, "Get", ["test.None", "Name"]) == "UnknownInterface")
        #expect(await failure("/app/none", properties, "GetAll", ["test.One"]) == "UnknownObject")
        #expect(await failure("/app/a", properties, "GetAll") == "InvalidArgs")
        #expect(await failure("/app/a", properties, "Forget", ["test.One"]) == "UnknownMethod")
    }

    @Test("a property is set where its interface takes it, and nowhere else")
    func set() async throws {
        let value = BusValue.variant(true)
        #expect(
            try await client.call(service.name, "/app/a/b", properties, "Set", ["test.One", "Powered", value]) == [])
        #expect(
            try await client.call(service.name, "/app/a/b", properties, "Get", ["test.One", "Powered"]) == [
                .variant(true)
            ])
        #expect(
            await failure("/app/a/b", properties, "Set", ["test.One", "Powered", .variant(1)]) == "PropertyReadOnly")
        #expect(await failure("/app/a/b", properties, "Set", ["test.One", "Powered", true]) == "PropertyReadOnly")
        #expect(await failure("/app/a", properties, "Set", ["test.One", "Name", .variant("b")]) == "PropertyReadOnly")
    }

    @Test("all objects are told at once")
    func managedObjects() async throws {
        func interfaces(_ interfaces: [(String, [String: BusValue])]) -> BusValue {
            .dictionary(key: "s", value: "a{sv}", interfaces.map { BusEntry(.string($0), .properties($1)) })
        }
        let expected = BusValue.dictionary(
            key: "o", value: "a{sa{sv}}",
            [
                BusEntry(
                    .path("/app/a"),
                    interfaces([("test.One", ["Name": "a", "Value": .bytes(Data([1, 2]))]), ("test.Two", [:])])),
                BusEntry(.path("/app/a/b"), interfaces([("test.One", ["Powered": false])])),
            ])
        #expect(try await client.call(service.name, "/app", manager, "GetManagedObjects") == [expected])
        #expect(await failure("/app/a", manager, "GetManagedObjects") == "UnknownMethod")
    }

    @Test("methods reach their interface; what it does not know is refused by name")
    func methods() async throws {
        #expect(try await client.call(service.name, "/app/a", "test.One", "Double", [21]) == [42])
        #expect(await failure("/app/a", "test.One", "Triple") == "UnknownMethod")
        #expect(await failure("/app/a", "test.Two", "Double", [21]) == "UnknownMethod")
        #expect(await failure("/app/a", "test.None", "Double", [21]) == "UnknownMethod")
        #expect(await failure("/app/none", "test.One", "Double", [21]) == "UnknownObject")
        #expect(await failure("/elsewhere", "test.One", "Double", [21]) == "UnknownObject")
    }

    @Test("whoever looks around finds interfaces, properties and the way down")
    func introspection() async throws {
        let interface = "org.freedesktop.DBus.Introspectable"
        let root = try await client.call(service.name, "/app", interface, "Introspect")
        #expect(root == [.string("<node>\n  <node name=\"a\"/>\n</node>")])
        let object = try #require(try await client.call(service.name, "/app/a", interface, "Introspect").first?.string)
        #expect(object.contains("<interface name=\"test.One\">"))
        #expect(object.contains("<property name=\"Value\" type=\"ay\" access=\"read\"/>"))
        #expect(object.contains("<node name=\"b\"/>"))
        #expect(await failure("/app/none", interface, "Introspect") == "UnknownObject")
        _ = try await client.call(service.name, "/app/a", "org.freedesktop.DBus.Peer", "Ping")
    }

    @Test("what changes is announced, and what does not is not, unless it is a notification")
    func changes() async throws {
        let heard = Record<BusSignal>()
        let subscription = try await client.run { [name = service.name] in $0.observe(BusMatch(sender: name), heard.add)
        }
        try await client.sync()
        try await service.run { [tree] _ in
            try tree.set("/app/a", "test.One", "Name", "a")
            try tree.set("/app/a", "test.One", "Name", "b")
            try tree.notify("/app/a", "test.One", "Name", "b")
            try tree.add("/app/c", "test.Three", properties: ["X": true])
            tree.remove("/app/a", "test.None")
            tree.remove("/app/none")
            tree.remove("/app/a")
            #expect(throws: BusError.self) { try tree.set("/app/a", "test.One", "Name", "c") }
            #expect(throws: BusError.self) { try tree.add("/elsewhere", "test.One") }
            #expect(throws: BusError.self) {
                try tree.add("/app/d", "not an interface", properties: ["x": .path("bad")])
            }
            #expect(tree.properties("/app/a", "test.One") == nil)
            #expect(tree.properties("/app/c", "test.Three") == ["X": true])
        }
        try await service.run { try $0.emit("/", "test.End", "End") }
        let signals = try await heard.when("the last signal") { $0.last?.member == "End" }
        let change = BusSignal(
            sender: service.name, path: "/app/a", interface: properties, member: "PropertiesChanged",
            arguments: ["test.One", .properties(["Name": "b"]), .strings([])])
        #expect(
            signals.map(\.member) == [
                "PropertiesChanged", "PropertiesChanged", "InterfacesAdded", "InterfacesRemoved", "End",
            ])
        #expect(signals[0] == change)
        #expect(signals[1] == change)
        #expect(
            signals[2].arguments == [
                .path("/app/c"),
                .dictionary(key: "s", value: "a{sv}", [BusEntry("test.Three", .properties(["X": true]))]),
            ])
        #expect(signals[3].arguments == [.path("/app/a"), .strings(["test.One", "test.Two"])])
        #expect(signals[3].path == "/app")
        withExtendedLifetime(subscription) {}
    }

    @Test("a closed tree is off the bus")
    func close() async throws {
        try await service.run { [tree] _ in
            tree.close()
            tree.close()
        }
        #expect(await failure("/app/a", properties, "GetAll", ["test.One"]) == "UnknownObject")
        // The path is free again.
        let next = try await service.run { try BusObjectTree($0, root: "/app") }
        #expect(
            try await client.call(service.name, "/app", manager, "GetManagedObjects")
                == [.dictionary(key: "o", value: "a{sa{sv}}", [])])
        withExtendedLifetime(next) {}
    }
}
