import Foundation

/// Why a camera did not come into the space.
public enum PairingSessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key's life ended before a camera used it.
    case expired
    /// The camera could not reach the cloud; the reason is for the person.
    case loginFailed(reason: String)
    /// The camera could not be attached to the space; the reason is for the person.
    case pairingFailed(reason: String)
    /// Nothing was decided within the budget. The error is the last one of the cloud, if its last answer was one.
    case timedOut(after: Duration, lastError: CloudError?)
    /// The cloud cannot be asked.
    case cloud(CloudError)

    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .expired: "the pairing session expired before a camera used it; make a new one and try again"
        case .loginFailed(let reason): "the camera could not reach the cloud: \(reason)"
        case .pairingFailed(let reason): "the camera could not be paired: \(reason)"
        case .timedOut(let budget, let error):
            "the camera did not appear within \(budget.formatted(.units(width: .narrow)))"
                + (error.map { " (\($0))" }
                    ?? "; check that it has power and the Wi-Fi password is right, and pair again")
        case .cloud(let error): error.description
        }
    }
}
