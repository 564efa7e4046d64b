/// The paths of the cloud, for the two sides that build and match them. `docs/cloud-api.yaml` is the contract.
///
/// Ids stand in a path as they are given: whoever builds an address percent-encodes them first, since a device id is
/// scanned from a printed code, and one with a `/` or `?` in it must not lead to another route.
public enum CloudRoute {
    /// POST, by a person: ``PairingSessionKeyRequest`` → 201 ``PairingSessionKeyModel``.
    public static func pairingSessions(space: String) -> String { "/v1/spaces/\(space)/pairing-sessions" }
    /// POST, by a person: ``PairingSessionStatusRequest`` → 200 ``PairingSessionStatus``.
    public static func pairingSessionStatus(space: String) -> String { "/v1/spaces/\(space)/pairing-sessions/status" }
    /// GET, by a person: 200 ``DeviceModel``.
    public static func device(space: String, device: String) -> String { "/v1/spaces/\(space)/devices/\(device)" }
    /// GET, by a person: 200, an array of ``DeviceModel``.
    public static func devices(space: String) -> String { "/v1/spaces/\(space)/devices" }
    /// POST, by a person, as WHEP has it: an SDP offer → 201 with the answer and a Location.
    public static func live(space: String, device: String) -> String { "/v1/spaces/\(space)/devices/\(device)/live" }
    /// DELETE, by whoever has the unguessable address: ends the live session.
    public static func liveSession(_ id: String) -> String { "/v1/live/\(id)" }
    /// POST, by a camera: ``DeviceRegistration`` → 201 ``DeviceRegistrationReceipt``.
    public static let registrations = "/v1/devices"
    /// POST, by a camera: ``PairingFailureReport`` → 204.
    public static let pairingFailures = "/v1/pairing-failures"
    /// WebSocket, by a camera: ``CameraSocketMessage`` and ``CloudSocketMessage``, one JSON text a message.
    public static let cameraSocket = "/v1/camera"
    /// GET, by anyone: 200 `{"status": "ok"}`.
    public static let health = "/v1/health"
}
