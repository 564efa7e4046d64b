public import Foundation
public import Wire

/// Which cloud, and as whom.
public struct CloudAccount: Sendable, Hashable {
    /// Which deployment a camera is told to register with: the `env` of a Bluetooth hand-off or a QR code.
    public var environment: ServerEnvironment
    /// Where the person's data lives.
    public var region: ServerRegion
    /// The server's address, `http` or `https`.
    public var cloud: URL
    /// Who is calling.
    public var token: Secret

    /// Describes a cloud and a caller.
    public init(environment: ServerEnvironment, region: ServerRegion, cloud: URL, token: Secret) {
        self.environment = environment
        self.region = region
        self.cloud = cloud
        self.token = token
    }
}
