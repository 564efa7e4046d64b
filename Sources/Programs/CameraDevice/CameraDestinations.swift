public import Foundation
public import Wire

/// Where a camera registers: the base address of the cloud of each region and environment it knows.
///
/// The region and the environment come with the credentials of a pairing; what they stand for is the camera's own
/// knowledge, so that nobody nearby can send it to a cloud of theirs.
public struct CameraDestinations: Sendable, Equatable {
    /// A region in an environment.
    public struct Place: Sendable, Hashable {
        /// The region.
        public var region: ServerRegion
        /// The environment.
        public var environment: ServerEnvironment

        /// Names a place.
        public init(_ region: ServerRegion, _ environment: ServerEnvironment) {
            self.region = region
            self.environment = environment
        }
    }

    private let addresses: [Place: URL]

    /// Different clouds for different places; a place that is left out is refused as
    /// `PairingFailure/unknownDestination`.
    /// - Throws: ``CameraError/badCloudAddress(_:)`` for an address that is not `http` or `https` with a host.
    public init(_ addresses: [Place: URL]) throws(CameraError) {
        for address in addresses.values { try Self.check(address) }
        self.addresses = addresses
    }

    /// One cloud for every region and environment: a self-hosted one.
    /// - Throws: ``CameraError/badCloudAddress(_:)`` for an address that is not `http` or `https` with a host.
    public init(everywhere address: URL) throws(CameraError) {
        try Self.check(address)
        var addresses: [Place: URL] = [:]
        for region in ServerRegion.allCases {
            for environment in ServerEnvironment.allCases { addresses[Place(region, environment)] = address }
        }
        self.addresses = addresses
    }

    /// The base address for a place, or nil.
    public subscript(region: ServerRegion, environment: ServerEnvironment) -> URL? {
        addresses[Place(region, environment)]
    }

    /// Refuses what cannot be the base address of a cloud.
    static func check(_ address: URL) throws(CameraError) {
        guard let scheme = address.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = address.host, !host.isEmpty, address.user == nil, address.query == nil
        else { throw .badCloudAddress(address.host ?? "an address without a host") }
    }
}

extension URL {
    /// The address of a route of the cloud below this base address.
    func cloudRoute(_ path: String) -> URL {
        path.split(separator: "/").reduce(self) { $0.appendingPathComponent(String($1), isDirectory: false) }
    }

    /// The same route by WebSocket: `http` becomes `ws`, `https` becomes `wss`.
    func cloudSocketRoute(_ path: String) -> URL {
        let route = cloudRoute(path)
        guard var parts = URLComponents(url: route, resolvingAgainstBaseURL: true) else { return route }
        parts.scheme = parts.scheme?.lowercased() == "https" ? "wss" : "ws"
        return parts.url ?? route
    }
}
