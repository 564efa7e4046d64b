import Foundation
import Testing
import Wire

@testable import CameraDevice

/// The rules of the chunked layout, without a radio.
@Suite struct ChunkedLayoutTests {
    typealias Refusal = PairingService.WriteRefusal
    typealias Lane = MessageQueue.Lane

    private let client = UUID()
    private let other = UUID()
    private var lane: Lane { Lane(layout: .chunked, client: client) }

    private func greeted() throws -> PairingRules {
        var rules = try PairingRules.sample()
        _ = try rules.say(.hello(conversation: 0xA1B2), number: 0, by: client)
        return rules
    }

    private func answer(_ number: UInt8, _ refusal: Refusal? = nil, _ field: CredentialFields.Field? = nil)
        -> ExchangeAnswer
    {
        .answer(ExchangeAnswer.Acknowledgement(message: number, refusal: refusal, field: field))
    }

    private func credentials(_ fields: [(UInt8, String)]) -> Data {
        fields.reduce(into: Data([0x03])) { $0 += Data([$1.0, UInt8($1.1.utf8.count)]) + Data($1.1.utf8) }
    }

    private static let fields: [(UInt8, String)] = [
        (1, "Home"), (3, "correct horse"), (4, Samples.sessionKey), (5, "us"), (6, "production"),
    ]

    @Test func helloIsAnsweredWithAWelcome() throws {
        var rules = try PairingRules.sample()
        let actions = try rules.say(.hello(conversation: 0xA1B2), number: 0, by: client)
        let welcome = ExchangeWelcome(
            info: rules.info, deviceID: rules.deviceID, state: PairingState(phase: .waiting))
        #expect(actions == [.drop(lane), .send(.welcome(welcome), lane)])
        let encoded = rules.encode(.welcome(welcome), for: lane)
        let bytes = try #require(encoded)
        let (conversation, answer) = try ExchangeAnswer.addressed(decoding: bytes)
        #expect(conversation == 0xA1B2)
        #expect(answer == .welcome(welcome))
    }

