import DBus
import Foundation
import TestSupport
import Testing

@Suite("Calls")
struct BusCallTests {
    let bus: PrivateBus
    let server: BusPeer
    let client: BusPeer

    init() throws {
        bus = try PrivateBus()
        server = try BusPeer(bus)
        client = try BusPeer(bus)
    }

    @Test("a call arrives with all that its handler needs to know")
    func arrives() async throws {
        let calls = Record<BusMethodCall>()
        let object = try await server.serve { call in
            calls.add(call)
            call.reply()
        }
        #expect(try await client.call(server.name, "/a/b", "test.Interface", "Method", ["x"]) == [])
        let call = try #require(calls.elements.first)
        #expect(call.sender == client.name)
        #expect(call.path == "/a/b")
        #expect(call.interface == "test.Interface")
        #expect(call.member == "Method")
        #expect(call.arguments == ["x"])
        #expect(call.expectsReply)
        withExtendedLifetime(object) {}
    }

    @Test("a remote error comes with its name and text")
    func remoteError() async throws {
        let object = try await server.serve { $0.fail("org.bluez.Error.InProgress", "Operation already in progress") }
        let expected = BusError.remote(name: "org.bluez.Error.InProgress", message: "Operation already in progress")
        await #expect(throws: expected) { try await client.call(server.name) }
        #expect(expected.name == "org.bluez.Error.InProgress")
        withExtendedLifetime(object) {}
    }

    @Test("a service that is not there is a remote error that says so")
    func noService() async throws {
        let error = await #expect(throws: BusError.self) { try await client.call("org.nowhere") }
        #expect(error?.name == "org.freedesktop.DBus.Error.ServiceUnknown")
        #expect(error?.description.contains("start the program") == true)
    }

