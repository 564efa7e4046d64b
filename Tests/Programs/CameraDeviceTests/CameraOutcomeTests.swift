import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CameraDevice

/// A whole camera tells over the air how the attempt ends, whatever makes it end so.
@Suite(.serialized) struct CameraOutcomeTests {
    private func outcome(
        _ fixture: CameraFixture, _ layout: PairingLayout, credentials: PairingCredentials? = nil
    ) async throws -> [ExchangeAnswer] {
        let client = try await connected(to: fixture, layout)
        try await client.send(.credentials(CredentialFields(try credentials ?? Samples.credentials())))
        return try await client.all {
            guard case .state(let state) = $0 else { return false }
            return state.phase == .failed || state.phase == .done
        }
    }

    private func connected(to fixture: CameraFixture, _ layout: PairingLayout) async throws -> ExchangeClient {
        let client = ExchangeClient(
            TestCentral(radioDirectory: fixture.directory.path("air"), layout: layout))
        try await client.connect()
        _ = try await client.hello()
        if layout == .protected {
            try await fixture.event("the setup code") { if case .setupCode = $0 { true } else { false } }
            let code = fixture.all.lazy.compactMap { if case .setupCode(let code) = $0 { code } else { nil } }.first
            #expect(try await client.agree(code) == .answer(.init(message: 2)))
        }
        return client
    }

    private func failed(_ failure: PairingFailure) -> ExchangeAnswer {
        .state(PairingState(phase: .failed, failure: failure))
    }

    private var registering: ExchangeAnswer { .state(PairingState(phase: .registering)) }

