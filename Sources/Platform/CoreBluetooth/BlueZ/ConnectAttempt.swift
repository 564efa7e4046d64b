import Basics
import DBus

/// The wish to be connected with a device, which never runs out of time: what it waits for, and what to do next.
///
/// A value: it is told what happened and answers what to do. A device that does not answer is looked for by a scan, and
/// called when it is heard, or now and then without: some devices are not to be seen by scanning.
struct ConnectAttempt: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Not begun, or not allowed to go on: an earlier connection is still being taken down.
        case idle
        /// The daemon does not know the device: it has to be heard first.
        case seeking
        /// Others of this process connect.
        case queued
        /// `Connect` waits for its answer.
        case calling
        /// A call failed; the next one comes after a while.
        case pausing
        /// Calls failed: the device is looked for before the next one.
        case looking
        /// Connected, or given up.
        case over
    }

    enum Action: Equatable, Sendable {
        case joinLine
        case leaveLine
        /// Calls `Connect`; `quietly` while all scans rest.
        case call(quietly: Bool)
        /// Takes `Connect` back, so that the daemon stops trying.
        case abandon
        case pause(Duration)
        case connected
        case failed(RadioFailure)
    }

    /// How a call ended.
    enum Outcome: Equatable, Sendable {
        case connected
        /// May work next time. `isCrowded`: no connection slot is free.
        case passing(isCrowded: Bool)
        /// The daemon has no such object (any more).
        case unknownDevice
        /// Will not work however often it is tried.
        case refused(RadioFailure)
    }

    /// Calls that follow each other quickly before the device is looked for.
    private static let quickCalls = 3
    /// How long to look for a device before it is called all the same: a little more than a discovery round.
    static let lookLimit = Duration.seconds(12)

    private(set) var phase = Phase.idle
    /// Calls that failed, one after the other.
    private(set) var failures = 0
    private var backoff = Backoff.radio
    private var wasHeard = false

    /// Whether a scan is needed now.
    var needsDiscovery: Bool {
        switch phase {
        case .seeking, .looking: true
        case .pausing: failures >= Self.quickCalls
        case .idle, .queued, .calling, .over: false
        }
    }

    /// Begins, as soon as nothing stands in the way.
    /// - Parameter isKnown: Whether the daemon has an object for the device.
    mutating func begin(isKnown: Bool) -> [Action] {
        guard phase == .idle || phase == .seeking else { return [] }
        return proceed(isKnown)
    }

    /// The device was heard.
    mutating func heard() -> [Action] {
        wasHeard = true
        return phase == .looking || phase == .seeking ? proceed(true) : []
    }

    /// A pause is over.
    mutating func paused(isKnown: Bool) -> [Action] {
        switch phase {
        case .pausing where failures >= Self.quickCalls && !wasHeard:
            phase = .looking
            return [.pause(Self.lookLimit)]
        case .pausing, .looking: return proceed(isKnown)
        case .idle, .seeking, .queued, .calling, .over: return []
        }
    }

    private mutating func proceed(_ isKnown: Bool) -> [Action] {
        phase = isKnown ? .queued : .seeking
        return isKnown ? [.joinLine] : []
    }

    /// It is this device's turn.
    /// - Parameter isFree: Whether no connection to it is being taken down.
    mutating func granted(isKnown: Bool, isFree: Bool) -> [Action] {
        guard phase == .queued else { return [] }
        guard isKnown, isFree else {
            phase = isKnown ? .idle : .seeking
            return [.leaveLine]
        }
        phase = .calling
        wasHeard = false
        // Some adapters connect only while something scans, others never do then: both are tried.
        return [.call(quietly: failures % 4 != 3)]
    }

    /// The call was answered.
    mutating func answered(_ outcome: Outcome) -> [Action] {
        guard phase == .calling else { return [] }
        switch outcome {
        case .connected:
            phase = .over
            return [.leaveLine, .connected]
        case .passing(let isCrowded):
            failures += 1
            phase = .pausing
            let pause = backoff.next()
            // It takes a while until a slot is free.
            return [.leaveLine, .pause(isCrowded ? backoff.limit : pause)]
        case .unknownDevice:
            phase = .seeking
            return [.leaveLine]
        case .refused(let failure):
            phase = .over
            return [.leaveLine, .failed(failure)]
        }
    }

    /// The call has taken long, and others wait: it is taken back, and the device looked for meanwhile.
    mutating func cut() -> [Action] {
        guard phase == .calling else { return [] }
        phase = .looking
        return [.abandon, .leaveLine, .pause(Self.lookLimit)]
    }

    /// The wish is withdrawn.
    mutating func cancel() -> [Action] {
        defer { phase = .over }
        switch phase {
        case .queued: return [.leaveLine]
        case .calling: return [.abandon, .leaveLine]
        case .idle, .seeking, .pausing, .looking, .over: return []
        }
    }
}

extension ConnectAttempt.Outcome {
    /// What an error of `Device1.Connect` means. (BlueZ 5.66, src/error.c and `att_connect_cb` of src/device.c.)
    init(_ error: BusError) {
        guard case .remote(let name, let message) = error else {
            self = .passing(isCrowded: false)
            return
        }
        switch name {
        case BusError.unknownObject, BusError.unknownMethod: self = .unknownDevice
        case BusError.accessDenied:
            self = .refused(.radio(.operationNotSupported, error.description))
        case BlueZ.ErrorName.notSupported, BlueZ.ErrorName.invalidArguments:
            self = .refused(.radio(.connectionFailed, "the Bluetooth daemon cannot connect: \(message)"))
        case BlueZ.ErrorName.failed where message.hasSuffix("not-supported") || message.hasSuffix("invalid-arguments"):
            self = .refused(.radio(.connectionFailed, "the Bluetooth daemon cannot connect: \(message)"))
        default:
            self = .passing(isCrowded: message.hasSuffix("-limit") || message.hasSuffix("-memory-allocation"))
        }
    }
}
