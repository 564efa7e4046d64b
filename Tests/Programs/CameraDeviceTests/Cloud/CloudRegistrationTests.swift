import CryptoKit
import Foundation
import HTTPClient
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CameraDevice

@Suite struct CloudRegistrationTests {
    private let identity: CameraIdentity
    /// Stands still unless a test moves it, so that no attempt ends because the machine is busy.
    private let clock = ManualClock()

    init() throws { identity = try Samples.identity() }

    private func registration(
        _ patience: CloudRegistration.Patience = .init(budget: .seconds(20), attempt: .seconds(10)),
        clock: (any Clock<Duration>)? = nil
    ) -> CloudRegistration {
        // The smallest draw, zero: no wait between attempts.
        CloudRegistration(
            identity: identity, model: "Model", clock: clock ?? self.clock,
            random: SharedRandom(ConstantGenerator(value: 1)), patience: patience)
    }

    private var receipt: DeviceRegistrationReceipt {
        DeviceRegistrationReceipt(
            deviceId: identity.deviceID, name: "Porch", timezoneSettings: TimezoneSettings(id: "UTC", tzFormat: "GMT"))
    }

    private func outcome(_ cloud: FakeCloud, _ registration: CloudRegistration) async throws -> PairingFailure? {
        let result = try await within(.seconds(30), "an end of the registration") { () -> PairingFailure? in
            do throws(PairingFailure) {
                _ = try await registration.register(sessionKey: Secret(Samples.sessionKey), at: cloud.url)
                return nil
            } catch {
                return error
            }
        }
        await cloud.stop()
        return result
    }