    @Test(arguments: [PairingLayout.chunked, .protected])
    func joined(layout: PairingLayout) async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly())
        try await fixture.camera.start()
        let answers = try await outcome(fixture, layout)
        #expect(answers.suffix(2) == [registering, .state(PairingState(phase: .done))])
        try await fixture.event(.online)
        await fixture.stop()
    }

    @Test(arguments: [
        PairingFailure.wrongPassword, .networkNotFound, .noAddress, .invalidCredentials, .internalFault,
    ])
    func whatTheNetworkRefuses(failure: PairingFailure) async throws {
        for layout in [PairingLayout.chunked, .protected] {
            let fixture = try CameraFixture(try await FakeCloud.friendly()) {
                $0.networks = FakeJoiner(refusal: failure)
            }
            try await fixture.camera.start()
            let answers = try await outcome(fixture, layout)
            #expect(answers.last == failed(failure))
            #expect(!answers.contains(registering))
            try await fixture.event(.pairingFailed(failure))
            await fixture.stop()
        }
    }

    @Test(arguments: [
        (410, APIError.Code.sessionKeyExpired, PairingFailure.keyRefused), (409, .sessionKeyUsed, .keyRefused),
        (404, .sessionKeyUnknown, .keyRefused), (403, .forbidden, .keyRefused), (409, .deviceClaimed, .alreadyClaimed),
        (400, .badField, .internalFault),
    ])
    func whatTheCloudRefuses(status: Int, code: APIError.Code, failure: PairingFailure) async throws {
        let fixture = try CameraFixture(try await FakeCloud.start { _, _ in FakeCloud.error(status, code) })
        try await fixture.camera.start()
        #expect(try await outcome(fixture, .protected).suffix(2) == [registering, failed(failure)])
        await fixture.stop()
    }

    @Test func aCloudThatDoesNotAnswer() async throws {
        let fixture = try CameraFixture(try await FakeCloud.start { _, _ in HTTPResponse(status: 503) })
        try await fixture.camera.start()
        #expect(try await outcome(fixture, .protected).suffix(2) == [registering, failed(.cloudUnreachable)])
        await fixture.stop()
    }

    @Test func aPlaceThatTheCameraDoesNotKnow() async throws {
        let fixture = try await CameraFixture.knowingOnePlace()
        try await fixture.camera.start()
        let answers = try await outcome(
            fixture, .protected, credentials: Samples.credentials(environment: .staging))
        #expect(answers.last == failed(.unknownDestination))
        await fixture.stop()
    }

    /// Clients need not wait until the cloud has been told, which may take seconds.
    @Test func aFailureIsToldBeforeItIsReported() async throws {
        let cloud = try await FakeCloud.start { _, _ in
            try? await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 204)
        }
        let fixture = try CameraFixture(cloud) {
            $0.networks = FakeJoiner(refusal: .wrongPassword, isReachable: true)
            $0.clock = ContinuousClock()
        }
        try await fixture.camera.start()
        #expect(try await outcome(fixture, .chunked).last == failed(.wrongPassword))
        await fixture.stop()
    }

    @Test func anotherAttemptOverTheSameLinkSucceeds() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly())
        try await fixture.camera.start()
        let client = try await connected(to: fixture, .protected)
        try await client.send(.credentials(CredentialFields(try Samples.credentials(password: "not the one"))))
        #expect(try await client.states(until: .failed).last == failed(.wrongPassword))
        try await client.send(.credentials(CredentialFields(try Samples.credentials())))
        #expect(try await client.states(until: .done).last == .state(PairingState(phase: .done)))
        try await fixture.event(.online)
        await fixture.stop()
    }

    /// So a camera that loses its power in the middle waits again, and knows nothing of the attempt.
    @Test func nothingOfAnAttemptIsStoredBeforeItHasSucceeded() async throws {
        let cloud = try await FakeCloud.start { _, _ in
            try? await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 500)
        }
        let fixture = try CameraFixture(cloud) {
            $0.networks = FakeJoiner()
            $0.clock = ContinuousClock()
        }
        try await fixture.camera.start()
        let client = try await connected(to: fixture, .protected)
        let credentials = try Samples.credentials(
            password: "canary-password-7391", sessionKey: "canary-session-key-7391")
        try await client.send(.credentials(CredentialFields(credentials)))
        _ = try await client.states(until: .registering)
        _ = try await within(.seconds(20), "the registration") { await cloud.arrivals.first { _ in true } }
        func stored() throws -> [String: Data] {
            let path = fixture.directory.path("camera")
            return try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: [:]) {
                $0[$1] = FileManager.default.contents(atPath: path + "/" + $1)
            }
        }
        let files = try stored()
        #expect(Set(files.keys) == [CameraIdentity.fileName, PasswordVerifiers.fileName, "lock"])
        #expect(!files.values.contains { $0.range(of: Data("canary".utf8)) != nil })
        await fixture.camera.stop()
        await fixture.ended()
        #expect(try stored() == files)
        let again = try CameraFixture(cloud, directory: fixture.directory)
        try await again.camera.start()
        let sighting = try await within(.seconds(20), "the camera") {
            again.central.scan()
            return await again.central.sightings.first { _ in true }
        }
        #expect(sighting?.state == PairingState(phase: .waiting))
        await again.stop()
    }

    @Test func theSetupCodeIsToldOnceAndNeverShown() async throws {
        func codes(_ fixture: CameraFixture) -> [SetupCode] {
            fixture.all.compactMap { if case .setupCode(let code) = $0 { code } else { nil } }
        }
        let first = try CameraFixture(try await FakeCloud.friendly())
        try await first.camera.start()
        await first.camera.stop()
        await first.ended()
        let code = try #require(codes(first).first)
        #expect(codes(first).count == 1)
        let shown = first.all.map { "\($0) \(String(reflecting: $0))" }.joined()
        #expect(!shown.contains(code.revealed) && !shown.contains(code.printed))

        let second = try CameraFixture(first.cloud, directory: first.directory)
        try await second.camera.start()
        await second.camera.stop()
        await second.ended()
        #expect(codes(second).isEmpty)

        let third = try CameraFixture(first.cloud, directory: first.directory) { $0.renewsSetupCode = true }
        try await third.camera.start()
        await third.stop()
        #expect(codes(third).first != code)
        #expect(codes(third).count == 1)
    }

    @Test func aCodeThatWasNotToldIsNotKept() async throws {
        let directory = try TemporaryDirectory()
        let cloud = try await FakeCloud.friendly()
        let failing = try CameraFixture(cloud, directory: directory) {
            $0.videoInput = .device(path: "/dev/no-such-lens")
        }
        await #expect(throws: CameraError.self) { try await failing.camera.start() }
        #expect(!FileManager.default.fileExists(atPath: directory.path("camera/" + PasswordVerifiers.fileName)))
        let blocked = directory.path("camera/" + PasswordVerifiers.fileName)
        let full = try CameraFixture(cloud, directory: directory) { $0.renewsSetupCode = true }
        // A file cannot be renamed over a directory, not even by root.
        try FileManager.default.createDirectory(atPath: blocked, withIntermediateDirectories: false)
        await #expect {
            try await full.camera.start()
        } throws: { error in
            if case CameraError.fileFailed = error { true } else { false }
        }
        // The radio takes itself off the air on a queue of its own.
        try await within(.seconds(20), "the radio to be given back") { [air = directory.path("air")] in
            while try FileManager.default.contentsOfDirectory(atPath: air).contains(where: { $0.hasSuffix(".radio") }) {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        try FileManager.default.removeItem(atPath: blocked)
        let mended = try CameraFixture(cloud, directory: directory)
        try await mended.camera.start()
        try await mended.event("the setup code") { if case .setupCode = $0 { true } else { false } }
        for fixture in [failing, full, mended] { await fixture.stop() }
    }

    @Test func aCameraOfTheStandardLayoutAloneHasNoCode() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly()) { $0.layouts = [.standard, .chunked] }
        try await fixture.camera.start()
        await fixture.camera.stop()
        await fixture.ended()
        #expect(!fixture.all.contains { if case .setupCode = $0 { true } else { false } })
        let path = fixture.directory.path("camera/" + PasswordVerifiers.fileName)
        #expect(!FileManager.default.fileExists(atPath: path))
        await fixture.stop()
    }

    @Test func aCameraThatInsistsOffersTheProtectedLayoutAlone() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly()) { $0.requiresSetupCode = true }
        try await fixture.camera.start()
        let client = ExchangeClient(
            TestCentral(radioDirectory: fixture.directory.path("air"), layout: .protected))
        try await client.connect()
        let welcome = try await client.hello()
        #expect(welcome.info.layouts == .protected)
        #expect(welcome.info.capabilities.isSuperset(of: [.setupCode, .insistsOnSetupCode]))
        #expect(try await client.agree(nil) == .answer(.init(message: 1, refusal: .setupCodeRequired)))
        await fixture.stop()
    }
}
