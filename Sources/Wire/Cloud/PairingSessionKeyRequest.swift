/// The body of `POST /v1/spaces/{spaceId}/pairing-sessions`.
public struct PairingSessionKeyRequest: Sendable, Hashable, Codable {
    /// The time zone the camera shall live in.
    public var timezoneSettings: TimezoneSettings
    /// What kind of camera is paired.
    public var sessionType: SessionType

    /// Asks for a key.
    public init(timezoneSettings: TimezoneSettings, sessionType: SessionType = .other) {
        self.timezoneSettings = timezoneSettings
        self.sessionType = sessionType
    }

    private enum CodingKeys: String, CodingKey { case timezoneSettings, sessionType }

    /// Reads JSON; `sessionType` may be left out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        timezoneSettings = try container.decode(TimezoneSettings.self, forKey: .timezoneSettings)
        sessionType = try container.decodeIfPresent(SessionType.self, forKey: .sessionType) ?? .other
    }
}
