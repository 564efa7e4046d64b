import Foundation
import Wire

/// Where pairing stands and whose it is, whatever the layout: takes what happens, returns what to do.
///
/// A pure value. The phases are those of ``Wire/PairingState``. One client at a time holds the pairing, from its first
/// accepted field until it applies them, leaves, or is silent for ``Wire/PairingService/stagedFieldsLifetime``; what it
/// staged is wiped in all three cases. Who hands everything over at once holds it for no time. What is refused changes
/// nothing.
struct PairingMachine: Sendable {
    /// A link to a client, by the identifier that the radio gives to its central.
    typealias Client = UUID
    typealias Refusal = PairingService.WriteRefusal

    /// What to do, in the order given.
    enum Action: Sendable, Equatable {
        /// Tell clients and the advertisement; ``PairingMachine/isOpen`` may have changed too.
        case publish(PairingState)
        /// Start the staging timer, or start it over; when it ends, hand in its number.
        case startStagingTimer(Int)
        /// Stop the staging timer.
        case stopStagingTimer
        /// Wipe what was staged.
        case wipe
        /// Join the network and register.
        case enrol(PairingCredentials)
    }

    /// What happens besides the requests of clients.
    enum Event: Sendable, Equatable {
        /// The link to a client is gone.
        case left(Client)
        /// The staging timer of this number ended.
        case stagingTimerEnded(Int)
        /// The camera is on the network.
        case joined
        /// The camera is in the cloud.
        case registered
        /// The attempt failed.
        case failed(PairingFailure)
    }

    private enum Phase: Sendable {
        case waiting
        case receiving(Client)
        case joining
        case registering
        case done
        case failed(PairingFailure)
    }

    private var phase = Phase.waiting
    private var timer = 0

    /// Waits for a client.
    init() {}

    /// What clients are told.
    var state: PairingState {
        switch phase {
        case .waiting: PairingState(phase: .waiting)
        case .receiving: PairingState(phase: .receiving)
        case .joining: PairingState(phase: .joining)
        case .registering: PairingState(phase: .registering)
        case .done: PairingState(phase: .done)
        case .failed(let failure): PairingState(phase: .failed, failure: failure)
        }
    }

    /// Whether the camera is in pairing mode: not while it is busy with credentials, and not once it is paired.
    var isOpen: Bool {
        switch phase {
        case .waiting, .receiving, .failed: true
        case .joining, .registering, .done: false
        }
    }

    /// Whether a client may hand over credentials, or a part of them.
    /// - Throws: `busy`.
    func admit(_ client: Client) throws(Refusal) {
        guard isOpen else { throw .busy }
        if case .receiving(let holder) = phase, holder != client { throw .busy }
    }

    /// A client that was admitted has handed over a part: it holds the pairing.
    mutating func hold(_ client: Client) -> [Action] {
        let before = state
        timer += 1
        phase = .receiving(client)
        return (state == before ? [] : [.publish(state)]) + [.startStagingTimer(timer)]
    }

    /// A client that was admitted has handed over everything.
    mutating func apply(_ credentials: PairingCredentials) -> [Action] {
        timer += 1
        phase = .joining
        return [.stopStagingTimer, .wipe, .publish(state), .enrol(credentials)]
    }

    /// Nobody holds the pairing any more.
    mutating func release() -> [Action] {
        guard case .receiving = phase else { return [] }
        timer += 1
        phase = .waiting
        return [.stopStagingTimer, .wipe, .publish(state)]
    }

    /// Takes anything else that happens. What does not fit the phase, such as a late timer, changes nothing.
    mutating func handle(_ event: Event) -> [Action] {
        switch (event, phase) {
        case (.left(let client), .receiving(let holder)) where client == holder: return release()
        case (.stagingTimerEnded(timer), .receiving): return release()
        case (.joined, .joining):
            phase = .registering
        case (.registered, .registering):
            phase = .done
        case (.failed(let failure), .joining), (.failed(let failure), .registering):
            phase = .failed(failure)
        case (.left, _), (.stagingTimerEnded, _), (.joined, _), (.registered, _), (.failed, _):
            return []
        }
        return [.publish(state)]
    }
}
