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
    ///   - credentials: Gives what the camera needs: shows the networks to a person, say, and asks the cloud for a session
    ///     key. Its task is cancelled when the camera is lost meanwhile. What it throws ends the flow.
    ///   - progress: Hears of each step as it begins. Called from any thread.
    /// - Throws: ``CameraPairingError``, what `credentials` throws, or `CancellationError`.
    @discardableResult
    public func pair(
        _ camera: BLECamera? = nil, attempts: Int = 1,
        credentials: @escaping @Sendable (PairingCandidate) async throws -> WiFiDetailModel,
        progress: @escaping @Sendable (PairingProgress) -> Void = { _ in }
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
        _ chosen: BLECamera?, _ attempts: Int, _ progress: @escaping @Sendable (PairingProgress) -> Void,
        _ credentials: @escaping @Sendable (PairingCandidate) async throws -> WiFiDetailModel
    ) async throws -> PairedCamera {
        func begin(_ step: PairingProgress) throws {
            progress(step)
            try Task.checkCancellation()
        }
        let camera: BLECamera
        if let chosen {
            camera = chosen
        } else {
            try begin(.searching)
            camera = try await findCameras()[0]
        }
        try begin(.connecting(camera))
        try await connect(camera)
        try begin(.readingDeviceId)
        let deviceId = try await deviceId()
        try begin(.listingNetworks)
        let networks = try await allNetworks()

        var lastFailure: PairingFailure?
        for attempt in 1...attempts {
            try begin(.choosingCredentials)
            let candidate = PairingCandidate(
                camera: camera, deviceId: deviceId, networks: networks, listsNetworks: !wifiListUnavailable,
                lastFailure: lastFailure)
            let details = try await whileLinked { try await credentials(candidate) }
            try begin(.sendingCredentials)
            // Subscribed first, so that no word of the camera is missed.
            let words = $attempt.compactMap { $0.flatMap(PairingProgress.init) }.removeDuplicates().sink(
                receiveValue: progress)
            let button = $buttonPressAwaited.removeDuplicates().filter { $0 }.sink { _ in progress(.waitingForButton) }
            defer {
                words.cancel()
                button.cancel()
            }
            let tellsOutcome = connectionStays
            try await write(details)
            guard tellsOutcome else {
                return PairedCamera(camera: camera, deviceId: deviceId, hasJoined: false, onboardingPage: nil)
            }
            switch try await outcome() {
            case .joined:
                return PairedCamera(
                    camera: camera, deviceId: deviceId, hasJoined: true, onboardingPage: onboardingPage)
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

extension PairingProgress {
    /// The camera's word, where it is one on the way.
    fileprivate init?(_ state: PairingState) {
        switch state.phase {
        case .joining: self = .joining
        case .registering: self = .registering
        case .waiting, .receiving, .done, .failed: return nil
        }
    }
}
