import Basics
public import Foundation

/// The condition of the radio.
public enum CBManagerState: Int, Sendable {
    /// Not known yet: an update follows.
    case unknown = 0
    /// The connection to the radio was lost and is being made again.
    case resetting
    /// There is no radio that could be used.
    case unsupported
    /// This program may not use the radio.
    case unauthorized
    /// The radio is switched off.
    case poweredOff
    /// The radio is ready.
    case poweredOn
}

/// Whether this program may use Bluetooth.
public enum CBManagerAuthorization: Int, Sendable {
    /// The user has not been asked.
    case notDetermined = 0
    /// Not allowed by the system's rules.
    case restricted
    /// Not allowed by the user.
    case denied
    /// Allowed.
    case allowedAlways
}

/// What central and peripheral managers have in common: the state of their radio.
///
/// Methods of managers and of what they hand out may be called from any thread: state that callers see is guarded by a
/// lock, and commands are carried out in order on the manager's queue, where the delegate is called as well.
open class CBManager: NSObject, @unchecked Sendable {
    // Unchecked because NSObject and an open class rule out checking: the only mutable state is inside `Locked`.
    let radioState = Locked(CBManagerState.unknown)
    /// Delegate calls and all work of the radio happen here. It targets the queue that the caller asked for, so one
    /// queue's calls stay in order even if the caller's queue is concurrent.
    let queue: DispatchQueue

    init(queue: DispatchQueue) {
        self.queue = queue
        super.init()
    }

    /// The condition of the radio; changes are announced to the delegate.
    public var state: CBManagerState { radioState.withLock { $0 } }

    /// What the radio says about its state; for ``stateReason``.
    var radioExplanation: String? { nil }

    /// Whether this program may use Bluetooth.
    ///
    /// On Linux no user is asked, so this is always `allowedAlways`; a D-Bus policy that refuses shows as
    /// ``CBManagerState/unauthorized`` in ``state``.
    open class var authorization: CBManagerAuthorization { .allowedAlways }

    /// The same as the class's `authorization`.
    public var authorization: CBManagerAuthorization { Self.authorization }
}
