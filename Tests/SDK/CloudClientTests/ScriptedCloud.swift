import Basics
import CloudClient
import Foundation
import WebSockets
import Wire

/// A cloud that answers what a test tells it to, over real HTTP, and remembers what it was asked.
final class ScriptedCloud: Sendable {
    typealias Script = @Sendable (HTTPRequest) async -> HTTPResponse

    static let token = Secret("token-canary")

    private final class Service: HTTPService {
        let script: Script
        let received = Locked<[HTTPRequest]>([])

        init(_ script: @escaping Script) { self.script = script }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            received.withLock { $0.append(request) }
            return await script(request)
        }
    }

    private let server: HTTPServer
    private let service: Service

    init(_ script: @escaping Script) async throws {
        service = Service(script)
        server = try await HTTPServer.start(service: service)
    }

    var received: [HTTPRequest] { service.received.withLock { $0 } }
    var url: URL { URL(string: "http://127.0.0.1:\(server.port)")! }
    var port: Int { server.port }

    func account(path: String = "", token: Secret = ScriptedCloud.token) -> CloudAccount {
        CloudAccount(
            environment: .production, region: .us, cloud: URL(string: url.absoluteString + path)!, token: token)
    }

    func connection(clock: any Clock<Duration> = ContinuousClock()) -> CloudConnection {
        CloudConnection(account(), clock: clock)
    }

    func stop() async { await server.stop() }
}

extension HTTPResponse {
    static func json(_ status: Int, _ value: some Encodable) -> HTTPResponse {
        let body = (try? JSONEncoder().encode(value)) ?? Data("cannot encode".utf8)
        return HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
    }

    static func text(_ status: Int, _ text: String, headers: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
    }
}

/// Starts a cloud, runs `body` and stops it again.
func withCloud<Result>(
    _ script: @escaping ScriptedCloud.Script, _ body: (ScriptedCloud) async throws -> Result
) async throws -> Result {
    let cloud = try await ScriptedCloud(script)
    do {
        let result = try await body(cloud)
        await cloud.stop()
        return result
    } catch {
        await cloud.stop()
        throw error
    }
}

/// Values that the scripted clouds answer with.
enum Sample {
    static let deviceId = "PLC0123456789ABCDEFGHJKMNPQ"

    static func device(
        space: String = "home", id: String = deviceId, status: DeviceAuthStatus = .paired
    ) -> DeviceModel {
        DeviceModel(
            deviceId: id, spaceId: space, name: "Door", model: "Reference", pairingStatus: status, online: true,
            asleep: false, privacy: false, publicKey: "AAAA")
    }

    static let key = PairingSessionKeyModel(sessionKey: "key-canary", region: "us", expiresIn: 600)
    static let keyRequest = PairingSessionKeyRequest(
        timezoneSettings: TimezoneSettings(id: "America/New_York", tzFormat: "GMT-05:00"))
}