    @Test func nothingIsTakenBeforeHello() throws {
        var rules = try PairingRules.sample()
        for (number, request) in [Data([2]), Data([4]), credentials(Self.fields)].enumerated() {
            #expect(throws: Refusal.noSession) {
                try rules.say(request, number: UInt8(number), by: client)
            }
        }
        #expect(rules.state.phase == .waiting)
        // The same frames may come again.
        _ = try rules.say(.hello(conversation: 1), number: 3, by: client)
        #expect(throws: Refusal.busy) { try rules.say(.hello(conversation: 1), number: 0, by: other) }
        _ = try rules.say(.hello(conversation: 2), number: 0, by: other)
        _ = rules.left(client)
        #expect(rules.encode(answer(0), for: lane) == nil, "there is no conversation that it could name")
    }

    @Test func credentialsAreAnsweredThenApplied() throws {
        var rules = try greeted()
        let actions = try rules.say(credentials(Self.fields), number: 1, by: client)
        let expected = try PairingCredentials(
            ssid: Data("Home".utf8), password: Secret("correct horse"), sessionKey: Secret(Samples.sessionKey),
            region: .us, environment: .production)
        let joining = PairingState(phase: .joining)
        #expect(
            actions == [
                .send(answer(1), lane), .stopStagingTimer, .publish(joining), .send(.state(joining), lane),
                .enrol(expected),
            ])
        #expect(!rules.advertises)
    }

    @Test(arguments: PairingFailure.allCases)
    func afterAFailureTheyMayComeAgainOverTheSameLink(failure: PairingFailure) throws {
        var rules = try greeted()
        _ = try rules.say(credentials(Self.fields), number: 1, by: client)
        #expect(PairingRules.messages(rules.handle(.joined)) == [.state(PairingState(phase: .registering))])
        let failed = PairingState(phase: .failed, failure: failure)
        #expect(PairingRules.messages(rules.handle(.failed(failure))) == [.state(failed)])
        #expect(rules.advertises)
        _ = try rules.say(credentials(Self.fields), number: 2, by: client)
        #expect(PairingRules.messages(rules.handle(.joined)) == [.state(PairingState(phase: .registering))])
        #expect(PairingRules.messages(rules.handle(.registered)) == [.state(PairingState(phase: .done))])
    }

    @Test func aRequestForTheStateIsAnsweredWithIt() throws {
        var rules = try greeted()
        #expect(
            PairingRules.messages(try rules.say(.state, number: 1, by: client)) == [
                answer(1), .state(PairingState(phase: .waiting)),
            ])
    }

    @Test func aScanIsAnsweredThenDone() throws {
        var rules = try greeted()
        #expect(try rules.say(.scan, number: 1, by: client) == [.send(answer(1), lane), .scan(lane)])
        _ = try rules.say(credentials(Self.fields), number: 2, by: client)
        #expect(try rules.say(.scan, number: 3, by: client) == [.send(answer(3, .busy), lane)])
    }

    static let refused: [([(UInt8, String)], Refusal, CredentialFields.Field?)] = [
        ([], .incomplete, .ssid),
        ([(1, "Home")], .incomplete, .sessionKey),
        (Array(fields.dropLast()), .incomplete, .environment),
        (Array(fields.dropFirst()), .incomplete, .ssid),
        (fields.filter { $0.0 != 5 }, .incomplete, .region),
        (fields.filter { $0.0 != 3 } + [(2, "\u{3}")], .incomplete, .password),
        (fields + [(2, "\u{0}")], .value, .password),
        (fields + [(2, "\u{5}")], .value, .security),
        (fields + [(2, "")], .length, .security),
        (fields + [(1, "Garden")], .value, .ssid),
        (fields.dropLast() + [(6, "moon")], .value, .environment),
        (fields.dropLast() + [(6, "")], .length, .environment),
        (fields.filter { $0.0 != 1 } + [(1, String(repeating: "x", count: 33))], .length, .ssid),
        (fields.filter { $0.0 != 1 } + [(1, "")], .length, .ssid),
        (fields.filter { $0.0 != 3 } + [(3, "short")], .length, .password),
        (fields.filter { $0.0 != 3 } + [(3, "")], .length, .password),
        (fields.filter { $0.0 != 4 } + [(4, "with a space in it")], .value, .sessionKey),
        (fields.filter { $0.0 != 5 } + [(5, "mars")], .value, .region),
    ]

    @Test(arguments: refused.indices)
    func refusedCredentialsNameTheField(index: Int) throws {
        let (fields, refusal, field) = Self.refused[index]
        var rules = try greeted()
        let actions = try rules.say(credentials(fields), number: 1, by: client)
        #expect(actions == [.send(answer(1, refusal, field), lane)])
        #expect(rules.state.phase == .waiting)
        // And it can be mended in the same conversation.
        _ = try rules.say(credentials(Self.fields), number: 2, by: client)
        #expect(rules.state.phase == .joining)
    }

    @Test func fieldsOfLaterVersionsArePassedOver() throws {
        var rules = try greeted()
        _ = try rules.say(credentials([(99, "new")] + Self.fields.reversed()), number: 1, by: client)
        #expect(rules.state.phase == .joining)
    }

    static let malformed: [([UInt8], Refusal)] = [
        ([0x00], .unknownCommand), ([0x7F, 1, 2], .unknownCommand), ([0x85, 0, 0], .unknownCommand),
        ([0x01], .incomplete), ([0x01, 2, 0, 0], .value), ([0x01, 1, 0], .incomplete), ([0x01, 1, 0, 0, 0], .value),
        ([0x02, 0], .value), ([0x04, 9], .value), ([0x03, 1], .incomplete), ([0x03, 1, 255, 65], .incomplete),
        ([0x10], .incomplete), ([0x10, 0, 4], .incomplete), ([0x12], .length),
        ([0x10, 0] + Array(repeating: 4, count: 65), .unknownCommand),
        ([0x11] + Array(repeating: 4, count: 32), .unknownCommand),
        ([0x12] + Array(repeating: 4, count: 40), .unknownCommand),
    ]

    @Test(arguments: malformed.indices)
    func malformedMessagesAreAnsweredAndChangeNothing(index: Int) throws {
        let (bytes, refusal) = Self.malformed[index]
        var rules = try greeted()
        let actions = try rules.say(Data(bytes), number: 1, by: client)
        #expect(actions == [.send(answer(1, refusal), lane)], "\(bytes)")
        #expect(try rules.say(.state, number: 2, by: client).count == 2, "the conversation goes on")
        var silent = try PairingRules.sample()
        #expect(throws: Refusal.self) { try silent.say(Data(bytes), number: 0, by: client) }
    }

    @Test func aFrameThatIsAheadIsRefusedAndTheMessageGoesOn() throws {
        var rules = try greeted()
        let frames = try Frame.split(credentials(Self.fields), message: 1, limit: 20)
        func write(_ frame: Frame) throws(Refusal) -> [PairingRules.Action] {
            try rules.write([WrittenValue(attribute: .exchange(.chunked), bytes: frame.encoded)], by: client)
        }
        func position() throws -> ExchangePosition {
            try ExchangePosition(decoding: try #require(rules.value(of: .exchange(.chunked), for: client)))
        }
        #expect(try position() == ExchangePosition(message: 0, progress: .complete))
        _ = try write(frames[0])
        _ = try write(frames[1])
        #expect(throws: Refusal.frameOrder) { try write(frames[3]) }
        #expect(try position() == ExchangePosition(message: 1, progress: .underWay, firstMissing: 2))
        // What has come already may come again.
        for frame in frames { _ = try write(frame) }
        #expect(try position() == ExchangePosition(message: 1, progress: .complete))
        #expect(rules.state.phase == .joining)
        #expect(try write(frames[frames.count - 1]).isEmpty, "a repetition is taken once")
    }

    @Test func whatIsNoFrameEndsTheMessageUnderWay() throws {
        var rules = try greeted()
        let frames = try Frame.split(credentials(Self.fields), message: 1, limit: 20)
        let exchange = PairingAttribute.exchange(.chunked)
        _ = try rules.write([WrittenValue(attribute: exchange, bytes: frames[0].encoded)], by: client)
        for (bytes, refusal) in [
            (Data(), Refusal.length), (Data([0x11, 1, 0]), .length), (Data([0x11, 2, 0, 0]), .length),
            (Data([0x13, 2, 0, 0, 0, 0]), .length), (Data(repeating: 0x11, count: 513), .length),
            (Data([0x21, 1, 0, 0, 0, 1, 2]), .value), (Data([0x11, 1, 0, 1, 0]), .value),
            // An announced length beyond the limit, and more bytes than were announced.
            (Data([0x11, 1, 0, 0, 0xFF, 0xFF, 1]), .length), (Data([0x13, 2, 0, 0, 0, 1, 4, 4]), .length),
        ] {
            #expect(throws: refusal) {
                try rules.write([WrittenValue(attribute: exchange, bytes: bytes)], by: client)
            }
            let position = try ExchangePosition(decoding: try #require(rules.value(of: exchange, for: client)))
            #expect(position == ExchangePosition(message: 0, progress: .complete), "\(Array(bytes.prefix(8)))")
        }
        _ = try rules.say(credentials(Self.fields), number: 3, by: client)
        #expect(rules.state.phase == .joining)
    }

    @Test func aConversationHasItsNumberForItself() throws {
        var rules = try greeted()
        #expect(throws: Refusal.busy) { try rules.say(.hello(conversation: 0xA1B2), number: 0, by: other) }
        _ = try rules.say(.hello(conversation: 0xA1B3), number: 1, by: other)
        // Anew, under the same number or another.
        _ = try rules.say(.hello(conversation: 0xA1B2), number: 1, by: client)
        _ = try rules.say(.hello(conversation: 7), number: 2, by: client)
        _ = try rules.say(.hello(conversation: 0xA1B2), number: 2, by: other)
        _ = rules.left(client)
        _ = try rules.say(.hello(conversation: 7), number: 3, by: other)
    }

    @Test func everybodyWithAConversationIsToldAndNobodyElse() throws {
        var rules = try greeted()
        _ = try rules.say(.hello(conversation: 2), number: 0, by: other)
        let silent = UUID()
        #expect(throws: Refusal.noSession) { try rules.say(.state, number: 0, by: silent) }
        let actions = try rules.say(credentials(Self.fields), number: 1, by: client)
        let told = actions.compactMap { if case .send(.state, let lane) = $0 { lane.client } else { nil } }
        #expect(Set(told) == [client, other])
        #expect(told.count == 2)
        _ = rules.left(client)
        let later = rules.handle(.joined).compactMap {
            if case .send(.state, let lane) = $0 { lane.client } else { nil }
        }
        #expect(later == [other])
    }

    @Test func onePairingAtATimeOverAllLayouts() throws {
        var rules = try greeted()
        _ = try rules.write(Data("Garden".utf8), to: .ssid, by: other)
        #expect(
            try rules.say(credentials(Self.fields), number: 1, by: client) == [.send(answer(1, .busy), lane)])
        _ = rules.left(other)
        _ = try rules.say(credentials(Self.fields), number: 2, by: client)
        #expect(throws: Refusal.busy) { try rules.write(Data("Garden".utf8), to: .ssid, by: other) }
        #expect(try rules.say(credentials(Self.fields), number: 3, by: client) == [.send(answer(3, .busy), lane)])
    }

    @Test func leavingAfterTheCredentialsDoesNotStopTheAttempt() throws {
        var rules = try greeted()
        _ = try rules.say(credentials(Self.fields), number: 1, by: client)
        #expect(rules.leaving(client).isEmpty)
        #expect(rules.state.phase == .joining)
        #expect(rules.handle(.joined) == [.publish(PairingState(phase: .registering))])
    }

    @Test func manyClientsAreRefusedInTheEnd() throws {
        var rules = try PairingRules.sample()
        for number in 0..<Exchange.maximumClients {
            _ = try rules.say(.hello(conversation: UInt16(number)), number: 0, by: UUID())
        }
        #expect(throws: Refusal.busy) { try rules.say(.hello(conversation: 0xFFFF), number: 0, by: client) }
    }

    @Test func framesDoNotTravelWithOtherValues() throws {
        var rules = try greeted()
        let frame = try Frame.split(ExchangeRequest.state.encoded, message: 1, limit: 20)[0].encoded
        let writes = [
            WrittenValue(attribute: .standard(.ssid), bytes: Data("Home".utf8)),
            WrittenValue(attribute: .exchange(.chunked), bytes: frame),
        ]
        #expect(throws: Refusal.unknownCommand) { try rules.write(writes, by: client) }
        #expect(rules.state.phase == .waiting, "all or none")
    }

    @Test func randomMessagesNeverBreakTheRules() throws {
        var generator = SeededGenerator(11)
        var rules = try greeted()
        var enrolments = 0
        for number in 0..<20_000 {
            let who = Int.random(in: 0..<4, using: &generator) == 0 ? other : client
            var message = credentials(Self.fields)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: message = ExchangeRequest.hello(conversation: UInt16.random(in: 0..<3, using: &generator)).encoded
            case 1:
                message = Data(
                    (0..<Int.random(in: 0..<90, using: &generator)).map { _ in UInt8(generator.next() & 0xFF) })
            case 2: message[Int.random(in: 0..<message.count, using: &generator)] = UInt8(generator.next() & 0xFF)
            case 3: message = message.prefix(Int.random(in: 0..<message.count, using: &generator))
            case 4: _ = rules.left(who)
            default: break
            }
            let before = rules.state
            guard let actions = try? rules.say(message, number: UInt8(truncatingIfNeeded: number), by: who) else {
                #expect(rules.state == before)
                continue
            }
            for case .enrol(let credentials) in actions {
                enrolments += 1
                #expect((1...32).contains(credentials.ssid.count))
                _ = rules.handle(.failed(.internalFault))
            }
        }
        #expect(enrolments > 0, "the run must have come through at least once to mean anything")
    }
}
