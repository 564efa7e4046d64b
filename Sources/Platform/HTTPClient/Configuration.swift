extension HTTPClient {
    /// What holds for all requests of a client.
    public struct Configuration: Sendable {
        /// How long looking up the name, connecting and TLS may take together.
        public var connectTimeout: Duration = .seconds(30)
        /// How many connections one host may have; further requests wait for one. 1 or more.
        public var maximumConnectionsPerHost = 8
        /// A PEM file of the authorities to trust instead of the system's.
        public var caFile: String?

        /// The defaults.
        public init() {}
    }
}
