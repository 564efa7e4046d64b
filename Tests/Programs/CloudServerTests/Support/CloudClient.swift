import Foundation
import HTTPClient
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// A person's client over real sockets.
final class CloudClient: Sendable {
    let port: Int
    private let http = HTTPClient()

    init(_ server: CloudServer) { port = server.port }

    struct Answer: Sendable {
        var status: Int
        var data: Data
        var headers: HTTPFields
        func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: data)
        }
    }

    func send(
        _ method: String, _ path: String, body: Data? = nil, type: String? = nil, token: Secret? = nil
    ) async throws -> Answer {
        var request = HTTPClient.Request(
            method, try #require(URL(string: "http://127.0.0.1:\(port)\(path)")), timeout: .seconds(30))
        request.body = body
        request.headers["Content-Type"] = type
        request.headers["Authorization"] = token.map { "Bearer \($0.revealed)" }
        let answer = try await http.send(request)
        var headers = HTTPFields()
        for (name, value) in answer.fields { headers[name] = value }
        return Answer(status: answer.status, data: answer.body, headers: headers)
    }

    func post(_ path: String, _ body: some Encodable, token: Secret? = nil) async throws -> Answer {
        try await send("POST", path, body: try JSONEncoder().encode(body), type: "application/json", token: token)
    }

    /// A new session's key.
    func newSessionKey(_ home: CloudServer.SpaceCredentials) async throws -> Secret {
        let answer = try await post(
            CloudRoute.pairingSessions(space: home.spaceId),
            PairingSessionKeyRequest(timezoneSettings: CloudFixture.timezone), token: home.token)
        return Secret(try answer.decoded(PairingSessionKeyModel.self).sessionKey)
    }

    func status(_ key: Secret, _ home: CloudServer.SpaceCredentials) async throws -> PairingSessionStatus {
        try await post(
            CloudRoute.pairingSessionStatus(space: home.spaceId), PairingSessionStatusRequest(sessionKey: key),
            token: home.token
        ).decoded()
    }
}
