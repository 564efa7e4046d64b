import Basics
import CloudClient
import Combine
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

/// The documented samples, as an app writes them. They use the shared connection, so they are one test.
@Suite struct SeedSamplesTests {
    @Test func theSamplesOfPairingCompileAndRun() async throws {
        let status = PairingSessionStatus(
            expired: false, status: .authenticated, deviceId: Sample.deviceId,
            login: PairingStep(status: PairingStep.success),
            pairing: PairingStep(status: PairingStep.failure, reason: "claimed"))
        try await withCloud({ request in
            switch request.path.split(separator: "/").last {
            case "pairing-sessions": .json(201, Sample.key)
            case "status": .json(200, status)
            default: .json(200, Sample.device())
            }
        }) { cloud in
            InstaSDK.configure(environment: .production, region: .us, cloud: cloud.url, token: Secret("token"))
            #expect(InstaSDK.account?.environment == .production)
            try await within(.seconds(20), "the samples' end") {
                for await step in self.steps() where step == "device Door" { return }
            }
        }
    }

    /// What the samples report, one line for each thing that happens.
    private func steps() -> AsyncStream<String> {
        let spaceId = "home"
        let (steps, report) = AsyncStream<String>.makeStream()
        let cancellables = Locked(Bag())
        let showFailure: @Sendable (String) -> Void = { report.yield("failure \($0)") }

        let create = Factory.spaceService.createPairingSessionKey(
            spaceId: spaceId,
            request: PairingSessionKeyRequest(
                timezoneSettings: TimezoneSettings(id: "America/New_York", tzFormat: "EST+5EDT,M3.2.0/2,M11.1.0/2")
            )
        )
        .sink { state in
            guard let session = state.data else { return }
            let poll = Timer.publish(every: 0.05, on: .main, in: .common)
                .autoconnect()
                .flatMap { _ in
                    Factory.spaceService.getPairingSessionStatus(spaceId: spaceId, sessionKey: session.sessionKey)
                }
                .receive(on: DispatchQueue.main)
                .sink { state in
                    guard case .success(let status) = state else { return }
                    if status.expired {
                        showFailure("Pairing timed out.")
                        return
                    }
                    if let login = status.login, login.status == "Failure" {
                        showFailure(login.reason)
                        return
                    }
                    if status.pairing?.reason == "claimed" { report.yield("pairing") }
                    guard let step = DeviceAuthStatus(rawValue: status.status), step != .initialized,
                        !status.deviceId.isEmpty
                    else { return }
                    let device = Factory.deviceService.device(spaceId: spaceId, deviceId: status.deviceId)
                        .sink { result in
                            guard case .success(let device) = result, device.pairingStatus == .paired else { return }
                            report.yield("device \(device.name)")
                        }
                    cancellables.withLock { $0.insert(device) }
                }
            cancellables.withLock { $0.insert(poll) }
        }
        cancellables.withLock { $0.insert(create) }
        report.onTermination = { _ in cancellables.withLock { $0.removeAll() } }
        return steps
    }

    /// Subscriptions, which are safe to cancel from any thread.
    private struct Bag: @unchecked Sendable {
        private var held: Set<AnyCancellable> = []
        mutating func insert(_ cancellable: AnyCancellable) { held.insert(cancellable) }
        mutating func removeAll() { held = [] }
    }
}
