import Foundation
import Testing
import Wire

@testable import CameraDevice

/// The rules of the protected layout, without a radio.
@Suite struct ProtectedLayoutTests {
    typealias Refusal = PairingService.WriteRefusal
    typealias Note = PairingRules.Note

    private let code: SetupCode
    private let wrong: SetupCode

    init() throws {
        code = try SetupCode("2718-2818")
        wrong = try SetupCode("3141-5926")
    }

    private func rules(insists: Bool = false) throws -> PairingRules {
        try PairingRules.sample(
            insists ? .protected : [.standard, .chunked, .protected], code: code,
            capabilities: insists ? [.setupCode, .insistsOnSetupCode] : .setupCode)
    }

    private func accepted(_ number: UInt8) -> ExchangeAnswer { .answer(.init(message: number)) }

    private func refused(_ number: UInt8, _ refusal: Refusal) -> ExchangeAnswer {
        .answer(.init(message: number, refusal: refusal))
    }

    private func notes(_ actions: [PairingRules.Action]) -> [Note] {
        actions.compactMap { if case .note(let note) = $0 { note } else { nil } }
    }

    private func request() throws -> ExchangeRequest {
        .credentials(CredentialFields(try Samples.credentials(password: "canary-password")))
    }

    /// Tries wrong codes.
    /// - Returns: All that the rules want done.
    private func guess(_ count: Int, at rules: inout PairingRules) throws -> [PairingRules.Action] {
        var actions: [PairingRules.Action] = []
        for number in 0..<count {
            var stranger = ProtectedPeer(conversation: 0x7000 + UInt16(number))
            actions += try stranger.agree(wrong, with: &rules)
            #expect(stranger.takeHeard() == [refused(2, .wrongSetupCode)])
            _ = rules.left(stranger.client)
        }
        return actions
    }

    @Test func theRightCodeOpensASession() throws {
        var rules = try rules()
        var peer = ProtectedPeer()
        let actions = try peer.agree(code, with: &rules)
        #expect(notes(actions).isEmpty)
        #expect(peer.takeHeard() == [accepted(2)])
        try peer.say(.scan, to: &rules)
        try peer.say(.state, to: &rules)
        #expect(peer.takeHeard() == [accepted(3), accepted(4), .state(PairingState(phase: .waiting))])
        let applied = try peer.say(try request(), to: &rules)
        #expect(applied.contains(.enrol(try Samples.credentials(password: "canary-password"))))
        try peer.hear(rules.handle(.failed(.wrongPassword)), of: &rules)
        let failed = PairingState(phase: .failed, failure: .wrongPassword)
        #expect(peer.takeHeard() == [accepted(5), .state(PairingState(phase: .joining)), .state(failed)])
        try peer.say(try request(), to: &rules)
        try peer.hear(rules.handle(.joined) + rules.handle(.registered), of: &rules)
        #expect(peer.takeHeard().last == .state(PairingState(phase: .done)))
        // All of it was sealed, but what leads to the key.
        let kinds = try peer.bytes.map { try ExchangeAnswer.addressed(decoding: $0).answer }.map { answer in
            switch answer {
            case .welcome: "welcome"
            case .share: "share"
            case .sealed: "sealed"
            case .answer, .record, .state: "clear"
            }
        }
        #expect(kinds.prefix(2) == ["welcome", "share"])
        #expect(Set(kinds.dropFirst(2)) == ["sealed"])
    }

    @Test func withoutACodeAListenerIsShutOutStill() throws {
        var rules = try rules()
        var peer = ProtectedPeer()
        try peer.agree(nil, with: &rules)
        #expect(peer.takeHeard() == [accepted(2)])
        try peer.say(.state, to: &rules)
        #expect(peer.takeHeard() == [accepted(3), .state(PairingState(phase: .waiting))])
    }

    @Test func aCameraThatInsistsTakesNobodyWithoutItsCode() throws {
        var rules = try rules(insists: true)
        var peer = ProtectedPeer()
        try peer.agree(nil, with: &rules)
        #expect(peer.takeHeard() == [refused(1, .setupCodeRequired)])
        try peer.agree(code, with: &rules)
        #expect(peer.takeHeard() == [accepted(4)])
    }

