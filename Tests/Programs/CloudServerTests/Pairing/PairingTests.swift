import CryptoKit
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CloudServer

@Suite struct PairingTests {
    @Test func aSessionGoesFromInitializedToPaired() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        #expect(try await fixture.status(key) == PairingSessionStatus(expired: false, status: .initialized))

        let device = TestDevice()
        let answer = try await fixture.post(CloudRoute.registrations, try device.registration(key, model: "PLC-1"))
        #expect(answer.status == 201)
        let receipt = try JSONDecoder().decode(DeviceRegistrationReceipt.self, from: answer.body)
        #expect(receipt.deviceId == device.id)
        #expect(receipt.name == "PLC-1 \(device.id.ending)")
        #expect(receipt.timezoneSettings == CloudFixture.timezone)
        let success = PairingStep(status: PairingStep.success)
        #expect(
            try await fixture.status(key)
                == PairingSessionStatus(
                    expired: false, status: .authenticated, deviceId: device.id.rawValue, login: success,
                    pairing: PairingStep(status: PairingStep.pending)))

        let camera = try await fixture.connectedCamera(device)
        #expect(
            try await fixture.status(key)
                == PairingSessionStatus(
                    expired: false, status: .paired, deviceId: device.id.rawValue, login: success, pairing: success))
        let read = await fixture.send(
            "GET", CloudRoute.device(space: fixture.home.space, device: device.id.rawValue), token: fixture.home.token)
        let model = try JSONDecoder().decode(DeviceModel.self, from: read.body)
        #expect(model.pairingStatus == .paired && model.online)
        camera.link.vanish()
    }

    @Test func theAnswerSaysHowLongTheKeyLives() async throws {
        let fixture = try await CloudFixture {
            $0.region = .apac
            $0.sessionKeyLife = .seconds(90)
        }
        let response = try await fixture.post(
            CloudRoute.pairingSessions(space: fixture.home.space),
            PairingSessionKeyRequest(timezoneSettings: CloudFixture.timezone), token: fixture.home.token)
        let model = try JSONDecoder().decode(PairingSessionKeyModel.self, from: response.body)
        #expect(model.region == "apac" && model.expiresIn == 90)
        #expect(throws: Never.self) { try PairingCredentials.check(sessionKey: Secret(model.sessionKey)) }
    }

    @Test func aKeyExpiresWhenItsLifeIsOver() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        fixture.clock.advance(by: .milliseconds(599_999))
        #expect(try await fixture.status(key).expired == false)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await fixture.status(key) == PairingSessionStatus(expired: true, status: .initialized))
        let late = try await fixture.post(CloudRoute.registrations, try TestDevice().registration(key))
        #expect(late.status == 410)
        #expect(late.apiError?.code == .sessionKeyExpired)
        #expect(late.apiError?.field == "sessionKey")
        let report = try await fixture.post(
            CloudRoute.pairingFailures, PairingFailureReport(sessionKey: key, failure: .wrongPassword))
        #expect(report.status == 410)
    }

    @Test func aSessionThatWasUsedDoesNotExpire() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        _ = try await fixture.post(CloudRoute.registrations, try TestDevice().registration(key))
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.status(key).expired == false)
        #expect(try await fixture.status(key).status == DeviceAuthStatus.authenticated.rawValue)
    }

    @Test func aKeyIsUsedOnce() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let first = TestDevice()
        #expect(try await fixture.post(CloudRoute.registrations, try first.registration(key)).status == 201)
        let second = try await fixture.post(CloudRoute.registrations, try TestDevice().registration(key))
        #expect(second.status == 409)
        #expect(second.apiError?.code == .sessionKeyUsed)
        #expect(try await fixture.status(key).deviceId == first.id.rawValue)
    }

    @Test func aCameraThatLostTheAnswerGetsItAgain() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let device = TestDevice()
        let first = try await fixture.post(CloudRoute.registrations, try device.registration(key))
        #expect(first.status == 201)
        let camera = try await fixture.connectedCamera(device)
        #expect(try await fixture.post(CloudRoute.registrations, try device.registration(key)) == first)
        #expect(camera.link.closeReason == nil, "a repeated registration ends the connection")
        fixture.clock.advance(by: .seconds(600))
        let late = try await fixture.post(CloudRoute.registrations, try device.registration(key))
        #expect(late.apiError?.code == .sessionKeyUsed)
        camera.link.vanish()
    }

    @Test func oneOfFiftyCamerasGetsIn() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let registrations = try (0..<50).map { _ in try TestDevice().registration(key) }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for registration in registrations {
                group.addTask { try await fixture.post(CloudRoute.registrations, registration).status }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [201: 1, 409: 49])
        let list = await fixture.send("GET", CloudRoute.devices(space: fixture.home.space), token: fixture.home.token)
        #expect(try JSONDecoder().decode([DeviceModel].self, from: list.body).count == 1)
    }

    @Test func anUnknownKeyIsNotThere() async throws {
        let fixture = try await CloudFixture()
        let key = Secret("a-key-that-nobody-made")
        let answers = [
            try await fixture.post(CloudRoute.registrations, try TestDevice().registration(key)),
            try await fixture.post(
                CloudRoute.pairingFailures, PairingFailureReport(sessionKey: key, failure: .noAddress)),
            try await fixture.post(
                CloudRoute.pairingSessionStatus(space: fixture.home.space),
                PairingSessionStatusRequest(sessionKey: key), token: fixture.home.token),
        ]
        for answer in answers {
            #expect(answer.status == 404)
            #expect(answer.apiError?.code == .sessionKeyUnknown)
        }
        // Another space's session looks the same.
        let others = try await fixture.newSessionKey(in: fixture.otherHome)
        let answer = try await fixture.post(
            CloudRoute.pairingSessionStatus(space: fixture.home.space),
            PairingSessionStatusRequest(sessionKey: others), token: fixture.home.token)
        #expect(answer == answers[2])
    }

    @Test(arguments: PairingFailure.allCases)
    func aFailureIsShownAndTheKeyCanBeTriedAgain(_ failure: PairingFailure) async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let report = try await fixture.post(
            CloudRoute.pairingFailures, PairingFailureReport(sessionKey: key, failure: failure))
        #expect(report.status == 204 && report.body.isEmpty)
        #expect(
            try await fixture.status(key)
                == PairingSessionStatus(
                    expired: false, status: .failed,
                    pairing: PairingStep(status: PairingStep.failure, reason: failure.description)))
        #expect(try await fixture.post(CloudRoute.registrations, try TestDevice().registration(key)).status == 201)
        #expect(try await fixture.status(key).status == DeviceAuthStatus.authenticated.rawValue)
    }

    @Test func aFailureAfterRegistrationIsRefused() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        _ = try await fixture.post(CloudRoute.registrations, try TestDevice().registration(key))
        let report = try await fixture.post(
            CloudRoute.pairingFailures, PairingFailureReport(sessionKey: key, failure: .internalFault))
        #expect(report.status == 409)
        #expect(report.apiError?.code == .sessionKeyUsed)
    }

    @Test func anotherSpacesCameraStaysThereAndThePersonLearnsWhy() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice(in: fixture.otherHome)
        let key = try await fixture.newSessionKey()
        let answer = try await fixture.post(CloudRoute.registrations, try device.registration(key))
        #expect(answer.status == 409)
        #expect(answer.apiError?.code == .deviceClaimed)
        let status = try await fixture.status(key)
        #expect(status.status == DeviceAuthStatus.failed.rawValue)
        #expect(
            status.pairing
                == PairingStep(status: PairingStep.failure, reason: PairingFailure.alreadyClaimed.description))
    }

    @Test func aCameraThatPairsAgainIsPairedWhenItIsBack() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let camera = try await fixture.connectedCamera(device)
        let key = try await fixture.newSessionKey()
        #expect(try await fixture.post(CloudRoute.registrations, try device.registration(key)).status == 201)
        #expect(try await camera.hear() == .goAway(retryAfter: 0))
        try await within(.seconds(20), "the old connection's end") { await camera.serving.value }
        #expect(camera.link.closeReason == .reconnect)
        #expect(try await fixture.status(key).pairing?.status == PairingStep.pending)
        #expect(try await fixture.store.device(device.id)?.pairingStatus == .authenticated)
        let back = try await fixture.connectedCamera(device)
        #expect(try await fixture.status(key).pairing?.status == PairingStep.success)
        #expect(try await fixture.store.device(device.id)?.pairingStatus == .paired)
        back.link.vanish()
    }

    @Test func aCellularSessionIsForItsCamera() async throws {
        let fixture = try await CloudFixture()
        let device = TestDevice()
        let key = try await fixture.newSessionKey(type: .fourG(deviceId: device.id.rawValue))
        let other = try await fixture.post(CloudRoute.registrations, try TestDevice().registration(key))
        #expect(other.status == 403)
        #expect(other.apiError?.code == .forbidden)
        #expect(try await fixture.post(CloudRoute.registrations, try device.registration(key)).status == 201)
    }

    @Test func anIdThatIsNotTheKeysIsRefused() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let device = TestDevice()
        var registration = try device.registration(key)
        registration.deviceId = TestDevice().id
        registration.signature = try device.key.signature(
            for: DeviceRegistration.signedBytes(sessionKey: key, deviceId: registration.deviceId))
        let answer = try await fixture.post(CloudRoute.registrations, registration)
        #expect(answer.status == 403)
        #expect(answer.apiError?.code == .badSignature)
        #expect(answer.apiError?.field == "deviceId")
    }

    @Test func aSignatureForAnotherSessionIsRefused() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let device = TestDevice()
        var registration = try device.registration(Secret("another session's key"))
        registration.sessionKey = key
        let answer = try await fixture.post(CloudRoute.registrations, registration)
        #expect(answer.status == 403)
        #expect(answer.apiError?.code == .badSignature)
        #expect(answer.apiError?.field == "signature")
        #expect(try await fixture.status(key).status == DeviceAuthStatus.initialized.rawValue)
        #expect(try await fixture.post(CloudRoute.registrations, try device.registration(key)).status == 201)
    }

    @Test(arguments: [String(repeating: "m", count: 33), "a\nb", "a\u{0}"])
    func aModelThatCannotBeANameIsRefused(_ model: String) async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let answer = try await fixture.post(
            CloudRoute.registrations, try TestDevice().registration(key, model: model))
        #expect(answer.status == 400)
        #expect(answer.apiError?.field == "model")
    }

    @Test func keysOfOneServerWorkAfterItsRestartUntilTheyExpire() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cloud.sqlite")
        let noon = Date(timeIntervalSince1970: 1_800_000_000)
        let key = CredentialDigest(of: Secret("key"))
        let before = ServerTime(clock: ManualClock(), wallTime: noon, notBefore: nil)
        do {
            let store = try SQLiteStore(path: path)
            try await store.createSpace(
                Space(id: "a", name: "A"), token: CredentialDigest(of: Secret("t")), at: before.now)
            try await store.createSession(
                PairingSession(
                    key: key, space: "a", timezoneSettings: CloudFixture.timezone, sessionType: .other,
                    createdAt: before.now, expiresAt: before.now + .seconds(600)))
        }
        let store = try SQLiteStore(path: path)
        let newest = try await store.newestTimestamp()
        let session = try #require(try await store.session(key, space: "a"))
        let clock = ManualClock()
        let later = ServerTime(clock: clock, wallTime: noon.addingTimeInterval(599), notBefore: newest)
        #expect(session.keyState(at: later.now) == .valid)
        clock.advance(by: .seconds(1))
        #expect(session.keyState(at: later.now) == .expired)
        // The machine's clock was set back by a day while the server was down: the key does not live a day longer.
        let setBack = ServerTime(clock: clock, wallTime: noon.addingTimeInterval(-86_400), notBefore: newest)
        #expect(session.keyState(at: setBack.now) == .valid)
        clock.advance(by: .seconds(600))
        #expect(session.keyState(at: setBack.now) == .expired)
    }
}
