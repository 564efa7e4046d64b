/// Why a camera that had its credentials did not get into the cloud.
///
/// The name travels in the cloud's JSON, the code over the air.
public enum PairingFailure: String, Sendable, Hashable, Codable, CaseIterable, Error, CustomStringConvertible {
    /// The network refused the password.
    case wrongPassword
    /// The network was not heard.
    case networkNotFound
    /// The network gave no address.
    case noAddress
    /// The cloud did not answer.
    case cloudUnreachable
    /// The cloud did not accept the session key: unknown, used or expired.
    case keyRefused
    /// The region or environment is not one this camera knows.
    case unknownDestination
    /// The device is another space's until its owner removes it.
    case alreadyClaimed
    /// The credentials cannot be those of a network, such as a password of five characters.
    case invalidCredentials
    /// Something else went wrong in the camera.
    case internalFault
    /// The camera does not say why; Improv devices never do.
    case couldNotJoin

    /// The code on the status characteristic, from 1.
    public var code: UInt8 { UInt8((Self.allCases.firstIndex(of: self) ?? 0) + 1) }

    /// Reads a code.
    public init?(code: UInt8) {
        guard code >= 1, Int(code) <= Self.allCases.count else { return nil }
        self = Self.allCases[Int(code) - 1]
    }

    /// What happened and what to do, for a person.
    public var description: String {
        switch self {
        case .wrongPassword: "The Wi-Fi password is wrong. Passwords are case-sensitive; type it again."
        case .networkNotFound: "The camera cannot hear that network. Move it closer, or pick a 2.4 GHz network."
        case .noAddress: "The network gave the camera no address. Restart the router and try again."
        case .cloudUnreachable:
            "The camera is on the network and cannot reach the cloud. Check the internet connection."
        case .keyRefused: "The pairing session has expired or was used already. Start pairing again."
        case .unknownDestination: "The camera does not know that region or environment. Check the app's configuration."
        case .alreadyClaimed: "The camera belongs to another space. Its owner must remove it first."
        case .invalidCredentials: "These cannot be a network's credentials. A password has 8 to 63 characters."
        case .internalFault: "The camera failed. Restart it and try again."
        case .couldNotJoin:
            "The camera could not join the network, and does not say why. Check the password, and that the network is "
                + "within its reach and on a band that it hears: most want 2.4 GHz."
        }
    }
}
