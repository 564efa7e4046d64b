import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import WebRTC
import WebSockets
import Wire

@testable import CameraDevice

/// A whole camera on the software radio, with a cloud that a test plays.
final class CameraFixture: Sendable {
    let directory: TemporaryDirectory
    let cloud: FakeCloud
    let camera: Camera
    let central: TestCentral
    private let log = Locked<[CameraEvent]>([])
    private let (events, seen) = AsyncStream<CameraEvent>.makeStream()
    private let reading: Task<Void, Never>

    /// A camera that knows a cloud for one place alone: the United States' production.
    static func knowingOnePlace() async throws -> CameraFixture {
        let cloud = try await FakeCloud.friendly()
        let only = try CameraDestinations([CameraDestinations.Place(.us, .production): cloud.url])
        return try CameraFixture(cloud) { $0.destinations = only }
    }

    init(
        _ cloud: FakeCloud, directory: TemporaryDirectory? = nil,
        change: @Sendable (inout CameraConfiguration) -> Void = { _ in }
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        var configuration = CameraConfiguration(
            stateDirectory: directory.path("camera"), destinations: try CameraDestinations(everywhere: cloud.url),
            networks: SimulatedNetworks(delays: .none), clock: HastyClock())
        configuration.videoInput = .testPattern
        configuration.video.width = 320
        configuration.video.height = 240
        configuration.radioOptions = [CBManagerOptionRadioDirectoryKey: directory.path("air")]
        change(&configuration)
        let camera = Camera(configuration)
        self.directory = directory
        self.cloud = cloud
        self.camera = camera
        central = TestCentral(radioDirectory: directory.path("air"))
        reading = Task { [log, seen] in
            for await event in camera.events {
                log.withLock { $0.append(event) }
                seen.yield(event)
            }
            seen.finish()
        }
    }

    /// All events so far.
    var all: [CameraEvent] { log.withLock { $0 } }

    /// Waits for an event, passing over others.
    func event(_ what: String, where matches: @escaping @Sendable (CameraEvent) -> Bool) async throws {
        _ = try await within(.seconds(30), what) { [events] in await events.first { matches($0) } }
    }

    func event(_ wanted: CameraEvent) async throws { try await event("\(wanted)") { $0 == wanted } }

    /// Writes credentials as an app does.
    func write(_ credentials: PairingCredentials) async throws {
        try await within(.seconds(30), "pairing") { [central] in
            central.scan()
            _ = await central.sightings.first { $0.state?.phase == .waiting || $0.state?.phase == .failed }
            try await central.connect()
            try await central.write(credentials)
            try await central.disconnect()
        }
    }

    /// Returns when the camera's events have ended.
    func ended() async { await reading.value }

    func stop() async {
        await camera.stop()
        await ended()
        await cloud.stop()
    }
}

/// The real clock, with pauses of a few seconds cut to a hundredth: then it is that much later. Limits, which are longer,
/// keep their length.
private struct HastyClock: Clock {
    private let real = ContinuousClock()
    private let saved = Locked(Duration.zero)
    var now: ContinuousClock.Instant { real.now + saved.withLock { $0 } }
    var minimumResolution: Duration { real.minimumResolution }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let wait = now.duration(to: deadline)
        guard wait > .zero, wait < .seconds(8) else { return try await real.sleep(for: wait) }
        try await real.sleep(for: wait / 100)
        saved.withLock { $0 += wait - wait / 100 }
    }
}

extension CameraFixture {
    /// The name under which the camera advertised.
    var name: String? {
        get async {
            for case .advertising(let name) in all { return name }
            return nil
        }
    }
}

extension FakeCloud {
    /// A cloud that takes every camera, and offers the first one a viewer.
    static func friendly(
        _ converse: @escaping FakeCloud.Converse = { link, _ in
            try await link.welcome()
            await link.drain()
        }
    ) async throws -> FakeCloud {
        try await start(
            respond: { request, _ in
                guard let body = try? JSONDecoder().decode(DeviceRegistration.self, from: request.body) else {
                    return HTTPResponse(status: 204)
                }
                return json(
                    201,
                    DeviceRegistrationReceipt(
                        deviceId: body.deviceId, name: "Porch",
                        timezoneSettings: TimezoneSettings(id: "UTC", tzFormat: "GMT+00:00")))
            }, converse: converse)
    }
}
