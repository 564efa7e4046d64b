import Foundation
import FoundationNetworking
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// A person's client over real sockets: Foundation's own.
final class CloudClient: Sendable {
    let port: Int
    private let session = URLSession(configuration: .ephemeral)

    init(_ server: CloudServer) { port = server.port }

    deinit { session.invalidateAndCancel() }

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
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        request.httpBody = body
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.setValue(token.map { "Bearer \($0.revealed)" }, forHTTPHeaderField: "Authorization")
        request.timeoutInterval = 30
        let (data, response) = try await session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        var headers = HTTPFields()
        for (name, value) in http.allHeaderFields { headers["\(name)"] = "\(value)" }
        return Answer(status: http.statusCode, data: data, headers: headers)
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