    @Test func aWrongCodeIsToldAndAnotherMayFollowInTheSameConversation() throws {
        var rules = try rules()
        var peer = ProtectedPeer()
        let actions = try peer.agree(wrong, with: &rules)
        #expect(peer.takeHeard() == [refused(2, .wrongSetupCode)])
        #expect(notes(actions) == [.wrongSetupCode(triesLeft: 4)])
        try peer.say(.scan, to: &rules)
        #expect(peer.takeHeard() == [refused(3, .noSession)])
        var handshake = try peer.handshake(code)
        try peer.say(handshake.share, to: &rules)
        guard case .share(let share, let confirmation) = peer.takeHeard().last else {
            Issue.record("no share")
            return
        }
        let (confirm, channel) = try handshake.finish(share: share, confirmation: confirmation)
        peer.channel = channel
        try peer.say(confirm, to: &rules)
        #expect(peer.takeHeard() == [accepted(5)])
    }

    @Test func withoutAWrongEmptyPasswordThereIsNoTry() throws {
        var rules = try rules()
        for _ in 0..<30 {
            var peer = ProtectedPeer()
            try peer.greet(&rules)
            try peer.say(try peer.handshake(nil).share, to: &rules)
            #expect(notes(try peer.say(.confirm(Data(count: 32)), to: &rules)).isEmpty)
            #expect(peer.takeHeard().last == refused(2, .wrongSetupCode))
            _ = rules.left(peer.client)
        }
        #expect(rules.advertises)
    }

    @Test func fiveWrongCodesLockForAMinute() throws {
        var rules = try rules()
        #expect(notes(try guess(4, at: &rules)) == [4, 3, 2, 1].map(Note.wrongSetupCode))
        #expect(rules.advertises)
        let fifth = try guess(1, at: &rules)
        #expect(notes(fifth) == [.wrongSetupCode(triesLeft: 0), .locked(.seconds(60))])
        #expect(fifth.contains(.startLockTimer(1)))
        #expect(fifth.contains(.advertise))
        #expect(!rules.advertises)
        #expect(rules.lockTimerEnded(7).isEmpty)
        #expect(rules.lockTimerEnded(1) == [.advertise])
        #expect(rules.advertises)
        #expect(rules.lockTimerEnded(1).isEmpty)
        var peer = ProtectedPeer()
        try peer.agree(code, with: &rules)
        #expect(peer.takeHeard() == [accepted(2)])
    }

