import Foundation
import Wire

/// The rules of pairing over Bluetooth, without a radio: takes what happens, returns what to do.
///
/// A pure value. The phases are those of ``Wire/PairingState``. One client at a time holds the pairing, from its first
/// accepted field until it applies them, leaves, or is silent for ``Wire/PairingService/stagedFieldsLifetime``; what it
/// staged is wiped in the last two cases. A refused write changes nothing.
struct PairingMachine: Sendable {
    /// A link to a client, by the identifier that the radio gives to its central.
    typealias Client = UUID
    typealias Characteristic = PairingService.Characteristic
    typealias Refusal = PairingService.WriteRefusal

    /// What to do, in the order given.
    enum Action: Sendable, Equatable {
        /// Tell subscribers and the advertisement; ``PairingMachine/advertises`` may have changed too.
        case publish(PairingState)
        /// Start the staging timer, or start it over; when it ends, hand in its number.
        case startStagingTimer(Int)
        /// Stop the staging timer.
        case stopStagingTimer
        /// Scan, and stream the list to this client.
        case scan(Client)
        /// Forget what was to be streamed to this client.
        case forget(Client)
        /// Join the network and register.
        case enrol(PairingCredentials)
    }

    /// What happens besides writes.
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
        case receiving(Client, StagedFields)
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
    var advertises: Bool {
        switch phase {
        case .waiting, .receiving, .failed: true
        case .joining, .registering, .done: false
        }
    }

    /// Takes a value that a client wrote.
    /// - Throws: What to answer instead of success; then nothing has changed.
    mutating func write(
        _ value: Data, to characteristic: Characteristic, by client: Client
    ) throws(Refusal) -> [Action] {
        guard advertises else { throw .busy }
        if characteristic == .networks { return [try Self.scan(value, by: client)] }

        var staged = StagedFields()
        if case .receiving(let holder, let soFar) = phase {
            guard holder == client else { throw .busy }
            staged = soFar
        }
        let before = state
        if characteristic == .environment {
            let credentials = try staged.applied(with: value)
            timer += 1
            phase = .joining
            return [.stopStagingTimer, .publish(state), .enrol(credentials)]
        }
        try staged.take(value, characteristic)
        timer += 1
        phase = .receiving(client, staged)
        return (state == before ? [] : [.publish(state)]) + [.startStagingTimer(timer)]
    }

    /// Takes anything else that happens. What does not fit the phase, such as a late timer, changes nothing.
    mutating func handle(_ event: Event) -> [Action] {
        switch (event, phase) {
        case (.left(let client), .receiving(let holder, _)) where client == holder:
            phase = .waiting
            return [.forget(client), .stopStagingTimer, .publish(state)]
        case (.left(let client), _):
            return [.forget(client)]
        case (.stagingTimerEnded(timer), .receiving):
            phase = .waiting
        case (.joined, .joining):
            phase = .registering
        case (.registered, .registering):
            phase = .done
        case (.failed(let failure), .joining), (.failed(let failure), .registering):
            phase = .failed(failure)
        case (.stagingTimerEnded, _), (.joined, _), (.registered, _), (.failed, _):
            return []
        }
        return [.publish(state)]
    }

    private static func scan(_ value: Data, by client: Client) throws(Refusal) -> Action {
        guard value.count == 1, let byte = value.first else { throw .length }
        guard NetworkScanCommand(rawValue: byte) == .scan else { throw .unknownCommand }
        return .scan(client)
    }
}
