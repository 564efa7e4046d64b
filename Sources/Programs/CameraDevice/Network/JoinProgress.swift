/// The state of an interface, as wpa_supplicant calls it.
enum SupplicantState: String, Sendable {
    case disconnected
    case inactive
    case interfaceDisabled = "interface_disabled"
    case scanning
    case authenticating
    case associating
    case associated
    case fourWayHandshake = "4way_handshake"
    case groupHandshake = "group_handshake"
    case completed

    /// Whether it talks to a station.
    var isOnStation: Bool {
        switch self {
        case .disconnected, .inactive, .interfaceDisabled, .scanning: false
        case .authenticating, .associating, .associated, .fourWayHandshake, .groupHandshake, .completed: true
        }
    }
}

/// What comes of an attempt to join a network: takes what wpa_supplicant and the kernel report, says when it is over.
///
/// A pure value. wpa_supplicant gathers its reports, so a state that lasts milliseconds may be missing among them; none
/// but `completed` is waited for. How a wrong password shows (seen with hostapd 2.10): WPA2 ends its four-way handshake
/// after some seconds with a reason given by the station; SAE is refused with a status code.
struct JoinProgress: Sendable {
    /// What happens, in the order in which it happens.
    enum Event: Sendable, Equatable {
        /// The interface has come to this state.
        case state(SupplicantState)
        /// Why the last station was left: positive when the station said so, negative when this side did
        /// (IEEE 802.11-2020, 9.4.1.7).
        case disconnectReason(Int)
        /// The outcome of the last authentication (IEEE 802.11-2020, 9.4.1.9); 0 is success.
        case authenticationStatus(Int)
        /// A scan has ended.
        case scanDone
        /// The answer to ``Decision/look``: nil when the network is there, and can be joined with the credentials.
        case looked(WiFiError?)
        /// Whether the interface has an address of this network.
        case hasAddress(Bool)
        /// Too much time has passed without being let in.
        case associationLimit
        /// Too much time has passed without an address.
        case addressLimit
        /// wpa_supplicant is gone.
        case supplicantGone
    }

    /// What to do.
    enum Decision: Sendable, Equatable {
        /// Wait.
        case wait
        /// Look whether the list of stations has the network.
        case look
        /// The network has let the camera in: time the address from here. Decided once.
        case awaitAddress
        /// It is joined.
        case joined
        /// It is not.
        case failed(WiFiError)
    }

    /// One scan may miss a station: only after so many in a row is it not there.
    static let scansWithoutNetwork = 3

    private let interface: String
    private let offersSAE: Bool
    private var state = SupplicantState.disconnected
    private var reason: Int?
    private var brokenHandshakes = 0
    private var misses = 0
    private var wasHeard = false
    private var wasLetIn = false
    private var hasAddress = false

    /// Nothing has happened yet.
    /// - Parameters:
    ///   - interface: Named in errors.
    ///   - offersSAE: Whether SAE may be what refuses the password.
    init(interface: String, offersSAE: Bool) {
        self.interface = interface
        self.offersSAE = offersSAE
    }

    /// Takes what happens.
    mutating func handle(_ event: Event) -> Decision {
        switch event {
        case .state(let new): return entered(new)
        case .disconnectReason(let code):
            reason = code
            return .wait
        case .authenticationStatus(let code):
            // 1 is what hostapd says of a password that does not fit, 15 what the standard says.
            let isRefusal = offersSAE && state == .authenticating && (code == 1 || code == 15)
            return isRefusal ? .failed(.wrongPassword) : .wait
        case .scanDone:
            guard !wasHeard else { return .wait }
            return .look
        case .looked(let obstacle):
            guard !wasHeard, let obstacle else {
                misses = 0
                return .wait
            }
            guard obstacle == .networkNotFound else { return .failed(obstacle) }
            misses += 1
            return misses >= Self.scansWithoutNetwork ? .failed(obstacle) : .wait
        case .hasAddress(let has):
            hasAddress = has
            return has && state == .completed ? .joined : .wait
        case .associationLimit:
            guard !wasLetIn else { return .wait }
            return .failed(wasHeard ? .timedOut : .networkNotFound)
        case .addressLimit: return .failed(.noAddress)
        case .supplicantGone: return .failed(.noSupplicant(reason: "it ended while the camera joined a network"))
        }
    }

    private mutating func entered(_ new: SupplicantState) -> Decision {
        let old = state
        state = new
        if new.isOnStation { wasHeard = true }
        switch new {
        case .completed:
            if hasAddress { return .joined }
            if wasLetIn { return .wait }
            wasLetIn = true
            return .awaitAddress
        case .interfaceDisabled:
            return .failed(.radioOff(interface: interface))
        case .disconnected, .inactive, .scanning, .authenticating, .associating, .associated:
            guard old == .fourWayHandshake else { return .wait }
            // The station gave up on the handshake, which it does when the keys differ; or nobody said why, which a bad
            // link may cause once, but hardly twice.
            brokenHandshakes += Self.blamesTheKey(reason) ? 2 : 1
            reason = nil
            return brokenHandshakes >= 2 ? .failed(.wrongPassword) : .wait
        case .fourWayHandshake:
            if old != .fourWayHandshake { reason = nil }
            return .wait
        case .groupHandshake:
            return .wait
        }
    }

    /// Whether a station that ends a handshake for this reason means the keys: not those that say that it, or the client,
    /// goes away (3, 8), that the client was idle (4), or that there are too many (5).
    private static func blamesTheKey(_ reason: Int?) -> Bool {
        guard let reason else { return false }
        return reason > 0 && ![3, 4, 5, 8].contains(reason)
    }
}
