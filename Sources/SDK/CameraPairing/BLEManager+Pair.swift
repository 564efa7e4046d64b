import Combine
import Wire

extension BLEManager {
    /// Pairs a camera, as far as Bluetooth goes: finds it, connects, reads its device id and its networks, hands over what
    /// the app gives, and waits for the camera's word where it gives one.
    ///
    /// When this returns or throws, the radio is free. Cancelling the task ends the flow wherever it is; the camera then
    /// waits to be paired, unless it had the credentials already.
    ///
    /// - Parameters:
    ///   - camera: One that was found; nil for the nearest.
    ///   - attempts: How often credentials may be asked for. From the second time on
    ///     ``PairingCandidate/lastFailure`` says what was wrong with those before.
    ///   - progress: Hears of each step as it begins. Called from any thread.
    ///   - credentials: Gives what the camera needs: shows the networks to a person, say, and asks the cloud for a session
    ///     key. Its task is cancelled when the camera is lost meanwhile. What it throws ends the flow.
    /// - Throws: ``CameraPairingError``, what `credentials` throws, or `CancellationError`.
    @discardableResult
    public func pair(
        _ camera: BLECamera? = nil, attempts: Int = 1, progress: @escaping @Sendable (PairingStep) -> Void = { _ in },
        credentials: @escaping @Sendable (PairingCandidate) async throws -> WiFiDetailModel
    ) async throws -> PairedCamera {
        do {
            let paired = try await walk(camera, max(attempts, 1), progress, credentials)
            await released()
            return paired
        } catch {
            await released()
            throw error
        }
    }

    private func walk(
        _ chosen: BLECamera?, _ attempts: Int, _ progress: @escaping @Sendable (PairingStep) -> Void,
        _ credentials: @escaping @Sendable (PairingCandidate) async throws -> WiFiDetailModel
    ) async throws -> PairedCamera {
        let camera: BLECamera
        if let chosen {
            camera = chosen
        } else {
            progress(.searching)
            camera = try await findCameras()[0]
        }
        progress(.connecting(camera))
        try await connect(camera)
        progress(.readingDeviceId)
        let deviceId = try await deviceId()
        progress(.listingNetworks)
        let networks = try await allNetworks()

        var lastFailure: PairingFailure?
        for attempt in 1...attempts {
            progress(.choosingCredentials)
            let candidate = PairingCandidate(
                camera: camera, deviceId: deviceId, networks: networks, lastFailure: lastFailure)
            let details = try await whileLinked { try await credentials(candidate) }
            progress(.sendingCredentials)
            // Subscribed first, so that no word of the camera is missed.
            let words = $attempt.compactMap { $0.flatMap(PairingStep.init) }.removeDuplicates().sink(
                receiveValue: progress)
            defer { words.cancel() }
            try await write(details)
            guard connectionStays else {
                return PairedCamera(camera: camera, deviceId: deviceId, hasJoined: false)
            }
            switch try await outcome() {
            case .joined: return PairedCamera(camera: camera, deviceId: deviceId, hasJoined: true)
            case .failed(let failure):
                lastFailure = failure
                if attempt == attempts { throw CameraPairingError.notJoined(failure) }
            }
        }
        throw CancellationError()
    }

    /// Runs the app's part, and gives it up when the camera is lost meanwhile.
    private func whileLinked<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask { [self] in
                for await status in $cameraConnectionStatus.values where status != .connected {
                    throw failure ?? .linkLost
                }
                return nil
            }
            guard let value = try await group.next(), let value else { throw CancellationError() }
            try Task.checkCancellation()
            return value
        }
    }
}

extension PairingStep {
    /// The camera's word, where it is one on the way.
    fileprivate init?(_ state: PairingState) {
        switch state.phase {
        case .joining: self = .joining
        case .registering: self = .registering
        case .waiting, .receiving, .done, .failed: return nil
        }
    }
}
