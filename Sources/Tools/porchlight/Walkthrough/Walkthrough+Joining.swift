import Combine
import Foundation
import Porchlight

/// From the credentials to the network, and to the cloud.
extension Walkthrough {
    /// Hands the credentials over until the camera is in the cloud.
    /// - Returns: Its device id, and the key of the session that it has used.
    func join(_ network: JoinWish) async throws -> (deviceID: String, sessionKey: String) {
        try await trying(network) { network in
            // A session each time: a camera with another way to the cloud has told it of the failure, and that was its end.
            let session = try await createSession()
            let isConnected = try await writeCredentials(for: network, session)
            do {
                return (try await waitForCloud(session.sessionKey, isConnected: isConnected), session.sessionKey)
            } catch let failure as StepFailure {
                // For whoever else follows the session; that it fails is known.
                if let refusal = failure.cause as? JoinRefusal {
                    try? await report(refusal.failure, session.sessionKey)
                }
                throw failure
            }
        }
    }

    /// Hands the credentials over until a device that has no cloud is on the network.
    func join(_ network: JoinWish, _ camera: BLECamera) async throws -> Onboarding {
        try await trying(network) { network in
            _ = try await writeCredentials(for: network, nil)
            return try await steps.run(
                "wait until it has joined", limit: .seconds(60), advice: "Check the Wi-Fi password, then start again.",
                code: .notJoined, summary: { _ in camera.name }
            ) {
                for try await outcome in ble.changes(of: ble.$pairingOutcome) {
                    switch outcome {
                    case .joined:
                        await leave()
                        return Onboarding(name: camera.name, page: ble.onboardingPage)
                    case .failed(let failure): throw JoinRefusal(failure: failure, isStillConnected: true)
                    case nil: continue
                    }
                }
                throw CancellationError()
            }
        }
    }

    /// Where the camera is still there to say that the password is wrong, another one is asked for.
    private func trying<Result: Sendable>(
        _ wish: JoinWish, _ attempt: (JoinWish) async throws -> Result
    ) async throws -> Result {
        var network = wish
        while true {
            do {
                return try await attempt(network)
            } catch let failure as StepFailure {
                guard let refusal = failure.cause as? JoinRefusal, refusal.isStillConnected,
                    [.wrongPassword, .couldNotJoin].contains(refusal.failure)
                else { throw failure }
                await steps.remark([refusal.failure.description])
                guard let password = try await answers.password(insteadOf: network) else { throw failure }
                network.password = password
            }
        }
    }

    /// - Returns: Whether the camera stays on the line, to say how it went.
    private func writeCredentials(for network: JoinWish, _ session: PairingSessionKeyModel?) async throws -> Bool {
        try await steps.run(
            Self.credentialsStep, limit: .seconds(35), advice: "Try again.", code: .noConnection,
            summary: { "for '\(network.ssid)'" }
        ) {
            try await ble.write(
                WiFiDetailModel(
                    ssid: network.ssid, password: network.password.revealed, sessionKey: session?.sessionKey ?? "",
                    env: session == nil ? "" : ServerEnvironment.production.rawValue, region: session?.region ?? ""))
        }
        // A command returns when what came before it is published.
        ble.stopScan()
        return ble.cameraConnectionStatus == .connected
    }

    private func waitForCloud(_ sessionKey: String, isConnected: Bool) async throws -> String {
        try await steps.run(
            "wait for the camera in the cloud", limit: .seconds(180),
            advice: "Check the Wi-Fi password, then start again.",
            code: .notJoined,
            summary: { $0 }
        ) {
            try await withThrowingTaskGroup(of: String?.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    do {
                        return try await PairingSession(spaceId: spaceID, sessionKey: sessionKey)
                            .deviceId(every: .seconds(1))
                    } catch {
                        // The camera's own word says more, and may be on its way.
                        try await Task.sleep(for: .seconds(3))
                        throw error
                    }
                }
                group.addTask {
                    try await followAttempt(sessionKey, isConnected: isConnected)
                    return nil
                }
                while let deviceID = try await group.next() {
                    guard let deviceID else { continue }
                    await leave()
                    return deviceID
                }
                throw CancellationError()
            }
        }
    }

    /// What the camera itself says of its attempt. Returns when that is no more.
    /// - Throws: ``JoinRefusal``.
    private func followAttempt(_ sessionKey: String, isConnected: Bool) async throws {
        if isConnected {
            for await (outcome, status) in ble.$pairingOutcome.combineLatest(ble.$cameraConnectionStatus).values {
                switch outcome {
                case .joined: return
                case .failed(let failure): throw JoinRefusal(failure: failure, isStillConnected: status == .connected)
                case nil: break
                }
                // It may have lost the line and join all the same.
                if status != .connected { break }
            }
            try Task.checkCancellation()
        }
        // A camera that the network did not let in has no way to the cloud: it comes back over Bluetooth and says why.
        let failure: PairingFailure
        do {
            failure = try await ble.setbackOfCamera()
        } catch CameraPairingError.noOutcome {
            return
        }
        throw JoinRefusal(failure: failure, isStillConnected: false)
    }

    private func report(_ failure: PairingFailure, _ sessionKey: String) async throws {
        try await Factory.spaceService.reportPairingFailure(failure, sessionKey: sessionKey)
    }
}
