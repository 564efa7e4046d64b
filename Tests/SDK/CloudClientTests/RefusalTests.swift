import CloudClient
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

/// What error answers become.
///
/// The calls' time-out is measured by a clock that stands still, so that a busy machine makes no other error of them.
@Suite struct RefusalTests {
    private func error(_ response: HTTPResponse) async throws -> CloudError {
        try await withCloud({ _ in response }) { cloud in
            try #require(
                await #expect(throws: CloudError.self) {
                    try await cloud.connection(clock: ManualClock()).deviceService.device(
                        spaceId: "home", deviceId: Sample.deviceId)
                })
        }
    }

    @Test(arguments: [
        (400, APIError.Code.badField), (403, .forbidden), (404, .notFound), (405, .methodNotAllowed),
        (409, .sessionKeyUsed), (410, .sessionKeyExpired), (413, .bodyTooLarge), (500, .internalFault),
        (504, .deviceTimeout),
    ])
    func carriesWhatTheCloudSays(status: Int, code: APIError.Code) async throws {
        let said = APIError(code: code, message: "because", field: "timezoneSettings.id")
        let error = try await error(.json(status, said))
        #expect(error == .api(said, status: status, retryAfter: nil))
        #expect(error.apiError == said)
        #expect(error.isTransient == (status >= 500))
        #expect(error.description == "because (timezoneSettings.id) [\(status) \(code)]")
    }

    @Test func readsRetryAfter() async throws {
        let said = APIError(code: .deviceOffline, message: "asleep")
        var response = HTTPResponse.json(409, said)
        response.headers.set("Retry-After", "7")
        #expect(try await error(response) == .api(said, status: 409, retryAfter: .seconds(7)))
        response.headers.set("Retry-After", "-7")
        #expect(try await error(response) == .api(said, status: 409, retryAfter: nil))
    }

    @Test(arguments: ["Bearer realm=\"x\"", nil] as [String?])
    func unauthorized(challenge: String?) async throws {
        var response = HTTPResponse.json(401, APIError(code: .unauthorized, message: "the token was revoked"))
        if let challenge { response.headers.set("WWW-Authenticate", challenge) }
        #expect(try await error(response) == .unauthorized(reason: "the token was revoked"))
    }

    // The limit only makes a failure of a call that is never answered.
    @Test(.timeLimit(.minutes(1))) func aProxyThatAsksForAPassword() async throws {
        let response = HTTPResponse.text(401, "", headers: ["WWW-Authenticate": "Basic realm=\"x\""])
        let error = try await error(response)
        #expect(error == .unauthorized(reason: "the server asks for a user name and a password"))
    }

    @Test func unauthorizedWithoutAReason() async throws {
        guard case .unauthorized = try await error(.text(401, "<html>")) else {
            Issue.record("a 401 of a proxy is unauthorized as well")
            return
        }
    }

    @Test(arguments: [404, 502, 204, 202])
    func answersOfSomethingElse(status: Int) async throws {
        let error = try await error(.text(status, "<html>no such page</html>"))
        guard case .unexpectedAnswer(status, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.isTransient == (status == 502))
    }

    @Test(arguments: [
        ("{", "it is not JSON"), ("", "it is not JSON"), ("[]", "has a wrong type"),
        (#"{"deviceId": "secret-canary"}"#, "spaceId is missing"),
        (
            #"{"deviceId":"a","spaceId":"b","name":"c","model":"d","pairingStatus":"secret-canary"}"#,
            "pairingStatus has a wrong value"
        ),
    ])
    func bodiesThatAreNoDevice(body: String, reason: String) async throws {
        guard case .unexpectedAnswer(200, let said) = try await error(.text(200, body)) else {
            Issue.record("\(body) was accepted")
            return
        }
        #expect(said.hasSuffix(reason), "\(said)")
        #expect(!said.contains("canary"))
    }

    @Test func boundsWhatItReads() async throws {
        let limit = CloudConnection.maximumAnswerBytes
        #expect(try await error(.text(200, String(repeating: " ", count: limit + 1))) == .tooLarge(limit: limit))
        // At the limit it is read to the end.
        guard case .unexpectedAnswer = try await error(.text(200, String(repeating: " ", count: limit))) else {
            Issue.record("an answer at the limit is read")
            return
        }
    }

    @Test(arguments: [301, 302, 307, 308])
    func followsNoRedirection(status: Int) async throws {
        try await withCloud({ _ in .json(200, Sample.device()) }) { elsewhere in
            let target = "\(elsewhere.url)/v1/stolen?x=1"
            let error = try await error(.text(status, "", headers: ["Location": target]))
            #expect(error == .redirected(to: "http://127.0.0.1:\(elsewhere.port)"))
            #expect(elsewhere.received.isEmpty)
        }
    }

    @Test func noDescriptionHoldsASecret() async throws {
        try await withCloud({ _ in .text(500, "token-canary key-canary") }) { cloud in
            let spaces = cloud.connection().spaceService
            let error = await #expect(throws: CloudError.self) {
                try await spaces.getPairingSessionStatus(spaceId: "home", sessionKey: "key-canary")
            }
            #expect(!"\(String(reflecting: error))".contains("canary"))
            let account = cloud.account()
            #expect(!String(reflecting: account).contains("canary"))
            #expect(!"\(PairingSession(spaceId: "home", sessionKey: "key-canary"))".contains("canary"))
        }
    }
}
