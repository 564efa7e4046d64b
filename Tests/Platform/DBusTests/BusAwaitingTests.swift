import DBus
import Dispatch
import TestSupport
import Testing

@Suite("Calls that a task waits for")
struct BusAwaitingTests {
    private static let interface = "test.Lamp"

    private let bus: PrivateBus
    private let server: BusPeer
    private let client: BusConnection
    private let calls = Record<BusMethodCall>()

    init() throws {
        bus = try PrivateBus()
        server = try BusPeer(bus)
        client = try BusConnection(.address(bus.address), queue: DispatchQueue(label: "client"))
    }

    /// A lamp that others can dim.
    private func lamp() async throws -> BusObjectTree {
        try await server.run { connection in
            let tree = try BusObjectTree(connection, root: "/")
            try tree.add("/lamp", Self.interface, properties: ["Level": 3, "Name": "Porch"]) { call in
                call.reply(call.arguments.reversed())
                return true
            } onSet: { [weak tree] call, name, value in
                guard name == "Level" else { return false }
                try? tree?.set("/lamp", Self.interface, name, value)
                call.reply()
                return true
            }
            return tree
        }
    }

    @Test("a call returns the answer, in whichever task it is made")
    func answers() async throws {
        let lamp = try await lamp()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { [client, server] in
                    let answer = try await client.call(
                        server.name, "/lamp", Self.interface, "Swap", ["x", .int32(Int32(number))])
                    #expect(answer == [.int32(Int32(number)), "x"])
                }
            }
            try await group.waitForAll()
        }
        withExtendedLifetime(lamp) {}
    }

    @Test("properties are read and set")
    func properties() async throws {
        let lamp = try await lamp()
        #expect(try await client.property(server.name, "/lamp", Self.interface, "Level") == 3)
        try await client.setProperty(server.name, "/lamp", Self.interface, "Level", to: 5)
        #expect(
            try await client.properties(server.name, "/lamp", Self.interface) == ["Level": 5, "Name": "Porch"])
        let readOnly = await #expect(throws: BusError.self) {
            try await client.setProperty(server.name, "/lamp", Self.interface, "Name", to: "Hall")
        }
        #expect(readOnly?.name == BusError.propertyReadOnly)
        let unknown = await #expect(throws: BusError.self) {
            try await client.property(server.name, "/lamp", Self.interface, "Colour")
        }
        #expect(unknown?.name == BusError.unknownProperty)
        #expect(unknown?.isUnavailable == false)
        withExtendedLifetime(lamp) {}
    }

    @Test("an answer without what was asked for is an error")
    func wrongAnswers() async throws {
        let object = try await server.serve { $0.reply([7, 8]) }
        await #expect(throws: BusError.unexpectedReply("\(server.name)/x answered without the value of a.b.C")) {
            try await client.property(server.name, "/x", "a.b", "C")
        }
        await #expect(throws: BusError.unexpectedReply("\(server.name)/x answered without the properties of a.b")) {
            try await client.properties(server.name, "/x", "a.b")
        }
        withExtendedLifetime(object) {}
    }

    @Test("a remote error, a time that is over and a name that is not allowed are typed")
    func errors() async throws {
        let object = try await server.serve { call in
            if call.member == "No" { call.fail("test.Error.No", "no") } else { calls.add(call) }
        }
        await #expect(throws: BusError.remote(name: "test.Error.No", message: "no")) {
            try await client.call(server.name, "/", "test.Any", "No")
        }
        await #expect(throws: BusError.timedOut("test.Any.Wait at \(server.name)/")) {
            try await client.call(server.name, "/", "test.Any", "Wait", timeout: .milliseconds(20))
        }
        let invalid = await #expect(throws: BusError.self) {
            try await client.call(server.name, "no path", "test.Any", "No")
        }
        guard case .invalid = invalid else {
            Issue.record("\(String(describing: invalid))")
            return
        }
        let nobody = await #expect(throws: BusError.self) { try await client.call("test.Nobody", "/", "a.b", "C") }
        #expect(nobody?.isUnavailable == true)
        withExtendedLifetime(object) {}
    }

    @Test("a cancelled task gets its answer, and can make the calls that undo what it did")
    func cancelled() async throws {
        let object = try await server.serve { call in
            if call.member == "Undo" { call.reply(["undone"]) } else { calls.add(call) }
        }
        let task = Task { [client, server] in
            let answer = try await client.call(server.name, "/", "test.Any", "Do")
            #expect(Task.isCancelled)
            return answer + (try await client.call(server.name, "/", "test.Any", "Undo"))
        }
        let call = try #require(try await calls.first(1).first)
        task.cancel()
        try await server.run { _ in call.reply(["done"]) }
        #expect(try await within(.seconds(20), "both answers") { try await task.value } == ["done", "undone"])
        withExtendedLifetime(object) {}
    }

    @Test("a connection that closes ends the wait, and those that begin afterwards")
    func closed() async throws {
        let object = try await server.serve { calls.add($0) }
        let task = Task { [client, server] in
            _ = await #expect(throws: BusError.disconnected) {
                try await client.call(server.name, "/", "test.Any", "Wait")
            }
        }
        _ = try await calls.first(1)
        client.queue.async { [client] in client.close() }
        try await within(.seconds(20), "the end of the call") { await task.value }
        await #expect(throws: BusError.disconnected) { try await client.property(server.name, "/", "a.b", "C") }
        withExtendedLifetime(object) {}
    }

    @Test("the bus says who has a name, and what is sent to an owner that has gone reaches nobody")
    func owners() async throws {
        #expect(try await client.owner(of: "test.Name") == nil)
        let object = try await server.echo()
        try await server.requestName("test.Name")
        let owner = try #require(try await client.owner(of: "test.Name"))
        #expect(owner == server.name)
        #expect(try await client.call(owner, "/", "test.Echo", "Echo", ["x"]) == ["x"])
        try await server.run { $0.close() }
        let next = try BusPeer(bus)
        // The bus frees the name a moment after the close.
        try await within(.seconds(20), "the name") {
            while (try? await next.requestName("test.Name")) == nil { await Task.yield() }
        }
        let error = await #expect(throws: BusError.self) { try await client.call(owner, "/", "test.Echo", "Echo") }
        #expect(error?.isUnavailable == true)
        withExtendedLifetime(object) {}
    }

    @Test(
        "an error says whether somebody answers there",
        arguments: [
            (BusError.disconnected, true), (.timedOut("x"), true), (.unreachable("x"), true), (.invalid("x"), false),
            (.unexpectedReply("x"), false), (.remote(name: BusError.accessDenied, message: ""), true),
            (.remote(name: "org.freedesktop.DBus.Error.Spawn.ChildExited", message: ""), true),
            (.remote(name: BusError.unknownObject, message: ""), false),
            (.remote(name: "org.bluez.Error.Failed", message: ""), false),
        ])
    func availability(_ error: BusError, isUnavailable: Bool) {
        #expect(error.isUnavailable == isUnavailable)
    }
}
