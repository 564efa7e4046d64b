import Basics
import DBus
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ: phases")
struct BlueZPhaseTests {
    // MARK: Adapter

    private func adapter(_ powered: Bool, _ address: String = "00:AA:01:00:00:00") -> [String: BusValue] {
        ["Powered": .bool(powered), "Address": .string(address)]
    }

    @Test("the first powered adapter is used, and kept while it is there")
    func choice() {
        var choice = AdapterChoice(preferred: nil)
        #expect(choice.state == .unknown)
        #expect(
            choice.present([
                ("/org/bluez/hci10", adapter(true)), ("/org/bluez/hci0", adapter(false)),
                ("/org/bluez/hci2", adapter(true)),
            ]) == [.poweredOn])
        #expect(choice.path == "/org/bluez/hci2")
        #expect(choice.adapter("/org/bluez/hci0", ["Powered": true]) == [])
        #expect(choice.path == "/org/bluez/hci2")
        #expect(choice.adapter("/org/bluez/hci2", ["Powered": false]) == [.poweredOff])
        #expect(choice.adapter("/org/bluez/hci2", ["Alias": "x"]) == [])
        #expect(choice.adapter("/org/bluez/hci2", ["Powered": true]) == [.poweredOn])
        // Another one takes its place: what the first one held is over.
        #expect(choice.removed("/org/bluez/hci2") == [.resetting, .poweredOn])
        #expect(choice.path == "/org/bluez/hci0")
    }

    @Test("an adapter that is being switched off is off from the first word of it")
    func fading() {
        var choice = AdapterChoice(preferred: nil)
        #expect(
            choice.present([("/org/bluez/hci0", adapter(true).merging(["PowerState": "on"]) { $1 })]) == [.poweredOn])
        #expect(choice.adapter("/org/bluez/hci0", ["PowerState": "on-disabling"]) == [.poweredOff])
        #expect(choice.adapter("/org/bluez/hci0", ["PowerState": "off", "Powered": false]) == [])
        #expect(choice.adapter("/org/bluez/hci0", ["PowerState": "off-enabling"]) == [])
        #expect(choice.adapter("/org/bluez/hci0", ["PowerState": "on", "Powered": true]) == [.poweredOn])
        // A refused attempt to switch it off.
        #expect(choice.adapter("/org/bluez/hci0", ["PowerState": "on-disabling"]) == [.poweredOff])
        #expect(choice.adapter("/org/bluez/hci0", ["PowerState": "on"]) == [.poweredOn])
    }

    @Test("an adapter that never was on gives way to one that is")
    func better() {
        var choice = AdapterChoice(preferred: nil)
        #expect(choice.present([("/org/bluez/hci0", adapter(false))]) == [.poweredOff])
        #expect(choice.adapter("/org/bluez/hci1", adapter(true)) == [.poweredOn])
        #expect(choice.path == "/org/bluez/hci1")
    }

    @Test("an adapter that is asked for is waited for", arguments: ["hci1", "/org/bluez/hci1", "00:aa:01:01:00:01"])
    func preferred(_ name: String) {
        var choice = AdapterChoice(preferred: name)
        #expect(choice.present([("/org/bluez/hci0", adapter(true))]) == [.unsupported])
        #expect(choice.adapter("/org/bluez/hci1", adapter(true, "00:AA:01:01:00:01")) == [.poweredOn])
        #expect(choice.removed("/org/bluez/hci1") == [.resetting])
        #expect(choice.giveUp() == [.unsupported])
        #expect(choice.adapter("/org/bluez/hci1", adapter(true, "00:AA:01:01:00:01")) == [.poweredOn])
    }

    @Test("a daemon that goes is expected back for a while; one that refuses is not to be used")
    func daemon() {
        var choice = AdapterChoice(preferred: nil)
        #expect(choice.daemon(.absent) == [.unsupported])
        #expect(choice.present([]) == [])
        #expect(choice.adapter("/org/bluez/hci0", adapter(true)) == [.poweredOn])
        #expect(choice.daemon(.absent) == [.resetting])
        #expect(choice.path == nil)
        #expect(choice.isWaiting)
        #expect(choice.present([]) == [])
        #expect(choice.adapter("/org/bluez/hci0", adapter(false)) == [.poweredOff])
        #expect(choice.daemon(.denied) == [.unauthorized])
        #expect(choice.daemon(.absent) == [.resetting])
        #expect(choice.giveUp() == [.unsupported])
        #expect(choice.present([("/org/bluez/hci0", adapter(true))]) == [.poweredOn])
    }

    // MARK: Discovery

    @Test("a session is begun and ended by what is wanted, one request at a time")
    func discovery() {
        var session = DiscoverySession()
        #expect(session.want(true) == [.start])
        #expect(session.want(false) == [])
        #expect(session.want(true) == [])
        #expect(session.want(false) == [])
        #expect(session.started(true) == [.stop])
        #expect(session.want(true) == [])
        #expect(session.stopped() == [.start])
        #expect(session.started(true) == [])
        #expect(session.revive() == [.stop])
        #expect(session.stopped() == [.start])
        #expect(session.started(true) == [])
        #expect(session.want(false) == [.stop])
        #expect(session.stopped() == [])
        #expect(session.phase == .off)
    }

    @Test("a failed start is tried again, later and later, after half a session is cleared away")
    func discoveryFailures() {
        var session = DiscoverySession()
        #expect(session.want(true) == [.start])
        for delay in [Duration.milliseconds(100), .milliseconds(400), .milliseconds(1600), .seconds(4), .seconds(4)] {
            #expect(session.started(false) == [.pause(delay)])
            #expect(session.paused() == [.stop])
            #expect(session.stopped() == [.start])
        }
        #expect(session.started(false) == [.pause(.seconds(4))])
        #expect(session.want(false) == [.resume, .stop])
        #expect(session.paused() == [])
        #expect(session.stopped() == [])
        #expect(session.want(true) == [.start])
        #expect(session.want(false) == [])
        // It may have failed because there is a session.
        #expect(session.started(false) == [.stop])
        #expect(session.want(true) == [])
        #expect(session.stopped() == [.start])
        session.lost()
        #expect(session.started(true) == [])
        #expect(session.phase == .off)
    }

    // MARK: Connecting

    @Test("a known device is called at its turn; passing trouble is met with patience")
    func attempt() {
        var attempt = ConnectAttempt()
        #expect(attempt.begin(isKnown: true) == [.joinLine])
        #expect(attempt.granted(isKnown: true, isFree: true) == [.call(quietly: true)])
        for delay in [Duration.milliseconds(100), .milliseconds(400)] {
            #expect(attempt.answered(.passing(isCrowded: false)) == [.leaveLine, .pause(delay)])
            #expect(!attempt.needsDiscovery)
            #expect(attempt.paused(isKnown: true) == [.joinLine])
            #expect(attempt.granted(isKnown: true, isFree: true) == [.call(quietly: true)])
        }
        #expect(attempt.answered(.passing(isCrowded: false)) == [.leaveLine, .pause(.milliseconds(1600))])
        #expect(attempt.needsDiscovery)
        #expect(attempt.paused(isKnown: true) == [.pause(ConnectAttempt.lookLimit)])
        #expect(attempt.heard() == [.joinLine])
        // One call in four with scans going on.
        #expect(attempt.granted(isKnown: true, isFree: true) == [.call(quietly: false)])
        #expect(attempt.answered(.passing(isCrowded: true)) == [.leaveLine, .pause(Backoff.radio.limit)])
        #expect(attempt.heard() == [])
        #expect(attempt.paused(isKnown: true) == [.joinLine])
        #expect(attempt.granted(isKnown: true, isFree: true) == [.call(quietly: true)])
        #expect(attempt.answered(.connected) == [.leaveLine, .connected])
        #expect(attempt.answered(.connected) == [])
        #expect(attempt.cancel() == [])
    }

    @Test("a device that the daemon does not know, or forgets, is looked for")
    func seeking() {
        var attempt = ConnectAttempt()
        #expect(attempt.begin(isKnown: false) == [])
        #expect(attempt.needsDiscovery)
        #expect(attempt.begin(isKnown: true) == [.joinLine])
        #expect(attempt.granted(isKnown: false, isFree: true) == [.leaveLine])
        #expect(attempt.needsDiscovery)
        #expect(attempt.begin(isKnown: true) == [.joinLine])
        #expect(attempt.granted(isKnown: true, isFree: true) == [.call(quietly: true)])
        #expect(attempt.answered(.unknownDevice) == [.leaveLine])
        #expect(attempt.phase == .seeking)
        #expect(attempt.cancel() == [])
    }

    @Test("a long call is taken back for others; a refusal ends the wish; a withdrawn one leaves nothing behind")
    func endings() {
        var attempt = ConnectAttempt()
        _ = attempt.begin(isKnown: true)
        _ = attempt.granted(isKnown: true, isFree: true)
        #expect(attempt.cut() == [.abandon, .leaveLine, .pause(ConnectAttempt.lookLimit)])
        #expect(attempt.answered(.connected) == [])
        #expect(attempt.needsDiscovery)
        #expect(attempt.paused(isKnown: true) == [.joinLine])
        var withdrawn = attempt
        #expect(withdrawn.cancel() == [.leaveLine])
        _ = attempt.granted(isKnown: true, isFree: true)
        withdrawn = attempt
        #expect(withdrawn.cancel() == [.abandon, .leaveLine])
        let failure = RadioFailure.radio(.connectionFailed)
        #expect(attempt.answered(.refused(failure)) == [.leaveLine, .failed(failure)])
    }

    @Test("a turn that comes while the device's link is being taken down is given away")
    func blocked() {
        var attempt = ConnectAttempt()
        _ = attempt.begin(isKnown: true)
        #expect(attempt.granted(isKnown: true, isFree: false) == [.leaveLine])
        #expect(attempt.phase == .idle)
        #expect(attempt.begin(isKnown: true) == [.joinLine])
        #expect(attempt.granted(isKnown: true, isFree: true) == [.call(quietly: true)])
    }

    @Test("errors of Connect are told apart")
    func outcomes() {
        func outcome(_ name: String, _ message: String) -> ConnectAttempt.Outcome {
            .init(.remote(name: name, message: message))
        }
        for message in [
            "le-connection-abort-by-local", "br-connection-canceled", "Operation already in progress",
            "le-connection-timeout",
        ] {
            #expect(outcome(BlueZ.ErrorName.failed, message) == .passing(isCrowded: false), "\(message)")
        }
        #expect(outcome(BlueZ.ErrorName.inProgress, "") == .passing(isCrowded: false))
        #expect(outcome(BlueZ.ErrorName.notReady, "") == .passing(isCrowded: false))
        #expect(
            outcome(BlueZ.ErrorName.failed, "le-connection-concurrent-connection-limit") == .passing(isCrowded: true))
        #expect(outcome(BusError.unknownObject, "") == .unknownDevice)
        #expect(ConnectAttempt.Outcome(.timedOut("Connect")) == .passing(isCrowded: false))
        guard case .refused = outcome(BusError.accessDenied, "no") else {
            Issue.record("refused by policy")
            return
        }
        guard case .refused = outcome(BlueZ.ErrorName.failed, "le-connection-not-supported") else {
            Issue.record("not supported")
            return
        }
    }

    @Test("managers of a process take turns, let scans rest, and share links")
    func sharing() {
        let sharing = AdapterSharing()
        let granted = Recorder<Int>()
        let changes = Recorder<Bool>()
        let address = RadioAddress(number: 1)
        sharing.watch(changes) { changes.record(sharing.isQuiet("a")) }
        let first = sharing.join("a", for: address) { granted.record(1) }
        let second = sharing.join("a", for: address) { granted.record(2) }
        let third = sharing.join("a", for: address) { granted.record(3) }
        let other = sharing.join("b", for: address) { granted.record(4) }
        #expect(granted.remaining == [1, 4])
        #expect(sharing.isContended("a"))
        #expect(!sharing.isContended("b"))
        sharing.hush(first)
        sharing.leave(second)
        #expect(granted.remaining == [1, 4])
        #expect(sharing.isQuiet("a"))
        sharing.leave(first)
        sharing.leave(first)
        #expect(granted.remaining == [1, 4, 3])
        #expect(changes.remaining == [true, false])
        sharing.unwatch(changes)
        #expect(sharing.isInUse("a", address))
        sharing.leave(third)
        #expect(!sharing.isInUse("a", address))
        sharing.leave(other)
    }

    @Test("the last share of a link takes it down, and nobody gets another until it is gone")
    func shares() throws {
        let sharing = AdapterSharing()
        let changes = Recorder<Bool>()
        let address = RadioAddress(number: 1)
        sharing.watch(changes) { changes.record(sharing.isLeaving("a", address)) }
        let first = try #require(sharing.hold("a", address))
        let second = try #require(sharing.hold("a", address))
        let lost = try #require(sharing.hold("a", address))
        #expect(!sharing.depart(first))
        #expect(!sharing.depart(first))
        sharing.release(lost)
        #expect(!sharing.depart(lost))
        #expect(sharing.isInUse("a", address))
        #expect(sharing.depart(second))
        #expect(sharing.isInUse("a", address))
        #expect(sharing.hold("a", address) == nil)
        #expect(sharing.hold("b", address) != nil)
        #expect(sharing.hold("a", RadioAddress(number: 2)) != nil)
        #expect(changes.remaining.isEmpty)
        sharing.departed(second)
        sharing.departed(second)
        #expect(changes.remaining == [false])
        #expect(!sharing.isInUse("a", address))
        #expect(sharing.hold("a", address) != nil)
    }
}
