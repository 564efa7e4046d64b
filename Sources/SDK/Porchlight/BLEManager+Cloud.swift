import Basics
public import CameraPairing
public import CloudClient
public import Wire

/// A network that a camera is to join, as a person chose it.
public struct NetworkChoice: Sendable, Hashable {
    /// The chosen ``WifiNetwork/ssid``.
    public var ssid: String
    /// Empty for an open network.
    public var password: Secret

    /// Describes a choice.
    public init(ssid: String, password: String = "") {
        self.ssid = ssid
        self.password = Secret(password)
    }
}

extension BLEManager {
    /// Pairs a camera into a space, entirely: over Bluetooth as
    /// ``CameraPairing/BLEManager/pair(_:attempts:credentials:progress:)``, and in the cloud until the device is usable.
    ///
    /// The session's key is made when the network is known, so its life does not run while a person chooses. Where the
    /// camera cannot tell the outcome over Bluetooth, the session is followed, and the camera is listened for: one that the
    /// network did not let in comes back, and says why. Its reason is passed on to the session.
    ///
    /// Cancelling the task ends the flow wherever it is, and leaves the radio free.
    ///
    /// - Parameters:
    ///   - camera: One that was found; nil for the nearest. An Improv device cannot join a space and is refused.
    ///   - spaceId: Where the camera will belong.
    ///   - environment: Must match the cloud's.
    ///   - attempts: How often a network may be asked for.
    ///   - connection: The cloud, and as whom.
    ///   - clock: Measures the session's time.
    ///   - network: Shows the networks to a person, say. What it throws ends the flow.
    ///   - progress: Hears of each step as it begins. Called from any thread.
    /// - Returns: The device, `paired` or `activated`.
    /// - Throws: `CameraPairingError`, `CloudError`, `PairingSessionError`, what `network` throws, or `CancellationError`.
    @discardableResult
    public func pair(
        _ camera: BLECamera? = nil, into spaceId: String, environment: ServerEnvironment = .production,
        attempts: Int = 1, connection: CloudConnection = .shared, clock: any Clock<Duration> = ContinuousClock(),
        network: @escaping @Sendable (PairingCandidate) async throws -> NetworkChoice,
        progress: @escaping @Sendable (PairingProgress) -> Void = { _ in }
    ) async throws -> DeviceModel {
        let key = Locked("")
        var hasJoined = false
        do {
            let paired = try await pair(
                camera, attempts: attempts,
                credentials: { candidate in
                    // An Improv device joins a network and no space.
                    guard candidate.camera.protocol == .porchlight else {
                        throw CameraPairingError.notACamera(missing: "way into a space")
                    }
                    let choice = try await network(candidate)
                    let session = try await connection.spaceService.createPairingSessionKey(
                        spaceId: spaceId, request: PairingSessionKeyRequest(timezoneSettings: .current))
                    key.withLock { $0 = session.sessionKey }
                    return WiFiDetailModel(
                        ssid: choice.ssid, password: choice.password.revealed, sessionKey: session.sessionKey,
                        env: environment.rawValue, region: session.region)
                }, progress: progress)
            hasJoined = paired.hasJoined
        } catch CameraPairingError.noOutcome {
            // The camera fell silent with the credentials; joining may have cost it its Bluetooth.
        } catch CameraPairingError.notJoined(let failure) {
            // For whoever else follows the session; the person here has the reason already.
            try? await connection.spaceService.reportPairingFailure(failure, sessionKey: key.withLock { $0 })
            throw CameraPairingError.notJoined(failure)
        }
        if !hasJoined { progress(.registering) }
        return try await follow(
            PairingSession(spaceId: spaceId, sessionKey: key.withLock { $0 }, connection: connection, clock: clock),
            listening: !hasJoined
        ) { failure in
            try await connection.spaceService.reportPairingFailure(failure, sessionKey: key.withLock { $0 })
        }
    }

    private func follow(
        _ session: PairingSession, listening: Bool, report: @escaping @Sendable (PairingFailure) async throws -> Void
    ) async throws -> DeviceModel {
        let deviceId = try await withThrowingTaskGroup(of: String?.self) { group in
            defer {
                group.cancelAll()
                if listening { stopScan() }
            }
            group.addTask { try await session.deviceId() }
            if listening {
                group.addTask { [self] in
                    do {
                        try await report(try await setbackOfCamera())
                    } catch let error as CameraPairingError where error != .cameraRestarted {
                        // Nothing more is heard of the camera: the session tells alone.
                    }
                    return nil
                }
            }
            while let deviceId = try await group.next() {
                if let deviceId { return deviceId }
            }
            throw CancellationError()
        }
        return try await session.pairedDevice(deviceId: deviceId)
    }
}
