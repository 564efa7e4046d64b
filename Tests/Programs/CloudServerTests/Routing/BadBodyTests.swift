import Foundation
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// Bodies that are not what a route takes.
@Suite struct BadBodyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var body: String
        var code: APIError.Code
        var field: String?
        var testDescription: String { body }
    }

    private static let sessionCases = [
        Case(body: "", code: .notJSON),
        Case(body: "{", code: .notJSON),
        Case(body: "not JSON", code: .notJSON),
        Case(body: #"{"timezoneSettings": canary}"#, code: .notJSON),
        Case(body: "\u{0}", code: .notJSON),
        Case(body: "[]", code: .badField),
        Case(body: "null", code: .badField),
        Case(body: "3", code: .badField),
        Case(body: "{}", code: .badField, field: "timezoneSettings"),
        Case(body: #"{"timezoneSettings": null}"#, code: .badField, field: "timezoneSettings"),
        Case(body: #"{"timezoneSettings": "canary"}"#, code: .badField, field: "timezoneSettings"),
        Case(body: #"{"timezoneSettings": []}"#, code: .badField, field: "timezoneSettings"),
        Case(body: #"{"timezoneSettings": {"id": "x"}}"#, code: .badField, field: "timezoneSettings.tzFormat"),
        Case(
            body: #"{"timezoneSettings": {"id": 5, "tzFormat": "x"}}"#, code: .badField, field: "timezoneSettings.id"),
        Case(
            body: #"{"timezoneSettings": {"id": "", "tzFormat": "x"}}"#, code: .badField, field: "timezoneSettings.id"),
        Case(
            body: #"{"timezoneSettings": {"id": "x", "tzFormat": "a b"}}"#, code: .badField,
            field: "timezoneSettings.tzFormat"),
        Case(
            body: #"{"timezoneSettings": {"id": "x", "tzFormat": "y"}, "sessionType": {"kind": "canary"}}"#,
            code: .badField, field: "sessionType.kind"),
        Case(
            body: #"{"timezoneSettings": {"id": "x", "tzFormat": "y"}, "sessionType": {"kind": "fourG"}}"#,
            code: .badField, field: "sessionType.deviceId"),
        Case(
            body:
                #"{"timezoneSettings": {"id": "x", "tzFormat": "y"}, "sessionType": {"kind": "fourG", "deviceId": "canary"}}"#,
            code: .badField, field: "sessionType.deviceId"),
    ]

    @Test(arguments: sessionCases)
    func aBadSessionRequestNamesItsField(_ bad: Case) async throws {
        let fixture = try await CloudFixture()
        let response = await fixture.send(
            "POST", CloudRoute.pairingSessions(space: fixture.home.space), body: Data(bad.body.utf8),
            type: "application/json", token: fixture.home.token)
        try check(response, bad)
    }

    private static let registrationCases = [
        Case(body: "{}", code: .badField, field: "sessionKey"),
        Case(body: #"{"sessionKey": {}}"#, code: .badField, field: "sessionKey"),
        Case(body: #"{"sessionKey": "k", "deviceId": "canary"}"#, code: .badField, field: "deviceId"),
        Case(body: #"{"sessionKey": "k", "deviceId": 4}"#, code: .badField, field: "deviceId"),
        Case(
            body: #"{"sessionKey": "k", "deviceId": "PLC000000000000000000000000", "publicKey": "%%"}"#,
            code: .badField,
            field: "publicKey"),
        Case(
            body: #"{"sessionKey": "k", "deviceId": "PLC000000000000000000000000", "publicKey": 7}"#, code: .badField,
            field: "publicKey"),
        Case(
            body: """
                {"sessionKey": "k", "deviceId": "PLC000000000000000000000000", "publicKey": "AAAA", "model": "m", \
                "signature": "AAAA"}
                """, code: .badField, field: "publicKey"),
    ]

    @Test(arguments: registrationCases)
    func aBadRegistrationNamesItsField(_ bad: Case) async throws {
        let fixture = try await CloudFixture()
        let response = await fixture.send("POST", CloudRoute.registrations, body: Data(bad.body.utf8))
        try check(response, bad)
    }

    private func check(_ response: HTTPResponse, _ bad: Case) throws {
        #expect(response.status == 400)
        let error = try #require(response.apiError)
        #expect(error.code == bad.code)
        #expect(error.field == bad.field)
        #expect(error.message.hasSuffix("."))
        #expect(!response.text.contains("canary"), "the answer repeats what was sent")
    }

    @Test(arguments: [
        #"{"sessionKey": "k", "failure": "canary"}"#, #"{"sessionKey": "k", "failure": 1}"#, #"{"sessionKey": "k"}"#,
    ])
    func aBadFailureReportNamesItsField(_ body: String) async throws {
        let fixture = try await CloudFixture()
        let response = await fixture.send("POST", CloudRoute.pairingFailures, body: Data(body.utf8))
        #expect(response.status == 400)
        #expect(response.apiError?.field == "failure")
    }

    @Test func aBodyOverTheLimitIsRefused() async throws {
        let fixture = try await CloudFixture()
        let path = CloudRoute.pairingSessions(space: fixture.home.space)
        let largest = await fixture.send(
            "POST", path, body: Data(repeating: 0x20, count: 16 << 10), token: fixture.home.token)
        #expect(largest.apiError?.code == .notJSON)
        let larger = await fixture.send(
            "POST", path, body: Data(repeating: 0x20, count: 16 << 10 + 1), token: fixture.home.token)
        #expect(larger.status == 413)
        #expect(larger.apiError?.code == .bodyTooLarge)
    }

    @Test func anotherMediaTypeIsRefused() async throws {
        let fixture = try await CloudFixture()
        let path = CloudRoute.pairingSessions(space: fixture.home.space)
        let body = try JSONEncoder().encode(PairingSessionKeyRequest(timezoneSettings: CloudFixture.timezone))
        for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
            let response = await fixture.send("POST", path, body: body, type: type, token: fixture.home.token)
            #expect(response.status == 415, "\(type)")
            #expect(response.apiError?.code == .unsupportedMediaType)
        }
        for type in [nil, "application/json", "Application/JSON; charset=utf-8"] as [String?] {
            let response = await fixture.send("POST", path, body: body, type: type, token: fixture.home.token)
            #expect(response.status == 201, "\(type ?? "unsaid")")
        }
    }

    @Test func deepNestingIsAnError() async throws {
        let fixture = try await CloudFixture()
        let body = Data(String(repeating: "[", count: 8000).utf8)
        let response = await fixture.send(
            "POST", CloudRoute.pairingSessions(space: fixture.home.space), body: body, token: fixture.home.token)
        #expect(response.status == 400)
    }
}
