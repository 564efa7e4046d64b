import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import WebRTC
import WebSockets
import Wire

@testable import CameraDevice

/// A joiner that manages Wi-Fi, and hears none.
private struct WirelessNetworks: NetworkJoiner {
    var refusal: PairingFailure?
    var isReachable = false
    let resumed = Locked<[NetworkCredentials]>([])

    var summary: String { "joins networks with wlan0" }
    var managesWiFi: Bool { true }
    var joinsFiveGigahertz: Bool { false }
    func scan() async -> [HeardNetwork] { [] }
    func join(_ network: NetworkCredentials) async throws(PairingFailure) { if let refusal { throw refusal } }
    func resume(_ network: NetworkCredentials) async { resumed.withLock { $0.append(network) } }
    func hasAnotherWay() async -> Bool { isReachable }
    func signalStrength() async -> Int? { nil }
}

/// What a whole camera does with the network that it joined.
@Suite(.serialized) struct CameraNetworkTests {
    @Test func aCameraThatJoinsNetworksSaysNothingOfSimulatedOnes() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly()) { $0.networks = WirelessNetworks() }
        try await fixture.camera.start()
        try await fixture.event("advertising") { if case .advertising = $0 { true } else { false } }
        #expect(fixture.all.first == .filming("a test pattern"))
        #expect(fixture.all.dropFirst().first == .networks("joins networks with wlan0"))
        await fixture.stop()
    }

    @Test func theNetworkIsRememberedWithTheRegistrationAndResumedAtTheNextStart() async throws {
        let directory = try TemporaryDirectory()
        let cloud = try await FakeCloud.friendly()
        let first = try CameraFixture(cloud, directory: directory) { $0.networks = WirelessNetworks() }
        try await first.camera.start()
        try await first.write(Samples.credentials())
        try await first.event(.online)
        await first.camera.stop()
        let networks = WirelessNetworks()
        let second = try CameraFixture(cloud, directory: directory) { $0.networks = networks }
        try await second.camera.start()
        try await second.event(.online)
        #expect(networks.resumed.withLock { $0 } == [try Samples.network()])
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

    @Test(arguments: [true, false])
    func aFailureToJoinIsReportedWhereTheCloudCanBeReached(isReachable: Bool) async throws {
        let cloud = try await FakeCloud.friendly()
        let fixture = try CameraFixture(cloud) {
            $0.networks = WirelessNetworks(refusal: .wrongPassword, isReachable: isReachable)
        }
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.pairingFailed(.wrongPassword))
        #expect(cloud.requests.map(\.path) == (isReachable ? [CloudRoute.pairingFailures] : []))
        await fixture.stop()
    }
}
