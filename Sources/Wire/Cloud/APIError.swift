/// The body of every answer of the cloud with a status of 400 or above: `{"error": {…}}`.
public struct APIError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// What went wrong, for programs. The names are part of the contract.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name in JSON.
        public let rawValue: String
        /// Wraps a name; unknown ones are kept.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name in JSON.
        public var description: String { rawValue }

        /// 400: the body is not JSON.
        public static let notJSON = Code(rawValue: "notJSON")
        /// 400: a field is missing or of the wrong type or value; ``APIError/field`` names it.
        public static let badField = Code(rawValue: "badField")
        /// 401: no token, or not a valid one.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// 403: the token may not do this here.
        public static let forbidden = Code(rawValue: "forbidden")
        /// 404: no such thing, or not yours to know of.
        public static let notFound = Code(rawValue: "notFound")
        /// 405: the path exists, the method does not.
        public static let methodNotAllowed = Code(rawValue: "methodNotAllowed")
        /// 404: no session has this key.
        public static let sessionKeyUnknown = Code(rawValue: "sessionKeyUnknown")
        /// 409: the key has been used.
        public static let sessionKeyUsed = Code(rawValue: "sessionKeyUsed")
        /// 410: the key's life is over.
        public static let sessionKeyExpired = Code(rawValue: "sessionKeyExpired")
        /// 409: the device belongs to a space already.
        public static let deviceClaimed = Code(rawValue: "deviceClaimed")
        /// 403: a signature does not verify, or an id does not belong to its key.
        public static let badSignature = Code(rawValue: "badSignature")
        /// 409, with Retry-After: the camera is not connected.
        public static let deviceOffline = Code(rawValue: "deviceOffline")
        /// 504: the camera did not answer in time.
        public static let deviceTimeout = Code(rawValue: "deviceTimeout")
        /// 502: the camera answered that it cannot.
        public static let deviceRefused = Code(rawValue: "deviceRefused")
        /// 415: the body's media type is not one the route takes.
        public static let unsupportedMediaType = Code(rawValue: "unsupportedMediaType")
        /// 413: the body is larger than the route takes.
        public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
        /// 426: the path speaks WebSocket only.
        public static let upgradeRequired = Code(rawValue: "upgradeRequired")
        /// 503: the server cannot now; try again later.
        public static let unavailable = Code(rawValue: "unavailable")
        /// 500: a fault of the server.
        public static let internalFault = Code(rawValue: "internalFault")
    }

    /// What went wrong.
    public var code: Code
    /// The same for a person, with the next step.
    public var message: String
    /// The path of the field at fault, such as `timezoneSettings.id`.
    public var field: String?

    /// Describes an error.
    public init(code: Code, message: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.field = field
    }

    private enum Outer: String, CodingKey { case error }
    private enum Inner: String, CodingKey { case code, message, field }

    /// Reads the body.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Outer.self).nestedContainer(keyedBy: Inner.self, forKey: .error)
        code = try container.decode(Code.self, forKey: .code)
        message = try container.decode(String.self, forKey: .message)
        field = try container.decodeIfPresent(String.self, forKey: .field)
    }

    /// Writes the body.
    public func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Outer.self)
        var container = outer.nestedContainer(keyedBy: Inner.self, forKey: .error)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(field, forKey: .field)
    }

    /// The message, with the field where there is one.
    public var description: String { field.map { "\(message) (\($0))" } ?? message }
}
