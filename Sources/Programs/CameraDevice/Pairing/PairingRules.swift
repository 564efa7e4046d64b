import Foundation
import Wire

/// The rules of pairing over Bluetooth, without a radio: takes what clients do and what happens, returns what to do.
///
/// A pure value. ``PairingMachine`` knows whose the pairing is and where it stands, whatever the layout; the layouts turn
/// what is written into what it is asked for, and what it decides into what their clients are told.
struct PairingRules: Sendable {
    typealias Client = UUID
    typealias Lane = MessageQueue.Lane
    typealias Refusal = PairingService.WriteRefusal

    /// What to do, in the order given.
    enum Action: Sendable, Equatable {
        /// Tell the subscribers of the status, and the advertisement; ``PairingRules/advertises`` may have changed too.
        case publish(PairingState)
        /// Start the staging timer, or start it over; when it ends, hand in its number.
        case startStagingTimer(Int)
        /// Stop the staging timer.
        case stopStagingTimer
        /// Scan, and send the list.
        case scan(Lane)
        /// Send a message.
        case send(ExchangeAnswer, Lane)
        /// Forget what waits to be sent to a client, and that it asked for a scan.
        case drop(Lane)
        /// Join the network and register.
        case enrol(PairingCredentials)
        /// ``PairingRules/advertises`` has changed.
        case advertise
        /// Start the timer of the lock; when it ends, hand in its number.
        case startLockTimer(Int)
        /// Tell whoever runs the camera.
        case note(Note)
    }

    /// What whoever runs the camera is told of the setup code.
    enum Note: Sendable, Equatable {
        /// Somebody has tried a wrong code; so many tries are left before pairing is locked.
        case wrongSetupCode(triesLeft: Int)
        /// Too many wrong codes.
        case locked(Duration)
        /// Far too many wrong codes: until the next start.
        case ended
    }

    /// What the camera says of itself.
    let info: PairingInfo
    /// Its device id.
    let deviceID: DeviceID
    /// For the protected layout.
    let verifiers: PasswordVerifiers?
    let randomness: PairingRandomness
    var machine = PairingMachine()
    var standard = StandardLayout()
    var exchanges: [PairingLayout: Exchange] = [:]
    var tries = SetupCodeTries()

    /// Waits for a client, on the layouts that are named in what the camera says of itself.
    /// - Parameter verifiers: Needed for the protected layout.
    init(
        info: PairingInfo, deviceID: DeviceID, verifiers: PasswordVerifiers?,
        randomness: PairingRandomness = PairingRandomness()
    ) {
        (self.info, self.deviceID, self.verifiers, self.randomness) = (info, deviceID, verifiers, randomness)
        for layout in info.layouts.known where layout != .standard { exchanges[layout] = Exchange(layout) }
    }

    /// What clients are told.
    var state: PairingState { machine.state }

    /// Whether the camera is in pairing mode.
    var advertises: Bool { machine.isOpen && tries.isOpen }

    /// What a client reads; nil where nothing can be read.
    func value(of attribute: PairingAttribute, for client: Client) -> Data? {
        switch attribute {
        case .exchange(let layout): exchanges[layout]?.position(of: client).encoded
        case .standard(.info): try? info.encoded()
        case .standard(.deviceID): Data(deviceID.rawValue.utf8)
        case .standard(.status): state.encoded()
        case .standard: nil
        }
    }

    /// Takes the values that a client wrote at once: all of them or none.
    /// - Throws: What to answer instead of success; then nothing has changed, but that a frame that is none ends the
    ///   message under way.
    mutating func write(_ writes: [WrittenValue], by client: Client) throws(Refusal) -> [Action] {
        if let only = writes.first, writes.count == 1, case .exchange(let layout) = only.attribute {
            return told(try take(only.bytes, on: layout, from: client))
        }
        var next = self
        var actions: [Action] = []
        for write in writes {
            // Frames are not part of what is taken all or none: each is taken for itself.
            guard case .standard(let characteristic) = write.attribute else { throw .unknownCommand }
            actions += try next.take(write.bytes, characteristic, from: client)
        }
        self = next
        return told(actions)
    }

    /// Takes what happens to the attempt, or to its timers.
    mutating func handle(_ event: PairingMachine.Event) -> [Action] {
        told(performed(machine.handle(event)))
    }

    /// The timer of the lock has ended.
    mutating func lockTimerEnded(_ number: Int) -> [Action] { tries.unlock(number) ? [.advertise] : [] }

    /// The link to a client is gone, or it takes no notifications any more.
    mutating func left(_ client: Client) -> [Action] {
        var actions: [Action] = []
        for layout in PairingLayout.allCases {
            actions += ended(Lane(layout: layout, client: client))
        }
        return told(actions + performed(machine.handle(.left(client))))
    }

    /// A client takes no notifications of a layout any more: its conversation is over.
    mutating func closed(_ lane: Lane) -> [Action] {
        told(ended(lane))
    }

    private mutating func ended(_ lane: Lane) -> [Action] {
        let proving = exchanges[lane.layout]?.proving(lane.client)
        exchanges[lane.layout]?.forget(lane.client)
        return [.drop(lane)] + (proving == .setupCode ? lostTry() : [])
    }

    /// A message's bytes; nil when it is not to be sent any more.
    mutating func encode(_ message: ExchangeAnswer, for lane: Lane) -> Data? {
        if lane.layout != .standard { return exchanges[lane.layout]?.encode(message, for: lane.client) }
        guard case .record(let record) = message else { return nil }
        return try? record.encoded()
    }

    // MARK: Layouts

    private mutating func take(
        _ value: Data, _ characteristic: PairingService.Characteristic, from client: Client
    ) throws(Refusal) -> [Action] {
        guard tries.isOpen else { throw .locked }
        // To scan, a client need not hold the pairing.
        if characteristic == .networks {
            guard machine.isOpen else { throw .busy }
        } else {
            try machine.admit(client)
        }
        switch try standard.take(value, characteristic) {
        case .scan: return [.scan(Lane(layout: .standard, client: client))]
        case .hold: return performed(machine.hold(client))
        case .apply(let credentials): return performed(machine.apply(credentials))
        }
    }

    // MARK: What the machine decides

    mutating func performed(_ actions: [PairingMachine.Action]) -> [Action] {
        actions.compactMap { action in
            switch action {
            case .publish(let state): return .publish(state)
            case .startStagingTimer(let number): return .startStagingTimer(number)
            case .stopStagingTimer: return .stopStagingTimer
            case .enrol(let credentials): return .enrol(credentials)
            case .wipe:
                standard.wipe()
                return nil
            }
        }
    }

    /// With what the clients of the exchanges are told of it.
    private func told(_ actions: [Action]) -> [Action] {
        actions.flatMap { action in
            guard case .publish(let state) = action else { return [action] }
            let listeners = PairingLayout.allCases.flatMap { exchanges[$0]?.listeners ?? [] }
            return [action] + listeners.map { .send(.state(state), $0) }
        }
    }
}
