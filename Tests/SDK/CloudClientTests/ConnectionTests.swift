import Basics
import CloudClient
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

/// Time-outs, missing servers, cancellation and configuration.
@Suite struct ConnectionTests {
    @Test func unconfiguredCallsFail() async throws {
        let connection = CloudConnection()
        #expect(connection.account == nil)
        await #expect(throws: CloudError.notConfigured) { try await connection.deviceService.devices(spaceId: "home") }
        await #expect(throws: CloudError.notConfigured) {
            try await connection.liveService.offer(spaceId: "home", deviceId: "d", sdp: "v=0")
        }
    }

    @Test(arguments: ["ftp://home.example", "home.example:80", "/here", "http://", "http://me:canary@home.example"])
    func unusableAddresses(address: String) async throws {
        let connection = CloudConnection(
            CloudAccount(environment: .dev, region: .us, cloud: URL(string: address)!, token: Secret("t")))
        let error = await #expect(throws: CloudError.self) {
            try await connection.deviceService.devices(spaceId: "home")
        }
        guard case .badAddress = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!"\(String(describing: error))".contains("canary"))
    }

    @Test func aTokenOfTwoLinesIsNotSent() async throws {
        try await withCloud({ _ in .json(200, [DeviceModel]()) }) { cloud in
            let connection = CloudConnection(cloud.account(token: Secret("canary\r\nX-Other: 1")))
            let error = await #expect(throws: CloudError.self) {
                try await connection.deviceService.devices(spaceId: "home")
            }
            #expect(
                error == .badArgument(name: "token", reason: "holds a line break or another control character"))
            #expect(cloud.received.isEmpty)
        }
    }

    @Test func usesTheNewestConfiguration() async throws {
        try await withCloud({ _ in .json(200, [DeviceModel]()) }) { cloud in
            let connection = cloud.connection()
            _ = try await connection.deviceService.devices(spaceId: "home")
            let devices = connection.deviceService
            connection.configure(cloud.account(path: "/b", token: Secret("another")))
            _ = try await devices.devices(spaceId: "home")
            #expect(cloud.received.map { $0.headers["Authorization"] } == ["Bearer token-canary", "Bearer another"])
            #expect(cloud.received.map(\.path) == ["/v1/spaces/home/devices", "/b/v1/spaces/home/devices"])
        }
    }

    @Test func callsFromManyTasks() async throws {
        try await withCloud({ request in
            .json(200, [Sample.device(space: String(request.path.split(separator: "/")[2]))])
        }) { cloud in
            let devices = cloud.connection().deviceService
            try await within(.seconds(30), "200 answers") {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            let answer = try await devices.devices(spaceId: "space-\(number)")
                            #expect(answer.map(\.spaceId) == ["space-\(number)"])
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(cloud.received.count == 200)
        }
    }

    @Test func refusedConnection() async throws {
        let deaf = DeafPort()
        let connection = CloudConnection(
            CloudAccount(
                environment: .dev, region: .us, cloud: URL(string: "http://127.0.0.1:\(deaf.number)")!,
                token: Secret("t")))
        let error = await #expect(throws: CloudError.self) {
            try await connection.deviceService.devices(spaceId: "home")
        }
        guard case .unreachable("127.0.0.1:\(deaf.number)", let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == "nothing accepts connections there")
        #expect(error?.isTransient == true)
    }

    @Test func unknownHost() async throws {
        let connection = CloudConnection(
            CloudAccount(
                environment: .dev, region: .us, cloud: URL(string: "http://no-such-host.invalid")!, token: Secret("t")))
        let error = await #expect(throws: CloudError.self) {
            try await connection.deviceService.devices(spaceId: "home")
        }
        guard case .unreachable("no-such-host.invalid:80", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func slowServerTimesOut() async throws {
        let gate = Gate()
        try await withCloud({ _ in
            await gate.wait()
            return .json(200, [DeviceModel]())
        }) { cloud in
            let clock = ManualClock()
            let devices = cloud.connection(clock: clock).deviceService
            let call = Task { try await devices.devices(spaceId: "home") }
            try await within(.seconds(20), "the request") { await gate.arrival() }
            try await within(.seconds(20), "the timer") { await clock.sleepers(atLeast: 1) }
            clock.advance(by: .milliseconds(14_999))
            await Task.yield()
            clock.advance(by: .milliseconds(1))
            let error = try await within(.seconds(20), "the error") {
                await #expect(throws: CloudError.self) { try await call.value }
            }
            #expect(error == .timedOut(host: "127.0.0.1:\(cloud.port)", after: .seconds(15)))
            #expect(error?.description.contains("15s") == true)
            try await within(.seconds(20), "the server to see the end") { await gate.departure() }
        }
    }

    @Test func cancellingTheTaskEndsTheRequest() async throws {
        let gate = Gate()
        try await withCloud({ _ in
            await gate.wait()
            return .json(200, [DeviceModel]())
        }) { cloud in
            let devices = cloud.connection().deviceService
            let call = Task { try await devices.devices(spaceId: "home") }
            try await within(.seconds(20), "the request") { await gate.arrival() }
            call.cancel()
            try await within(.seconds(20), "the error") {
                _ = await #expect(throws: CloudError.cancelled) { try await call.value }
            }
            try await within(.seconds(20), "the server to see the end") { await gate.departure() }
        }
    }

    /// It stopped the program once, when `URLSession` carried it.
    @Test func aRedirectionMayMeetItsCancellation() async throws {
        try await withCloud({ _ in .text(302, "", headers: ["Location": "/elsewhere"]) }) { cloud in
            let devices = cloud.connection(clock: ManualClock()).deviceService
            for step in 0..<300 {
                let call = Task { try await devices.devices(spaceId: "home") }
                let cancelling = Task {
                    try? await Task.sleep(for: .microseconds(step * 20))
                    call.cancel()
                }
                guard case .failure(let error) = await call.result else {
                    Issue.record("a redirection is no answer")
                    return
                }
                #expect([.cancelled, .redirected(to: "http://127.0.0.1:\(cloud.port)")].contains(error as? CloudError))
                await cancelling.value
            }
            #expect(cloud.received.allSatisfy { $0.path == "/v1/spaces/home/devices" })
        }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        try await withCloud({ _ in .json(200, [DeviceModel]()) }) { cloud in
            let devices = cloud.connection().deviceService
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await devices.devices(spaceId: "home")
            }
            await #expect(throws: CloudError.cancelled) { try await call.value }
        }
    }
}
