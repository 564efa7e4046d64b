import Foundation
import Testing
import Wire

@testable import CameraDevice

@Suite struct StandardLayoutTests {
    typealias Characteristic = PairingService.Characteristic
    typealias Refusal = PairingService.WriteRefusal

    private let client = UUID()
    private let other = UUID()

    private func rules(after writes: [(Characteristic, String)]) throws -> PairingRules {
        var rules = try PairingRules.sample()
        for (characteristic, text) in writes {
            _ = try rules.write(Data(text.utf8), to: characteristic, by: client)
        }
        return rules
    }

    private static let fields: [(Characteristic, String)] = [
        (.ssid, "Home"), (.password, "correct horse"), (.sessionKey, Samples.sessionKey), (.region, "us"),
    ]

    private func refusal(_ value: Data, _ characteristic: Characteristic) throws -> Refusal? {
        var rules = try PairingRules.sample()
        do throws(Refusal) {
            _ = try rules.write(value, to: characteristic, by: client)
            return nil
        } catch {
            #expect(rules.state == PairingState(phase: .waiting), "a refused write must change nothing")
            return error
        }
    }

    @Test func fieldsInOrderAreAppliedByTheLast() throws {
        var rules = try rules(after: Self.fields)
        #expect(rules.state == PairingState(phase: .receiving))
        let actions = try rules.write(Data("production".utf8), to: .environment, by: client)
        let credentials = try PairingCredentials(
            ssid: Data("Home".utf8), password: Secret("correct horse"), sessionKey: Secret(Samples.sessionKey),
            region: .us, environment: .production)
        #expect(
            actions == [.stopStagingTimer, .publish(PairingState(phase: .joining)), .enrol(credentials)])
        #expect(!rules.advertises)
    }

    @Test func theFirstFieldStartsTheTimerAndEachOneRestartsIt() throws {
        var rules = try PairingRules.sample()
        let first = try rules.write(Data("Home".utf8), to: .ssid, by: client)
        #expect(first == [.publish(PairingState(phase: .receiving)), .startStagingTimer(1)])
        let second = try rules.write(Data("us".utf8), to: .region, by: client)
        #expect(second == [.startStagingTimer(2)])
        // A timer that ended while it was being replaced is late.
        #expect(rules.handle(.stagingTimerEnded(1)).isEmpty)
        #expect(rules.state.phase == .receiving)
        #expect(
            rules.handle(.stagingTimerEnded(2)) == [.stopStagingTimer, .publish(PairingState(phase: .waiting))])
    }

    @Test(arguments: [true, false])
    func whatWasStagedIsWiped(byLeaving: Bool) throws {
        var rules = try rules(after: Self.fields)
        if byLeaving {
            #expect(
                rules.leaving(client) == [.stopStagingTimer, .publish(PairingState(phase: .waiting))])
        } else {
            _ = rules.handle(.stagingTimerEnded(4))
        }
        #expect(rules.state.phase == .waiting)
        #expect(throws: Refusal.incomplete) {
            try rules.write(Data("production".utf8), to: .environment, by: client)
        }
    }

    @Test func anotherClientNeitherWritesNorWipes() throws {
        var rules = try rules(after: Self.fields)
        #expect(throws: Refusal.busy) { try rules.write(Data("Mine".utf8), to: .ssid, by: other) }
        #expect(throws: Refusal.busy) { try rules.write(Data("production".utf8), to: .environment, by: other) }
        #expect(rules.leaving(other).isEmpty)
        #expect(rules.state.phase == .receiving)
        _ = try rules.write(Data("production".utf8), to: .environment, by: client)
        #expect(rules.state.phase == .joining)
    }

    @Test func anotherClientMayScan() throws {
        var rules = try rules(after: Self.fields)
        #expect(
            try rules.write(Data([1]), to: .networks, by: other) == [
                .scan(MessageQueue.Lane(layout: .standard, client: other))
            ])
    }

    @Test(arguments: Characteristic.allCases)
    func nothingIsTakenWhileJoining(characteristic: Characteristic) throws {
        var rules = try rules(after: Self.fields)
        _ = try rules.write(Data("1".utf8), to: .environment, by: client)
        #expect(throws: Refusal.busy) { try rules.write(Data([1]), to: characteristic, by: client) }
        _ = rules.handle(.joined)
        #expect(throws: Refusal.busy) { try rules.write(Data([1]), to: characteristic, by: client) }
        _ = rules.handle(.registered)
        #expect(throws: Refusal.busy) { try rules.write(Data([1]), to: characteristic, by: client) }
    }

    @Test(arguments: PairingFailure.allCases)
    func aFailureIsShownAndTheCameraWaitsAgain(failure: PairingFailure) throws {
        for failsLate in [false, true] {
            var rules = try rules(after: Self.fields)
            _ = try rules.write(Data("dev".utf8), to: .environment, by: client)
            if failsLate { _ = rules.handle(.joined) }
            let failed = PairingState(phase: .failed, failure: failure)
            #expect(rules.handle(.failed(failure)) == [.publish(failed)])
            #expect(rules.advertises)
            // The failure stays until the next attempt begins, whoever leaves.
            #expect(rules.leaving(client).isEmpty)
            #expect(rules.state == failed)
            _ = try rules.write(Data("Home".utf8), to: .ssid, by: other)
            #expect(rules.state == PairingState(phase: .receiving))
            // The fields of the failed attempt are gone.
            #expect(throws: Refusal.incomplete) { try rules.write(Data("dev".utf8), to: .environment, by: other) }
        }
    }

    @Test func leavingAfterTheLastFieldDoesNotStopTheAttempt() throws {
        var rules = try rules(after: Self.fields)
        _ = try rules.write(Data("3".utf8), to: .environment, by: client)
        #expect(rules.leaving(client).isEmpty)
        #expect(rules.handle(.joined) == [.publish(PairingState(phase: .registering))])
        #expect(rules.handle(.registered) == [.publish(PairingState(phase: .done))])
    }

    @Test(arguments: [
        PairingMachine.Event.joined, .registered, .failed(.wrongPassword), .stagingTimerEnded(0), .stagingTimerEnded(9),
    ])
    func whatDoesNotFitThePhaseChangesNothing(event: PairingMachine.Event) throws {
        var rules = try PairingRules.sample()
        #expect(rules.handle(event).isEmpty)
        #expect(rules.state == PairingState(phase: .waiting))
        rules = try self.rules(after: Self.fields)
        #expect(rules.handle(event).isEmpty)
        #expect(rules.state == PairingState(phase: .receiving))
    }

    @Test(arguments: [
        ([Characteristic.ssid], Refusal.incomplete), ([.password], nil), ([.sessionKey], .incomplete),
        ([.region], .incomplete), ([.ssid, .password, .sessionKey, .region], .incomplete),
    ])
    func aMissingFieldIsNoticedAtTheEnd(left: [Characteristic], expected: Refusal?) throws {
        // Without a password the network is open, which is complete.
        var rules = try rules(after: Self.fields.filter { !left.contains($0.0) })
        if let expected {
            #expect(throws: expected) { try rules.write(Data("1".utf8), to: .environment, by: client) }
        } else {
            _ = try rules.write(Data("1".utf8), to: .environment, by: client)
            #expect(rules.state.phase == .joining)
        }
    }

    @Test func aProtectedNetworkNeedsAPasswordAndAnOpenOneHasNone() throws {
        var rules = try rules(after: Self.fields.filter { $0.0 != .password })
        _ = try rules.write(Data([WiFiSecurity.wpa3.rawValue]), to: .security, by: client)
        #expect(throws: Refusal.incomplete) { try rules.write(Data("1".utf8), to: .environment, by: client) }
        // Refused, but still staged: the missing field completes it.
        _ = try rules.write(Data("correct horse".utf8), to: .password, by: client)
        var open = rules
        _ = try rules.write(Data("1".utf8), to: .environment, by: client)
        #expect(rules.state.phase == .joining)
        _ = try open.write(Data([WiFiSecurity.open.rawValue]), to: .security, by: client)
        #expect(throws: Refusal.value) { try open.write(Data("1".utf8), to: .environment, by: client) }
    }

    @Test func aFieldWrittenTwiceCountsAsLastWritten() throws {
        var rules = try rules(after: Self.fields + [(.ssid, "Garden")])
        let actions = try rules.write(Data("1".utf8), to: .environment, by: client)
        guard case .enrol(let credentials) = actions.last else {
            Issue.record("nothing was applied")
            return
        }
        #expect(credentials.ssid == Data("Garden".utf8))
    }

    // What a hostile or broken client may write, and what it is told.
    static let hostile: [(Characteristic, Data, Refusal)] = [
        (.ssid, Data(), .length),
        (.ssid, Data(repeating: 0x41, count: 33), .length),
        (.ssid, Data(repeating: 0x41, count: 253), .length),
        (.security, Data(), .length),
        (.security, Data([3, 3]), .length),
        (.security, Data([6]), .value),
        (.security, Data([255]), .value),
        (.security, Data([WiFiSecurity.wep.rawValue]), .value),
        (.security, Data([WiFiSecurity.enterprise.rawValue]), .value),
        (.password, Data(), .length),
        (.password, Data("short".utf8), .length),
        (.password, Data(repeating: 0x61, count: 65), .length),
        (.password, Data(repeating: 0x7A, count: 64), .value),
        (.password, Data([0xC3, 0x28, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]), .notText),
        (.password, Data("tab\tin the middle".utf8), .value),
        (.password, Data("nul\0in the middle".utf8), .value),
        (.password, Data("pässword mit ä".utf8), .value),
        (.sessionKey, Data(), .length),
        (.sessionKey, Data("fifteen-letters".utf8), .length),
        (.sessionKey, Data(repeating: 0x61, count: 129), .length),
        (.sessionKey, Data("with a space in it".utf8), .value),
        (.sessionKey, Data([0xFF] + Array(repeating: 0x61, count: 20)), .notText),
        (.region, Data(), .length),
        (.region, Data("mars".utf8), .value),
        (.region, Data("US".utf8), .value),
        (.region, Data([0xFE]), .notText),
        (.region, Data(repeating: 0x61, count: 512), .length),
        (.environment, Data(), .length),
        (.environment, Data("prod".utf8), .value),
        (.environment, Data([0x80]), .notText),
        (.environment, Data("production".utf8), .incomplete),
        (.networks, Data(), .length),
        (.networks, Data([1, 1]), .length),
        (.networks, Data([0]), .unknownCommand),
        (.networks, Data([2]), .unknownCommand),
        (.info, Data([1]), .unknownCommand),
        (.deviceID, Data("PLC".utf8), .unknownCommand),
        (.status, Data([4, 0]), .unknownCommand),
    ]

    @Test(arguments: hostile.indices)
    func hostileWritesAreRefusedByName(index: Int) throws {
        let (characteristic, value, expected) = Self.hostile[index]
        #expect(try refusal(value, characteristic) == expected, "\(characteristic) \(Array(value))")
    }

    @Test(arguments: [
        (Characteristic.ssid, Data([0xFF, 0x00, 0x0A])), (.ssid, Data(repeating: 0, count: 32)),
        (.password, Data(repeating: 0x61, count: 63)), (.password, Data(String(repeating: "aF", count: 32).utf8)),
        (.password, Data("12345678".utf8)), (.sessionKey, Data(repeating: 0x21, count: 16)),
        (.sessionKey, Data(repeating: 0x7E, count: 128)), (.region, Data("apac".utf8)), (.region, Data("3".utf8)),
        (.security, Data([0])), (.security, Data([4])), (.networks, Data([1])),
    ])
    func valuesAtTheLimitsAreTaken(characteristic: Characteristic, value: Data) throws {
        #expect(try refusal(value, characteristic) == nil)
    }

    @Test func randomWritesNeverBreakTheRules() throws {
        var generator = SeededGenerator(7)
        var rules = try PairingRules.sample()
        var enrolments = 0
        for _ in 0..<50_000 {
            let characteristic = Characteristic.allCases.randomElement(using: &generator) ?? .ssid
            let pool = ["Home", "correct horse", Samples.sessionKey, "us", "1", "\u{1}"]
            var value = Data((pool.randomElement(using: &generator) ?? "").utf8)
            if Int.random(in: 0..<8, using: &generator) == 0 {
                value = Data(
                    (0..<Int.random(in: 0..<600, using: &generator)).map { _ in UInt8(generator.next() & 0xFF) })
            }
            let who = Bool.random(using: &generator) ? client : other
            if Int.random(in: 0..<40, using: &generator) == 0 { _ = rules.leaving(who) }
            let before = rules.state
            do throws(Refusal) {
                let actions = try rules.write(value, to: characteristic, by: who)
                guard case .enrol(let credentials) = actions.last else { continue }
                enrolments += 1
                #expect((1...32).contains(credentials.ssid.count))
                #expect(credentials.security == .open || credentials.password.revealed.utf8.count >= 8)
                _ = rules.handle(.failed(.internalFault))
            } catch {
                #expect(rules.state == before)
            }
        }
        #expect(enrolments > 0, "the run must have come through at least once to mean anything")
    }
}
