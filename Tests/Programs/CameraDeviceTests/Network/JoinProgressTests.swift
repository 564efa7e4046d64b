import Testing

@testable import CameraDevice

@Suite struct JoinProgressTests {
    typealias Event = JoinProgress.Event
    typealias Decision = JoinProgress.Decision

    /// The decisions that are not `wait`.
    private func decisions(_ events: [Event], sae: Bool = false) -> [Decision] {
        var progress = JoinProgress(interface: "wlan0", offersSAE: sae)
        return events.map { progress.handle($0) }.filter { $0 != .wait }
    }

    @Test func joinsWhenItIsLetInAndHasAnAddress() {
        #expect(
            decisions([
                .state(.scanning), .state(.authenticating), .authenticationStatus(0), .state(.associating),
                .state(.fourWayHandshake), .state(.completed), .hasAddress(true),
            ]) == [.awaitAddress, .joined])
        #expect(decisions([.hasAddress(true), .state(.completed)]) == [.joined], "states in between may be missing")
    }

    @Test func anAddressAloneIsNotEnough() {
        #expect(
            decisions([
                .state(.completed), .state(.disconnected), .hasAddress(true), .state(.completed),
            ]) == [.awaitAddress, .joined])
        #expect(decisions([.hasAddress(true), .hasAddress(false), .state(.completed)]) == [.awaitAddress])
    }

    @Test func aHandshakeThatTheStationEndsIsAWrongPassword() {
        #expect(
            decisions([.state(.fourWayHandshake), .disconnectReason(15), .state(.disconnected)])
                == [.failed(.wrongPassword)])
    }

    @Test(arguments: [3, 4, 5, 8, -3])
    func aHandshakeThatBreaksForOtherReasonsIsTriedOnceMore(reason: Int) {
        let broken: [Event] = [.state(.fourWayHandshake), .disconnectReason(reason), .state(.disconnected)]
        #expect(decisions(broken).isEmpty)
        #expect(decisions(broken + [.state(.fourWayHandshake), .state(.completed)]) == [.awaitAddress])
        #expect(decisions(broken + broken) == [.failed(.wrongPassword)])
    }

    @Test func theReasonOfTheNetworkBeforeIsNotHeldAgainstThisOne() {
        #expect(
            decisions([
                .disconnectReason(15), .state(.disconnected), .state(.fourWayHandshake), .state(.scanning),
            ]).isEmpty)
    }

    @Test(arguments: [1, 15])
    func aRefusalOfSAEIsAWrongPassword(status: Int) {
        let events: [Event] = [.state(.authenticating), .authenticationStatus(status), .state(.disconnected)]
        #expect(decisions(events, sae: true) == [.failed(.wrongPassword)])
        #expect(decisions(events, sae: false).isEmpty, "without SAE no password has been tried yet")
    }

    @Test(arguments: [0, 17, 76, 77])
    func otherWordsOfAStationAreNotAboutThePassword(status: Int) {
        #expect(decisions([.state(.authenticating), .authenticationStatus(status)], sae: true).isEmpty)
    }

    @Test func looksForANetworkThatDoesNotShow() {
        let miss: [Event] = [.scanDone, .looked(.networkNotFound)]
        #expect(decisions(miss + miss + miss) == [.look, .look, .look, .failed(.networkNotFound)])
        #expect(decisions(miss + miss + [.scanDone, .looked(nil)] + miss).count == 4, "three in a row")
        #expect(decisions([.scanDone, .looked(.wrongPassword)]) == [.look, .failed(.wrongPassword)])
        #expect(decisions([.scanDone, .state(.authenticating), .scanDone, .scanDone]) == [.look])
        #expect(
            decisions([.scanDone, .state(.associating), .looked(.wrongPassword)]) == [.look],
            "it was joined while the list was read")
    }

    @Test func timeRunsOut() {
        #expect(decisions([.state(.scanning), .associationLimit]) == [.failed(.networkNotFound)])
        #expect(decisions([.state(.associating), .associationLimit]) == [.failed(.timedOut)])
        #expect(
            decisions([.state(.completed), .associationLimit, .addressLimit]) == [.awaitAddress, .failed(.noAddress)])
    }

    @Test func aRadioThatIsOffAndASupplicantThatIsGoneEndIt() {
        #expect(decisions([.state(.interfaceDisabled)]) == [.failed(.radioOff(interface: "wlan0"))])
        guard case .failed(.noSupplicant) = decisions([.supplicantGone]).first else {
            Issue.record("not failed")
            return
        }
    }

    @Test func readsTheNamesOfTheStates() {
        #expect(SupplicantState(rawValue: "4way_handshake") == .fourWayHandshake)
        #expect(SupplicantState(rawValue: "interface_disabled") == .interfaceDisabled)
        #expect(SupplicantState(rawValue: "asleep") == nil)
    }
}
