import Basics
import Combine
import Foundation
import Porchlight
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CameraPairing

/// One call from nothing to a usable device: the software radio below, a cloud over real HTTP above.
@Suite("Pairing a camera into a space")
struct SpacePairingTests {
    private static let deviceId = "PLC0123456789ABCDEFGHJKA1B2"

    /// A cloud with one pairing session, whose end the test decides.
    private final class Cloud: HTTPService {
        struct State {
            var status = PairingSessionStatus(expired: false, status: .initialized)
            var failures: [PairingFailure] = []
        }

        let state = Locked(State())
        let (reports, reported) = AsyncStream.makeStream(of: PairingFailure.self)

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            switch request.path {
            case CloudRoute.pairingSessions(space: "home"):
                json(201, PairingSessionKeyModel(sessionKey: "key-of-the-session", region: "us", expiresIn: 600))
            case CloudRoute.pairingSessionStatus(space: "home"): json(200, state.withLock { $0.status })
            case CloudRoute.device(space: "home", device: SpacePairingTests.deviceId):
                json(
                    200,
                    DeviceModel(
                        deviceId: SpacePairingTests.deviceId, spaceId: "home", name: "Door", model: "Stoop 2",
                        pairingStatus: .paired, online: true, asleep: false, privacy: false, publicKey: "AAAA"))
            case CloudRoute.pairingFailures: report(request.body)
            default: HTTPResponse(status: 404)
            }
        }

        /// A reported failure is the session's reason from then on.
        private func report(_ body: Data) -> HTTPResponse {
            guard let report = try? JSONDecoder().decode(PairingFailureReport.self, from: body) else {
                return HTTPResponse(status: 400)
            }
            state.withLock { state in
                state.failures.append(report.failure)
                state.status.pairing = PairingStep(status: PairingStep.failure, reason: report.failure.description)
            }
            reported.yield(report.failure)
            return HTTPResponse(status: 204)
        }

        private func json(_ status: Int, _ value: some Encodable) -> HTTPResponse {
            let body = (try? JSONEncoder().encode(value)) ?? Data()
            return HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
        }
    }

    private func withCloud(_ body: (Cloud, CloudConnection) async throws -> Void) async throws {
        let cloud = Cloud()
        let server = try await HTTPServer.start(service: cloud)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let account = CloudAccount(environment: .production, region: .us, cloud: url, token: Secret("token"))
        do {
            try await body(cloud, CloudConnection(account))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func script(_ layout: PairingLayout, _ last: PairingState? = nil) -> ScriptedCamera.Script {
        var script = ScriptedCamera.Script()
        script.layouts = [layout]
        script.exchange.info.layouts = .init(layout)
        script.networks = [PairingRig.home]
        if let last { script.exchange.attempts = [[PairingState(phase: .joining), last]] }
        return script
    }

    private func pair(_ rig: PairingRig, _ connection: CloudConnection) -> Task<DeviceModel, any Error> {
        Task { [ble = rig.ble, clock = rig.clock] in
            try await ble.pair(into: "home", connection: connection, clock: clock) { candidate in
                NetworkChoice(ssid: candidate.networks[0].ssid, password: "porchlight")
            }
        }
    }

    @Test("The device is there, with the session's key in the camera", arguments: [PairingLayout.chunked, .standard])
    func joins(layout: PairingLayout) async throws {
        try await withCloud { cloud, connection in
            cloud.state.withLock {
                $0.status = PairingSessionStatus(
                    expired: false, status: .paired, deviceId: Self.deviceId,
                    login: PairingStep(status: PairingStep.success), pairing: PairingStep(status: PairingStep.success))
            }
            let rig = PairingRig()
            let camera = try await rig.camera(script(layout))
            let pairing = pair(rig, connection)
            let device = try await within(.seconds(60), "the device") { try await pairing.value }
            #expect(device.deviceId == Self.deviceId)
            #expect(device.pairingStatus == .paired)
            let key =
                layout == .standard
                ? camera.fields[.sessionKey]
                : camera.requests.compactMap { request in
                    if case .credentials(let fields) = request { fields[.sessionKey] } else { nil }
                }.last
            #expect(key == Data("key-of-the-session".utf8))
            #expect(cloud.state.withLock { $0.failures } == [])
            #expect(!rig.ble.hasLink)
            #expect(!rig.ble.listens)
        }
    }

    @Test("What the camera says over the air is thrown, and told to the session")
    func failsOverTheAir() async throws {
        try await withCloud { cloud, connection in
            let rig = PairingRig()
            let camera = try await rig.camera(
                script(.chunked, PairingState(phase: .failed, failure: .wrongPassword)))
            let pairing = pair(rig, connection)
            await #expect(throws: CameraPairingError.notJoined(.wrongPassword)) {
                try await within(.seconds(60), "the failure") { try await pairing.value }
            }
            #expect(cloud.state.withLock { $0.failures } == [.wrongPassword])
            camera.vanish()
        }
    }

    @Test("A camera of the standard layout that comes back ends the session with its reason")
    func comesBack() async throws {
        try await withCloud { cloud, connection in
            let rig = PairingRig()
            let camera = try await rig.camera(script(.standard))
            let pairing = pair(rig, connection)
            try await rig.value(rig.ble.$credentialsSent, "the credentials") { $0 }
            // The camera is listened for, and the session was asked once.
            try await within(.seconds(60), "the next question") { [clock = rig.clock] in
                await clock.sleeper(for: .seconds(180))
                await clock.sleeper(for: .seconds(3))
            }
            camera.comeBack(.wrongPassword)
            try await within(.seconds(60), "the report") {
                for await _ in cloud.reports { break }
            }
            rig.clock.advance(by: .seconds(3))
            let reason = PairingFailure.wrongPassword.description
            await #expect(throws: PairingSessionError.pairingFailed(reason: reason)) {
                try await within(.seconds(60), "the failure") { try await pairing.value }
            }
            #expect(cloud.state.withLock { $0.failures } == [.wrongPassword])
        }
    }

    @Test("Cancelled while the session is followed, the call leaves the radio free")
    func cancelled() async throws {
        try await withCloud { _, connection in
            let rig = PairingRig()
            let camera = try await rig.camera(script(.standard))
            let pairing = pair(rig, connection)
            try await within(.seconds(60), "the next question") { [clock = rig.clock] in
                await clock.sleeper(for: .seconds(180))
                await clock.sleeper(for: .seconds(3))
            }
            pairing.cancel()
            let result = try await within(.seconds(60), "the end") { await pairing.result }
            #expect(throws: (any Error).self) { try result.get() }
            #expect(!rig.ble.hasLink)
            #expect(!rig.ble.listens)
            camera.vanish()
        }
    }
}
