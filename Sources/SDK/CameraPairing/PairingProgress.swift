public import Foundation
public import Wire

/// What ``BLEManager/pair(_:attempts:credentials:progress:)`` is at: told when the step begins.
public enum PairingProgress: Sendable, Hashable {
    /// Listens for a camera.
    case searching
    /// Connects to this one.
    case connecting(BLECamera)
    /// Asks for its device id.
    case readingDeviceId
    /// Asks which networks it hears.
    case listingNetworks
    /// Waits for the app's answer.
    case choosingCredentials
    /// Hands them over. From here on the camera may go on by itself.
    case sendingCredentials
    /// Somebody has to press the camera's button before it takes them. Improv devices only.
    case waitingForButton
    /// The camera says that it joins the network. On layouts that keep the connection.
    case joining
    /// The camera says that it is on the network and registers with the cloud. On layouts that keep the connection.
    case registering
}

/// What an app is shown before it gives credentials.
public struct PairingCandidate: Sendable, Hashable {
    /// The camera that is connected.
    public let camera: BLECamera
    /// Empty when it has none to report.
    public let deviceId: String
    /// What it hears, each SSID once.
    public let networks: [WifiNetwork]
    /// False for a camera that cannot list networks: let the person type the name. Some Improv devices.
    public let listsNetworks: Bool
    /// Why the camera did not get in with the credentials before; nil at first.
    public let lastFailure: PairingFailure?
}

/// A camera that has taken credentials.
public struct PairedCamera: Sendable, Hashable {
    /// As it was found.
    public let camera: BLECamera
    /// Empty when it has none to report.
    public let deviceId: String
    /// The camera itself has said that it got in. False on the standard layout, where the pairing session tells.
    public let hasJoined: Bool
    /// Where the person goes on; some Improv devices name such a page.
    public let onboardingPage: URL?
}
