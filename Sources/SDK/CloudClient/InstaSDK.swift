public import Foundation
public import Wire

/// Where an app says, once, which cloud it talks to and as whom.
///
/// Thread-safe. ``configure(environment:region:cloud:token:)`` may be called again at any time: requests that are under
/// way finish as they were begun, later ones use the new values. Before the first call everything that ``Factory`` gives
/// fails with ``CloudError/notConfigured``; nothing traps.
public enum InstaSDK {
    /// Sets the cloud that ``Factory`` talks to.
    ///
    /// - Parameters:
    ///   - environment: Which deployment a camera is told to register with.
    ///   - region: Where the person's data lives.
    ///   - cloud: The server's address, `http` or `https`, with a host; a path in front of the routes is kept. Anything
    ///     else makes every call fail with ``CloudError/badAddress(_:)``. Over plain `http` the token can be read by
    ///     whoever carries the traffic: use it on a network of your own only.
    ///   - token: Who is calling. It leaves the process in the `Authorization` header only.
    public static func configure(environment: ServerEnvironment, region: ServerRegion, cloud: URL, token: Secret) {
        CloudConnection.shared.configure(
            CloudAccount(environment: environment, region: region, cloud: cloud, token: token))
    }

    /// What the last ``configure(environment:region:cloud:token:)`` set; nil before the first.
    public static var account: CloudAccount? { CloudConnection.shared.account }
}