    @Test func sendsWhatTheContractSays() async throws {
        let receipt = receipt
        let cloud = try await FakeCloud.start { _, _ in FakeCloud.json(201, receipt) }
        let received = try await registration().register(sessionKey: Secret(Samples.sessionKey), at: cloud.url)
        await cloud.stop()
        #expect(received == receipt)
        let request = try #require(cloud.requests.first)
        #expect(cloud.requests.count == 1)
        #expect(request.method == "POST")
        #expect(request.path == CloudRoute.registrations)
        #expect(request.query.isEmpty)
        #expect(request.headers["Content-Type"] == "application/json")
        let body = try JSONDecoder().decode(DeviceRegistration.self, from: request.body)
        #expect(body.sessionKey == Secret(Samples.sessionKey))
        #expect(body.deviceId == identity.deviceID)
        #expect(body.model == "Model")
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: body.publicKey)
        #expect(body.deviceId == DeviceID(publicKeyDigest: SHA256.hash(data: body.publicKey)))
        #expect(
            key.isValidSignature(
                body.signature,
                for: DeviceRegistration.signedBytes(sessionKey: body.sessionKey, deviceId: body.deviceId)))
    }

    @Test(arguments: [
        (404, APIError.Code.sessionKeyUnknown, PairingFailure.keyRefused),
        (409, .sessionKeyUsed, .keyRefused),
        (410, .sessionKeyExpired, .keyRefused),
        (409, .deviceClaimed, .alreadyClaimed),
        (403, .badSignature, .keyRefused),
        (403, .forbidden, .keyRefused),
        (400, .badField, .internalFault),
        (413, .bodyTooLarge, .internalFault),
    ])
    func anAnswerOfTheCloudIsFinal(status: Int, code: APIError.Code, expected: PairingFailure) async throws {
        let cloud = try await FakeCloud.start { _, _ in FakeCloud.error(status, code) }
        #expect(try await outcome(cloud, registration()) == expected)
        #expect(cloud.requests.count == 1)
    }

    static let passing: [HTTPResponse] = [
        FakeCloud.error(500, .internalFault), FakeCloud.error(503, .unavailable), HTTPResponse(status: 429),
        HTTPResponse(status: 502, body: Data("<html>proxy</html>".utf8)),
        // Not the cloud: a captive portal, another program.
        HTTPResponse(status: 200, body: Data("<html>please log in</html>".utf8)),
        HTTPResponse(status: 404, body: Data("no such page".utf8)),
        HTTPResponse(status: 201, body: Data("{}".utf8)), HTTPResponse(status: 201),
        HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"router\""]),
    ]

    @Test(arguments: passing.indices)
    func whatIsNoAnswerIsTriedAgain(index: Int) async throws {
        let receipt = receipt
        let cloud = try await FakeCloud.start { _, number in
            number < 2 ? Self.passing[index] : FakeCloud.json(201, receipt)
        }
        #expect(try await outcome(cloud, registration()) == nil)
        #expect(cloud.requests.count == 3)
    }

    @Test func aReceiptForAnotherDeviceIsNoAnswer() async throws {
        let other = DeviceRegistrationReceipt(
            deviceId: try Samples.identity().deviceID, name: "Other", timezoneSettings: receipt.timezoneSettings)
        let cloud = try await FakeCloud.start { [clock] _, _ in
            clock.advance(by: .seconds(7))
            return FakeCloud.json(201, other)
        }
        #expect(try await outcome(cloud, registration()) == .cloudUnreachable)
        #expect(cloud.requests.count == 3)
    }

    @Test func attemptsEndWithTheBudget() async throws {
        let cloud = try await FakeCloud.start { [clock] _, _ in
            clock.advance(by: .seconds(7))
            return HTTPResponse(status: 500)
        }
        #expect(try await outcome(cloud, registration()) == .cloudUnreachable)
        // After 0, 7 and 14 of the 20 seconds.
        #expect(cloud.requests.count == 3)
    }

    @Test func aSilentCloudIsGivenUp() async throws {
        let cloud = try await FakeCloud.start { [clock] _, _ in
            await clock.sleepers()
            clock.advance(by: .seconds(10))
            try? await Task.sleep(for: .seconds(60))
            return HTTPResponse(status: 500)
        }
        #expect(try await outcome(cloud, registration()) == .cloudUnreachable)
        #expect(cloud.requests.count == 2, "one silent attempt must not use the whole budget")
    }

    @Test func anAbsentCloudIsGivenUp() async throws {
        let cloud = try await FakeCloud.start()
        await cloud.stop()
        let impatient = registration(
            .init(budget: .milliseconds(300), attempt: .milliseconds(200)), clock: ContinuousClock())
        #expect(try await outcome(cloud, impatient) == .cloudUnreachable)
    }

    @Test func noRedirectIsFollowed() async throws {
        let thief = try await FakeCloud.start { _, _ in HTTPResponse(status: 500) }
        let target = thief.url.cloudRoute(CloudRoute.registrations).absoluteString
        let cloud = try await FakeCloud.start { [clock] _, _ in
            clock.advance(by: .seconds(7))
            return HTTPResponse(status: 307, headers: ["Location": target])
        }
        #expect(try await outcome(cloud, registration()) == .cloudUnreachable)
        #expect(cloud.requests.count == 3)
        await thief.stop()
        #expect(thief.requests.count == 0, "the session key went to another server")
    }

    /// Cancelling a task at the moment of its redirect stopped the program once, when `URLSession` carried it.
    @Test func aRedirectMayMeetItsCancellation() async throws {
        let cloud = try await FakeCloud.start { _, _ in
            HTTPResponse(status: 302, headers: ["Location": "/elsewhere"])
        }
        let http = HTTPClient()
        let request = HTTPClient.Request("GET", cloud.url.cloudRoute(CloudRoute.registrations))
        for step in 0..<300 {
            let sending = Task { try await http.send(request) }
            let cancelling = Task {
                try? await Task.sleep(for: .microseconds(step * 20))
                sending.cancel()
            }
            _ = await sending.result
            await cancelling.value
        }
        http.close()
        await cloud.stop()
        #expect(cloud.requests.allSatisfy { $0.path == CloudRoute.registrations })
    }

    @Test func anEndlessAnswerIsCutOff() async throws {
        let cloud = try await FakeCloud.start { [clock] _, _ in
            clock.advance(by: .seconds(7))
            return HTTPResponse(status: 201, body: Data(repeating: 0x20, count: 3_000_000))
        }
        #expect(try await outcome(cloud, registration()) == .cloudUnreachable)
        #expect(cloud.requests.count == 3)
    }

    @Test func aFailureIsReported() async throws {
        let cloud = try await FakeCloud.start { _, number in HTTPResponse(status: number == 0 ? 503 : 204) }
        await registration().report(.wrongPassword, sessionKey: Secret(Samples.sessionKey), to: cloud.url)
        await cloud.stop()
        #expect(cloud.requests.count == 2)
        let request = try #require(cloud.requests.last)
        #expect(request.path == CloudRoute.pairingFailures)
        let report = try JSONDecoder().decode(PairingFailureReport.self, from: request.body)
        #expect(report == PairingFailureReport(sessionKey: Secret(Samples.sessionKey), failure: .wrongPassword))
    }
}