    @Test func whileItIsLockedNothingIsTakenOnAnyLayout() throws {
        var rules = try rules()
        var friend = ProtectedPeer(conversation: 1)
        try friend.agree(code, with: &rules)
        let other = UUID()
        let chunked = UUID()
        _ = try rules.write(Data("Home".utf8), to: .ssid, by: other)
        _ = try rules.say(.hello(conversation: 2), number: 0, by: chunked)
        let locking = try guess(5, at: &rules)
        #expect(locking.contains(.stopStagingTimer), "what was staged is wiped")
        #expect(throws: Refusal.locked) { try rules.write(Data("Home".utf8), to: .ssid, by: other) }
        #expect(throws: Refusal.locked) { try rules.write(Data([1]), to: .networks, by: other) }
        let lane = MessageQueue.Lane(layout: .chunked, client: chunked)
        #expect(
            try rules.say(.scan, number: 1, by: chunked)
                == [.send(.answer(.init(message: 1, refusal: .locked)), lane)])
        #expect(throws: Refusal.locked) { try rules.say(.hello(conversation: 3), number: 2, by: chunked) }
        _ = friend.takeHeard()
        try friend.say(try request(), to: &rules)
        #expect(friend.takeHeard() == [refused(3, .locked)], "sealed")
        #expect(throws: Refusal.locked) { try friend.greet(&rules) }
        #expect(rules.state.phase == .waiting)
        _ = rules.lockTimerEnded(1)
        #expect(throws: Refusal.incomplete) { try rules.write(Data("dev".utf8), to: .environment, by: other) }
    }

    @Test func everyFifthLocksAgainAndTheTwentiethForGood() throws {
        var rules = try rules()
        for round in 1...3 {
            #expect(notes(try guess(5, at: &rules)).last == .locked(.seconds(60)))
            #expect(rules.lockTimerEnded(round) == [.advertise])
        }
        let last = try guess(5, at: &rules)
        #expect(notes(last).last == .ended)
        #expect(!last.contains { if case .startLockTimer = $0 { true } else { false } })
        for timer in 0..<10 { #expect(rules.lockTimerEnded(timer).isEmpty) }
        #expect(!rules.advertises)
        var peer = ProtectedPeer()
        #expect(throws: Refusal.locked) { try peer.greet(&rules) }
    }

    @Test func theRightCodeBeginsTheRowAnew() throws {
        var rules = try rules()
        for _ in 0..<6 {
            #expect(notes(try guess(4, at: &rules)).last == .wrongSetupCode(triesLeft: 1))
            var peer = ProtectedPeer()
            try peer.agree(code, with: &rules)
            #expect(peer.takeHeard() == [accepted(2)])
            _ = rules.left(peer.client)
        }
    }

    /// Who has seen the camera's proof knows whether the guess was right, and need not say so.
    @Test(arguments: ["leaves", "says hello", "shares again", "stops to listen"])
    func aTryIsSpentByWhoNeverConfirms(and next: String) throws {
        var rules = try rules()
        var peer = ProtectedPeer()
        var all: [Note] = []
        for _ in 0..<5 {
            if next != "shares again" || peer.number == 0 { try peer.greet(&rules) }
            all += notes(try peer.say(try peer.handshake(wrong).share, to: &rules))
            switch next {
            case "leaves": all += notes(rules.left(peer.client))
            case "stops to listen": all += notes(rules.closed(peer.lane))
            case "says hello": all += notes((try? peer.say(.hello(conversation: 9), to: &rules)) ?? [])
            default: break
            }
        }
        if next == "shares again" {
            all += notes(try peer.say(try peer.handshake(wrong).share, to: &rules))
            #expect(peer.takeHeard().last == refused(6, .locked))
        }
        #expect(all.last == .locked(.seconds(60)))
        #expect(all.filter { if case .wrongSetupCode = $0 { true } else { false } }.count == 5)
    }

    @Test func manyAtOnceHaveNoMoreTries() throws {
        var rules = try rules()
        var peers = (0..<8).map { ProtectedPeer(conversation: UInt16($0)) }
        var shares = 0
        var all: [Note] = []
        for index in peers.indices {
            do {
                try peers[index].greet(&rules)
            } catch Refusal.locked {
                continue
            }
            _ = peers[index].takeHeard()
            all += notes(try peers[index].say(try peers[index].handshake(wrong).share, to: &rules))
            if case .share = peers[index].takeHeard().last { shares += 1 }
        }
        #expect(shares == SetupCodeTries.row)
        #expect(all == [.locked(.seconds(60))])
        // Whose proof was awaited has lost it.
        #expect(try peers[0].say(.confirm(Data(count: 32)), to: &rules).count == 1)
        #expect(peers[0].takeHeard() == [refused(2, .locked)])
    }

    @Test func whatDoesNotOpenEndsTheSession() throws {
        for damage in ["changed", "repeated", "left out", "cut", "garbage"] {
            var rules = try rules()
            var peer = ProtectedPeer()
            try peer.agree(code, with: &rules)
            _ = peer.takeHeard()
            var sealed = try #require(try peer.channel?.seal(ExchangeRequest.state.encoded))
            switch damage {
            case "changed": sealed[0] ^= 1
            case "cut": sealed = sealed.dropLast()
            case "garbage": sealed = Data(repeating: 0x55, count: 300)
            case "left out": sealed = try #require(try peer.channel?.seal(ExchangeRequest.state.encoded))
            default:
                try peer.say(bytes: ExchangeRequest.sealed(sealed).encoded, to: &rules)
                _ = peer.takeHeard()
            }
            if damage == "cut" {
                // Then it is no longer one of a sealed message's length: refused, and nothing was opened.
                try peer.say(bytes: ExchangeRequest.sealed(sealed).encoded.prefix(10), to: &rules)
                #expect(peer.takeHeard().last == refused(3, .length), "\(damage)")
                continue
            }
            let number = peer.number
            peer.channel = nil
            try peer.say(bytes: ExchangeRequest.sealed(sealed).encoded, to: &rules)
            #expect(peer.takeHeard() == [refused(number, .noSession)], "\(damage)")
            // Nothing is said any more, until there is another key.
            try peer.hear(rules.handle(.stagingTimerEnded(0)), of: &rules)
            let before = peer.bytes.count
            _ = try rules.write(Data("Home".utf8), to: .ssid, by: UUID())
            #expect(peer.bytes.count == before)
            try peer.agree(code, with: &rules)
            #expect(peer.takeHeard() == [accepted(peer.number - 1)], "\(damage)")
        }
    }

    @Test func whatIsSealedForOneClientOpensForNoOther() throws {
        var rules = try rules()
        var first = ProtectedPeer(conversation: 1)
        var second = ProtectedPeer(conversation: 2)
        try first.agree(code, with: &rules)
        try second.agree(code, with: &rules)
        _ = (first.takeHeard(), second.takeHeard())
        let sealed = try #require(try first.channel?.seal(ExchangeRequest.state.encoded))
        second.channel = nil
        try second.say(bytes: ExchangeRequest.sealed(sealed).encoded, to: &rules)
        #expect(second.takeHeard() == [refused(3, .noSession)])
        try first.say(bytes: ExchangeRequest.sealed(sealed).encoded, to: &rules)
        #expect(first.takeHeard() == [accepted(3), .state(PairingState(phase: .waiting))])
    }

    @Test func nothingInTheClearIsTakenInsideOrBeforeASession() throws {
        var rules = try rules()
        var peer = ProtectedPeer()
        try peer.greet(&rules)
        _ = peer.takeHeard()
        for request in [ExchangeRequest.scan, .state, try request()] {
            try peer.say(bytes: request.encoded, to: &rules)
            #expect(peer.takeHeard() == [refused(peer.number - 1, .noSession)])
        }
        try peer.say(.confirm(Data(count: 32)), to: &rules)
        #expect(peer.takeHeard() == [refused(4, .noSession)])
        try peer.agree(code, with: &rules)
        _ = peer.takeHeard()
        try peer.say(bytes: try request().encoded, to: &rules)
        #expect(peer.takeHeard() == [refused(peer.number - 1, .noSession)])
        #expect(rules.state.phase == .waiting)
    }

    @Test func messagesThatAreNotSealedAreNotTakenSealedEither() throws {
        for inner in [
            ExchangeRequest.hello(conversation: 5).encoded, ExchangeRequest.confirm(Data(count: 32)).encoded,
            Data([0x7F]), Data([0x03, 1]),
        ] {
            var rules = try rules()
            var peer = ProtectedPeer()
            try peer.agree(code, with: &rules)
            _ = peer.takeHeard()
            let sealed = try #require(try peer.channel?.seal(inner))
            try peer.say(bytes: ExchangeRequest.sealed(sealed).encoded, to: &rules)
            guard case .answer(let answer) = peer.takeHeard().last else {
                Issue.record("no answer to \(Array(inner))")
                continue
            }
            #expect(answer.refusal != nil && answer.refusal != .noSession, "\(Array(inner))")
            try peer.say(.state, to: &rules)
            #expect(peer.takeHeard().count == 2, "the session goes on")
        }
    }

    @Test func whatIsNoPointOfTheCurveCostsNothing() throws {
        var rules = try rules()
        var peer = ProtectedPeer()
        try peer.greet(&rules)
        _ = peer.takeHeard()
        for _ in 0..<30 {
            let actions = try peer.say(.share(.setupCode, Data(repeating: 4, count: 65)), to: &rules)
            #expect(peer.takeHeard() == [refused(peer.number - 1, .value)])
            #expect(notes(actions).isEmpty)
        }
        try peer.agree(code, with: &rules)
        #expect(peer.takeHeard() == [accepted(peer.number - 1)])
    }

    @Test func nobodyGuessesWhileTheCameraIsBusy() throws {
        var rules = try rules()
        var peer = ProtectedPeer(conversation: 1)
        try peer.agree(code, with: &rules)
        try peer.say(try request(), to: &rules)
        var other = ProtectedPeer(conversation: 2)
        try other.greet(&rules)
        try other.say(try other.handshake(wrong).share, to: &rules)
        #expect(other.takeHeard().last == refused(1, .busy))
    }

    @Test func noPasswordIsInWhatTheCameraSaysOrShows() throws {
        var rules = try rules()
        var peer = ProtectedPeer()
        var shown = ""
        dump(try peer.agree(code, with: &rules), to: &shown)
        dump(try peer.say(try request(), to: &rules), to: &shown)
        dump(rules, to: &shown)
        dump(try PasswordVerifiers.cheap(code, deviceID: rules.deviceID), to: &shown)
        dump(CameraEvent.setupCode(code), to: &shown)
        shown += "\(CameraEvent.setupCode(code))"
        #expect(!shown.contains("canary"))
        #expect(!shown.contains("2718"))
        let said = peer.bytes.reduce(Data(), +)
        #expect(said.range(of: Data("canary".utf8)) == nil)
    }
}
