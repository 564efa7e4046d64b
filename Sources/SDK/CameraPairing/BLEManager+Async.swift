public import Wire

/// The commands as calls that return with their outcome. Beyond the seed.
///
/// Each throws the ``CameraPairingError`` that ``BLEManager/failure`` then holds, or `CancellationError`. Cancelling the
/// task ends the wait; ``BLEManager/disconnect()`` releases the radio.
extension BLEManager {
    /// Begins a new search and waits for the first cameras; the list goes on changing.
    /// - Returns: The cameras heard so far, the nearest first; at least one.
    public func findCameras() async throws -> [BLECamera] {
        startScan()
        return try await $cameraList.first(failing: $failure) { !$0.isEmpty }
    }

    /// Connects, and returns when the camera takes commands.
    public func connect(to camera: BLECamera) async throws {
        connectToCamera(camera: camera)
        _ = try await $cameraConnectionStatus.first(failing: $failure) { $0 == .connected }
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

    /// Writes the credentials, and returns when the camera has acknowledged the last field.
    public func write(_ wifiInfo: WiFiDetailModel) async throws {
        updateWifiInfo(wifiInfo: wifiInfo)
        _ = try await $credentialsSent.first(failing: $failure) { $0 }
    }

    /// Listens for the camera that took the credentials until it is back, which it is only when its attempt has failed.
    ///
    /// It may never be: cancel the wait when the pairing session has its device, and call ``stopScan()``.
    /// - Returns: Why.
    public func setbackOfCamera() async throws -> PairingFailure {
        watchForSetback()
        guard let setback = try await $setback.first(failing: $failure, where: { $0 != nil }) else {
            throw CancellationError()
        }
        return setback
    }
}
