import Combine
public import Wire

/// The commands as calls that return with their outcome. Beyond the seed; ``pair(_:attempts:credentials:progress:)`` does it all.
///
/// Each throws the ``CameraPairingError`` that ``BLEManager/failure`` then holds, or `CancellationError`. Cancelling the
/// task ends the wait, and a connection that is being made is given up.
extension BLEManager {
    /// Begins a new search, and tells of each camera once, as soon as it is known by its name.
    ///
    /// The sequence ends with the search: when nothing was found in 30 s (``noCameraFound`` says so), when a camera is
    /// connected, with ``stopScan()``, ``disconnect()`` or another search. None is missed, however long the loop's body
    /// takes. Leaving the loop ends the search. For a list that is kept in order, observe ``cameraList``.
    public func cameras() -> AsyncStream<BLECamera> { discoveries() }

    /// Begins a new search and waits for the first cameras; the list goes on changing.
    /// - Returns: The cameras heard so far, the nearest first; at least one.
    public func findCameras() async throws -> [BLECamera] {
        startScan()
        return try await $cameraList.first(failing: $failure) { !$0.isEmpty }
    }

    /// Connects, and returns when the camera takes commands. A cancelled attempt is given up.
    public func connect(_ camera: BLECamera) async throws {
        connectToCamera(camera: camera)
        for await (status, failure) in $cameraConnectionStatus.combineLatest($failure).values {
            if let failure { throw failure }
            if status == .connected { return }
        }
        disconnect()
        throw CancellationError()
    }

    /// The same as ``connect(_:)``.
    public func connect(to camera: BLECamera) async throws { try await connect(camera) }

    /// Drops the connection and waits until it is gone, at most 2 s. Also in a cancelled task.
    public func released() async {
        disconnect()
        await Task { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await isLinked in self.$isLinked.values where !isLinked { break } }
                group.addTask { try? await self.clock.sleep(for: .seconds(2)) }
                await group.next()
                group.cancelAll()
            }
        }.value
    }

    /// Reads the connected camera's device id; empty when it has none to report.
    public func deviceId() async throws -> String {
        fetchCameraDid()
        _ = try await $bleCameraDIDFetched.first(failing: $failure) { $0 }
        return bleCameraDID
    }

    /// Asks the camera to scan, and waits until the list is what the caller needs.
    ///
    /// - Parameter condition: Looks at the list as it grows; by default one network is enough. When it is not met within
    ///   90 s and the list is not empty, the wait goes on: cancel it.
    /// - Returns: The list that met the condition; ``BLEManager/wifiList`` goes on growing.
    public func networks(
        where condition: @escaping @Sendable ([WifiNetwork]) -> Bool = { !$0.isEmpty }
    ) async throws -> [WifiNetwork] {
        sendWiFiScanCommand()
        getWiFiList()
        return try await $wifiList.first(failing: $failure, where: condition)
    }

    /// Asks the camera to scan, and waits until it has told of every network it hears.
    public func allNetworks() async throws -> [WifiNetwork] {
        sendWiFiScanCommand()
        getWiFiList()
        _ = try await $wifiListComplete.first(failing: $failure) { $0 }
        return wifiList
    }

    /// Writes the credentials, and returns when the camera has acknowledged them.
    public func write(_ wifiInfo: WiFiDetailModel) async throws {
        updateWifiInfo(wifiInfo: wifiInfo)
        _ = try await $credentialsSent.first(failing: $failure) { $0 }
    }

    /// Waits for the camera's own word on how its attempt ended, which it gives where the connection stays after
    /// ``write(_:)``.
    public func outcome() async throws -> PairingOutcome {
        for await (outcome, failure) in $pairingOutcome.combineLatest($failure).values {
            if let outcome { return outcome }
            if let failure { throw failure }
        }
        throw CancellationError()
    }

    /// Listens for the camera that took the credentials until it is back, which it is only when its attempt has failed.
    ///
    /// For 3 min, then it throws `noOutcome`. A camera that has joined is never back: cancel the wait when the pairing
    /// session has its device, and call ``stopScan()``.
    /// - Returns: Why.
    public func setbackOfCamera() async throws -> PairingFailure {
        watchForSetback()
        guard let setback = try await $setback.first(failing: $failure, where: { $0 != nil }) else {
            throw CancellationError()
        }
        return setback
    }
}
