import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import WebRTC
import WebSockets
import Wire

@testable import CameraDevice

/// What a whole camera does with the network that it joined.
@Suite(.serialized) struct CameraNetworkTests {
    @Test func aCameraThatJoinsNetworksSaysNothingOfSimulatedOnes() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly()) { $0.networks = FakeJoiner() }
        try await fixture.camera.start()
        try await fixture.event("advertising") { if case .advertising = $0 { true } else { false } }
        let events = fixture.all.drop { if case .setupCode = $0 { true } else { false } }
        #expect(events.prefix(2) == [.filming("a test pattern"), .networks("joins networks with wlan0")])
        await fixture.stop()
    }

    @Test func theNetworkIsRememberedWithTheRegistrationAndResumedAtTheNextStart() async throws {
        let directory = try TemporaryDirectory()
        let cloud = try await FakeCloud.friendly()
        let before = FakeJoiner()
        let first = try CameraFixture(cloud, directory: directory) { $0.networks = before }
        try await first.camera.start()
        try await first.write(Samples.credentials())
        try await first.event(.online)
        await first.camera.stop()
        #expect(before.requests == [.resume(nil), .join, .keep])
        let networks = FakeJoiner()
        let second = try CameraFixture(cloud, directory: directory) { $0.networks = networks }
        try await second.camera.start()
        try await second.event(.online)
        #expect(networks.requests == [.resume(try Samples.network())])
        await second.stop()
    }

    @Test func aWiredCameraRemembersNoNetwork() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly())
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.online)
        let file = try String(contentsOfFile: fixture.directory.path("camera/registration.json"), encoding: .utf8)
        #expect(!file.contains("network"))
        await fixture.stop()
    }

    @Test func aCameraThatIsStoppedBeforeTheCloudAnswersGoesBack() async throws {
        let cloud = try await FakeCloud.start { _, _ in
            try? await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 500)
        }
        let networks = FakeJoiner()
        let fixture = try CameraFixture(cloud) { configuration in
            configuration.clock = ContinuousClock()
            configuration.networks = networks
        }
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.joined(ssid: "Porchlight Demo"))
        try await within(.seconds(20), "the stop") { await fixture.stop() }
        #expect(networks.requests == [.resume(nil), .join, .goBack])
    }

    @Test(arguments: [true, false])
    func aFailureToJoinIsReportedWhereTheCloudCanBeReached(isReachable: Bool) async throws {
        let cloud = try await FakeCloud.friendly()
        let fixture = try CameraFixture(cloud) {
            $0.networks = FakeJoiner(refusal: .wrongPassword, isReachable: isReachable)
        }
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.pairingFailed(.wrongPassword))
        if isReachable {
            let report = try await within(.seconds(20), "the report") { await cloud.arrivals.first { _ in true } }
            #expect(report?.path == CloudRoute.pairingFailures)
        }
        await fixture.stop()
        #expect(cloud.requests.count == (isReachable ? 1 : 0))
    }
}