    @Test("a call that nobody answers in time fails once, and a late answer does no harm")
    func timeout() async throws {
        let calls = Record<BusMethodCall>()
        let object = try await server.serve { calls.add($0) }
        let error = await #expect(throws: BusError.self) {
            try await client.call(server.name, "/x", "test.Slow", "Wait", timeout: .milliseconds(50))
        }
        #expect(error == .timedOut("test.Slow.Wait at \(server.name)/x"))
        let call = try #require(try await calls.first(1).first)
        try await server.run { _ in call.reply(["late"]) }
        try await server.sync()
        try await client.sync()
        withExtendedLifetime(object) {}
    }

    @Test("calls are timed out in the order of their limits, whatever the order they were made in")
    func timeouts() async throws {
        let object = try await server.serve { call in calls.add(call) }
        let order = Record<Int>()
        let name = server.name
        try await client.run { connection in
            for limit in [120, 30, 75] {
                connection.call(name, "/", "test.Slow", "Wait", timeout: .milliseconds(limit)) { _ in order.add(limit) }
            }
        }
        #expect(try await order.first(3) == [30, 75, 120])
        withExtendedLifetime(object) {}
    }
    private let calls = Record<BusMethodCall>()

    @Test("an answer may come later, and answers may overtake each other")
    func laterAnswers() async throws {
        let object = try await server.serve { call in
            calls.add(call)
            guard calls.elements.count == 3 else { return }
            for call in calls.elements.reversed() { call.reply(call.arguments) }
        }
        let answers = Record<[BusValue]>()
        let name = server.name
        try await client.run { connection in
            for number: Int32 in 1...3 {
                connection.call(name, "/", "test.Echo", "Echo", [.int32(number)]) { answers.add((try? $0.get()) ?? []) }
            }
        }
        #expect(try await answers.first(3) == [[3], [2], [1]])
        withExtendedLifetime(object) {}
    }

    @Test("a call is answered once; what comes after is ignored")
    func answeredOnce() async throws {
        let object = try await server.serve { call in
            call.reply(["first"])
            call.reply(["second"])
            call.fail("test.Error", "third")
        }
        #expect(try await client.call(server.name) == ["first"])
        #expect(try await client.call(server.name) == ["first"])
        withExtendedLifetime(object) {}
    }

    @Test("a call that is dropped unanswered is an error for the caller, not a time-out")
    func dropped() async throws {
        let object = try await server.serve { _ in }
        let error = await #expect(throws: BusError.self) { try await client.call(server.name) }
        #expect(error?.name == "org.freedesktop.DBus.Error.NoReply")
        withExtendedLifetime(object) {}
    }

    @Test("a call that is dropped on another thread is answered all the same")
    func droppedElsewhere() async throws {
        let object = try await server.serve { call in
            Thread.detachNewThread { withExtendedLifetime(call) {} }
        }
        let error = await #expect(throws: BusError.self) { try await client.call(server.name) }
        #expect(error?.name == "org.freedesktop.DBus.Error.NoReply")
        withExtendedLifetime(object) {}
    }

    @Test("the caller of a service that goes away in the middle gets an error from the bus")
    func serviceGoes() async throws {
        let object = try await server.serve { call in
            calls.add(call)
            server.connection.close()
        }
        let error = await #expect(throws: BusError.self) { try await client.call(server.name) }
        #expect(error?.name == "org.freedesktop.DBus.Error.NoReply")
        withExtendedLifetime(object) {}
    }

    @Test("a cancelled call is never completed")
    func cancel() async throws {
        let object = try await server.serve { call in call.reply() }
        let reports = Record<String>()
        let name = server.name
        try await client.run { connection in
            let first = connection.call(name, "/", "test.Echo", "Echo") { _ in reports.add("answered") }
            let second = connection.call("not valid!", "/", "test.Echo", "Echo") { _ in reports.add("refused") }
            first.cancel()
            second.cancel()
            second.cancel()
        }
        _ = try await client.call(server.name)
        #expect(reports.elements.isEmpty)
        withExtendedLifetime(object) {}
    }

    @Test("a call that was cancelled by another's completion is not completed, although its answer is there")
    func cancelInCompletion() async throws {
        let object = try await server.serve { call in call.reply() }
        let reports = Record<String>()
        let other = Record<BusPendingCall>()
        let name = server.name
        try await client.run { connection in
            connection.call(name, "/", "test.Echo", "Echo") { _ in
                for call in other.elements { call.cancel() }
                reports.add("first")
            }
            other.add(connection.call(name, "/", "test.Echo", "Echo") { _ in reports.add("second") })
        }
        _ = try await client.call(server.name)
        #expect(reports.elements == ["first"])
        withExtendedLifetime(object) {}
    }

    @Test(
        "what D-Bus does not allow is refused before it is sent, and never inside of the call",
        arguments: [
            ("", "/", "a.b", "M", [] as [BusValue]), ("a.b", "nopath", "a.b", "M", []), ("a.b", "/", "nodot", "M", []),
            ("a.b", "/", "a.b", "no-member", []), ("a.b", "/", "a.b", "M", [.path("nopath")]),
            ("a.b", "/", "a.b", "M", ["a\0b"]), ("a.b", "/", "a.b", "M", [.signature("a")]),
            ("a.b", "/", "a.b", "M", [.array(of: "s", [1])]), ("a.b", "/", "a.b", "M", [.array(of: "zz", [])]),
            ("a.b", "/", "a.b", "M", [.structure([])]),
            ("a.b", "/", "a.b", "M", [.dictionary(key: "as", value: "s", [])]),
            ("a.b", "/", "a.b", "M", [.dictionary(key: "s", value: "s", [BusEntry("a", 1)])]),
        ])
    func invalid(_ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue])
        async throws
    {
        let order = Record<String>()
        try await client.run { connection in
            connection.call(destination, path, interface, member, values) { outcome in
                guard case .failure(.invalid) = outcome else { return order.add("\(outcome)") }
                order.add("refused")
            }
            order.add("returned")
        }
        #expect(try await order.first(2) == ["returned", "refused"])
        await #expect(throws: BusError.self) {
            try await client.run { try $0.send(destination, path, interface, member, values) }
        }
        try await client.sync()
    }

    @Test("a call without an answer arrives, and answering it does no harm")
    func send() async throws {
        let object = try await server.serve { call in
            call.reply(["unwanted"])
            calls.add(call)
        }
        let name = server.name
        try await client.run { try $0.send(name, "/", "test.Note", "Note", ["x"]) }
        let call = try #require(try await calls.first(1).first)
        #expect(!call.expectsReply)
        #expect(call.arguments == ["x"])
        #expect(try await client.call(server.name) == ["unwanted"])
        withExtendedLifetime(object) {}
    }

    @Test("one queue may hold both ends, and closures may call on")
    func bothEnds() async throws {
        let count = Record<Int>()
        let name = client.name
        let object = try await client.serve { $0.reply($0.arguments) }
        @Sendable func next(_ connection: BusConnection, _ number: Int32) {
            connection.call(name, "/", "test.Echo", "Echo", [.int32(number)]) { outcome in
                count.add((try? outcome.get().first?.int) ?? -1)
                if number < 200 { next(connection, number + 1) }
            }
        }
        try await client.run { next($0, 1) }
        #expect(try await count.first(200) == Array(1...200))
        withExtendedLifetime(object) {}
    }

    @Test("the bus's policy refuses by the error AccessDenied")
    func policy() async throws {
        let bus = try PrivateBus(
            policy: "<policy context=\"default\"><deny send_interface=\"test.Denied\"/></policy>")
        let server = try BusPeer(bus)
        let client = try BusPeer(bus)
        let object = try await server.echo()
        let error = await #expect(throws: BusError.self) { try await client.call(server.name, "/", "test.Denied") }
        #expect(error?.name == "org.freedesktop.DBus.Error.AccessDenied")
        #expect(error?.description.contains("/etc/dbus-1/system.d") == true)
        #expect(try await client.call(server.name, "/", "test.Allowed") == [])
        withExtendedLifetime(object) {}
    }

    @Test("a thousand values of 512 bytes go and come")
    func large() async throws {
        let object = try await server.echo()
        let value = BusValue.array(
            of: "ay", (0..<1000).map { .bytes(Data(repeating: UInt8(truncatingIfNeeded: $0), count: 512)) })
        #expect(try await client.call(server.name, "/", "test.Echo", "Echo", [value]) == [value])
        withExtendedLifetime(object) {}
    }

    @Test("more than the socket holds is sent bit by bit, in order")
    func floods() async throws {
        let object = try await server.serve { call in call.reply([call.arguments[0]]) }
        let numbers = Record<Int>()
        let name = server.name
        let load = BusValue.bytes(Data(repeating: 7, count: 100_000))
        try await client.run { connection in
            for number: Int32 in 0..<100 {
                connection.call(name, "/", "test.Echo", "Echo", [.int32(number), load]) {
                    numbers.add((try? $0.get().first?.int) ?? -1)
                }
            }
        }
        #expect(try await numbers.first(100) == Array(0..<100))
        withExtendedLifetime(object) {}
    }

    @Test("a descriptor goes through the bus and is the same file at the other end")
    func descriptors() async throws {
        let object = try await server.echo()
        let pipe = Pipe()
        let sent = BusDescriptor(owning: dup(pipe.fileHandleForWriting.fileDescriptor))
        let answer = try await client.call(server.name, "/", "test.Echo", "Echo", [.fd(sent), .variant(.fd(sent))])
        let received = try answer.map { try #require($0.descriptor) }
        #expect(received.count == 2)
        #expect(received.allSatisfy { $0 != sent })
        let first = try #require(received[0].take())
        #expect(received[0].take() == nil)
        #expect(received[0].duplicate() == nil)
        let file = FileHandle(fileDescriptor: first, closeOnDealloc: true)
        try file.write(contentsOf: Data("through".utf8))
        #expect(pipe.fileHandleForReading.availableData == Data("through".utf8))
        await #expect(throws: BusError.self) {
            try await client.call(server.name, "/", "test.Echo", "Echo", [.fd(received[0])])
        }
        withExtendedLifetime(object) {}
    }

    @Test("a name is had by the first who asks, until that one goes")
    func names() async throws {
        try await server.requestName("test.Name")
        try await server.requestName("test.Name")
        await #expect(throws: BusError.self) { try await client.requestName("test.Name") }
        await #expect(throws: BusError.self) { try await client.requestName("not a name") }
        let object = try await server.echo()
        #expect(try await client.call("test.Name", "/", "test.Echo", "Echo", ["x"]) == ["x"])
        withExtendedLifetime(object) {}
    }
}
