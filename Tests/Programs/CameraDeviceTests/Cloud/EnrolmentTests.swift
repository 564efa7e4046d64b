import Basics
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CameraDevice

/// When the new network is kept, and when the camera goes back to the old one.
@Suite struct EnrolmentTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let identity: CameraIdentity
    private let clock = ManualClock()

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(path: directory.path("camera"))
        identity = try CameraIdentity.loaded(from: state)
    }

    private var recordPath: String { state.path(of: RegistrationRecord.fileName) }
    private var isWritten: Bool { FileManager.default.fileExists(atPath: recordPath) }

    /// - Parameter budget: For all attempts to register; nothing lets no attempt be made.
    private func outcome(
        _ joiner: FakeJoiner, _ cloud: FakeCloud, budget: Duration = .seconds(20)
    ) async throws -> PairingFailure? {
        let registration = CloudRegistration(
            identity: identity, model: "Model", clock: clock, random: SharedRandom(SeededGenerator(1)),
            patience: CloudRegistration.Patience(budget: budget))
        let enrolment = Enrolment(
            identity: identity, directory: state, joiner: joiner,
            destinations: try CameraDestinations(everywhere: cloud.url), registration: registration, clock: clock)
        let credentials = try Samples.credentials()
        let task = Task { () -> PairingFailure? in
            do throws(PairingFailure) {
                _ = try await enrolment.run(credentials) { _ in }
                return nil
            } catch {
                return error
            }
        }
        await clock.sleepers()
        clock.advance(by: Enrolment.delayBeforeJoining)
        let outcome = try await within(.seconds(20), "the end of the enrolment") { await task.value }
        await cloud.stop()
        return outcome
    }

    @Test func theNetworkIsKeptOnceTheRegistrationIsOnTheDisk() async throws {
        let wasWritten = Locked(false)
        let path = recordPath
        let joiner = FakeJoiner { wasWritten.withLock { $0 = FileManager.default.fileExists(atPath: path) } }
        #expect(try await outcome(joiner, FakeCloud.friendly()) == nil)
        #expect(joiner.requests == [.join, .keep])
        #expect(wasWritten.withLock { $0 })
        let record = try #require(try RegistrationRecord.loaded(from: state, for: identity))
        #expect(record.network == (try Samples.network()))
    }

    @Test func withoutTheCloudTheCameraGoesBackAndSaysWhyOverTheNetworkBefore() async throws {
        let joiner = FakeJoiner(isReachable: true)
        let cloud = try await FakeCloud.friendly()
        #expect(try await outcome(joiner, cloud, budget: .zero) == .cloudUnreachable)
        #expect(joiner.requests == [.join, .goBack])
        #expect(cloud.requests.map(\.path) == [CloudRoute.pairingFailures])
        let report = try JSONDecoder().decode(PairingFailureReport.self, from: try #require(cloud.requests.first).body)
        #expect(report.failure == .cloudUnreachable)
        #expect(!isWritten)
    }

    @Test(arguments: [(true, false), (false, true)])
    func withoutAnotherWayNobodyIsTold(managesWiFi: Bool, isReachable: Bool) async throws {
        let joiner = FakeJoiner(managesWiFi: managesWiFi, isReachable: isReachable)
        let cloud = try await FakeCloud.friendly()
        #expect(try await outcome(joiner, cloud, budget: .zero) == .cloudUnreachable)
        #expect(joiner.requests == [.join, .goBack])
        #expect(cloud.requests.isEmpty)
    }

    @Test func aCloudThatRefusesSendsTheCameraBack() async throws {
        let joiner = FakeJoiner(isReachable: true)
        let cloud = try await FakeCloud.start { _, _ in FakeCloud.error(410, .sessionKeyExpired) }
        #expect(try await outcome(joiner, cloud) == .keyRefused)
        #expect(joiner.requests == [.join, .goBack])
        #expect(cloud.requests.map(\.path) == [CloudRoute.registrations], "the cloud knows already")
        #expect(!isWritten)
    }

    @Test func aDiskThatTakesNothingSendsTheCameraBack() async throws {
        // A file cannot be renamed over a directory, not even by root.
        try FileManager.default.createDirectory(atPath: recordPath, withIntermediateDirectories: false)
        let joiner = FakeJoiner()
        #expect(try await outcome(joiner, FakeCloud.friendly()) == .internalFault)
        #expect(joiner.requests == [.join, .goBack])
    }

    @Test func aNetworkThatIsNotJoinedIsReportedByAnotherWay() async throws {
        let joiner = FakeJoiner(refusal: .wrongPassword, isReachable: true)
        let cloud = try await FakeCloud.friendly()
        #expect(try await outcome(joiner, cloud) == .wrongPassword)
        #expect(joiner.requests == [.join, .goBack])
        #expect(cloud.requests.map(\.path) == [CloudRoute.pairingFailures])
    }
}
