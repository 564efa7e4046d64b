import Foundation
import Testing

@testable import Wire

@Suite struct ExchangeMessageTests {
    private static let share = Data((0..<65).map { UInt8($0) })
    private static let confirmation = Data(repeating: 0xCC, count: 32)
    private static let credentials = try? PairingCredentials(
        ssid: Data("Guest".utf8), security: .wpa2, password: Secret("canary password"),
        sessionKey: Secret("canary-session-key"), region: .us, environment: .production)

    private func fields() throws -> CredentialFields { CredentialFields(try #require(Self.credentials)) }

    @Test func requestsArePinned() throws {
        let requests: [(ExchangeRequest, [UInt8])] = [
            (.hello(conversation: 0xA1B2), [1, 1, 0xA1, 0xB2]), (.scan, [2]), (.state, [4]),
            (.share(.setupCode, Self.share), [0x10, 1] + Self.share),
            (.share(.none, Self.share), [0x10, 0] + Self.share),
            (.confirm(Self.confirmation), [0x11] + Self.confirmation),
            (.sealed(Data(count: 17)), [0x12] + Data(count: 17)),
            (
                .credentials(try fields()),
                [3, 1, 5] + Array("Guest".utf8) + [2, 1, 3, 3, 15] + Array("canary password".utf8) + [4, 18]
                    + Array("canary-session-key".utf8) + [5, 2] + Array("us".utf8) + [6, 10] + Array("production".utf8)
            ),
        ]
        for (request, bytes) in requests {
            #expect(request.encoded == Data(bytes))
            #expect(try ExchangeRequest(decoding: Data(bytes)) == request)
        }
        #expect(Set(requests.map(\.0.kind)) == Set(ExchangeRequest.Kind.allCases))
    }

    @Test func answersArePinned() throws {
        let id = DeviceID(publicKeyDigest: [UInt8](repeating: 7, count: 15))
        let info = PairingInfo(layouts: .protected, capabilities: .setupCode, model: "M")
        let stretching = ExchangeWelcome.Stretching(salt: Data(count: 16), logN: 14, r: 8, p: 1)
        let network = HeardNetwork(ssid: Data("Guest".utf8), security: .open, rssi: -88, bands: .twoGigahertz)
        let waiting = PairingState(phase: .waiting)
        let answers: [(ExchangeAnswer, UInt8, [UInt8])] = [
            (
                .welcome(ExchangeWelcome(info: info, deviceID: nil, state: waiting)), 0x81,
                [1, 5, 1, 4, 0, 4, 0x4D, 0, 0, 0]
            ),
            (
                .welcome(ExchangeWelcome(info: info, deviceID: id, state: waiting, stretching: stretching)), 0x81,
                [1, 5, 1, 4, 0, 4, 0x4D, 27] + Array(id.rawValue.utf8) + [0, 0, 16] + [UInt8](repeating: 0, count: 16)
                    + [14, 8, 1]
            ),
            (.record(.network(network)), 0x82, [0, 0xA8, 1] + Array("Guest".utf8)),
            (.record(.end(count: 500)), 0x83, [1, 0xF4]), (.record(.failed), 0x84, []),
            (.answer(.init(message: 9)), 0x85, [9, 0, 0]),
            (.answer(.init(message: 9, refusal: .length, field: .password)), 0x85, [9, 0x80, 3]),
            (.state(PairingState(phase: .failed, failure: .wrongPassword)), 0x86, [5, 1]),
            (.share(Self.share, confirmation: Self.confirmation), 0x90, Array(Self.share + Self.confirmation)),
            (.sealed(Data(count: 17)), 0x92, [UInt8](repeating: 0, count: 17)),
        ]
        for (answer, kind, body) in answers {
            #expect(try answer.encoded(for: 0xA1B2) == Data([kind, 0xA1, 0xB2] + body))
            let (conversation, read) = try ExchangeAnswer.addressed(decoding: Data([kind, 0xA1, 0xB2] + body))
            #expect(conversation == 0xA1B2)
            #expect(read == answer)
            #expect(try answer.encodedForSealing() == Data([kind] + body))
            let opened = try? ExchangeAnswer(decodingSealed: Data([kind] + body))
            #expect(opened == (answer.isSealable ? answer : nil))
        }
    }

    @Test func onlyWhatMayBeSealedIsReadFromTheInside() throws {
        for request: ExchangeRequest in [.scan, .state, .credentials(try fields())] {
            #expect(try ExchangeRequest(decodingSealed: request.encoded) == request)
        }
        for request: ExchangeRequest in [
            .hello(conversation: 1), .share(.none, Self.share), .confirm(Self.confirmation), .sealed(Data(count: 17)),
        ] {
            #expect(throws: WireError.self) { try ExchangeRequest(decodingSealed: request.encoded) }
        }
    }

    @Test(arguments: [
        [], [0], [0x81], [1], [1, 2, 0, 0], [1, 1, 0], [1, 1, 0, 0, 0], [2, 0], [4, 4], [0x10], [0x10, 2],
        [0x10, 0, 4, 1], [0x11], [0x12], [0x12] + [UInt8](repeating: 0, count: 16), [3, 1], [3, 1, 2, 65],
        [3, 1, 1, 65, 1, 1, 66],
    ])
    func damagedRequestsAreErrors(bytes: [UInt8]) {
        #expect(throws: WireError.self) { try ExchangeRequest(decoding: Data(bytes)) }
    }

    @Test(arguments: [
        [], [0x81], [0x01, 0, 0], [0x85, 0, 0, 1, 0], [0x86, 0, 0, 9, 9], [0x82, 0, 0, 0], [0x83, 0, 0, 1],
        [0x84, 0, 0, 1], [0x90, 0, 0], [0x92, 0, 0, 1], [0x81, 0, 0, 2, 0], [0x81, 0, 0, 1, 200],
        [0x81, 0, 0, 1, 4, 1, 1, 0, 0, 3, 65, 66, 67, 0, 0], [0x81, 0, 0, 1, 4, 1, 1, 0, 0, 0, 0, 0, 1, 1, 14, 8, 1],
    ])
    func damagedAnswersAreErrors(bytes: [UInt8]) {
        #expect(throws: WireError.self) { try ExchangeAnswer.addressed(decoding: Data(bytes)) }
    }

    @Test func laterFieldsAndRefusalsAreUnderstood() throws {
        guard case .credentials(let fields) = try ExchangeRequest(decoding: Data([3, 99, 1, 65, 1, 1, 66])) else {
            Issue.record("these are no credentials")
            return
        }
        #expect(fields.all.map(\.field) == [.ssid])
        let (_, answer) = try ExchangeAnswer.addressed(decoding: Data([0x85, 0, 0, 1, 0xFE, 0xFE]))
        #expect(answer == .answer(.init(message: 1, refusal: .value)))
    }

    @Test func noSecretIsInADescription() throws {
        let request = ExchangeRequest.credentials(try fields())
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), "\(try fields())", dumped] {
            #expect(!text.contains("canary"))
            #expect(!text.contains("\(Array("canary password".utf8)[0]), "))
            #expect(text.contains("password"))
        }
    }

    @Test func positions() throws {
        let position = ExchangePosition(message: 3, progress: .underWay, firstMissing: 300)
        #expect(position.encoded == Data([3, 1, 1, 0x2C]))
        #expect(try ExchangePosition(decoding: position.encoded) == position)
        for bytes: [UInt8] in [[], [0, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0, 0]] {
            #expect(throws: WireError.self) { try ExchangePosition(decoding: Data(bytes)) }
        }
    }

    @Test func layoutsByPreference() {
        #expect(
            PairingLayout.allCases.map(\.service).map { $0.dropFirst(8) }.allSatisfy {
                $0 == "-8994-48CE-A065-C4D2EE9FDB73"
            })
        #expect(Set(PairingLayout.allCases.flatMap { [$0.service, $0.exchange].compactMap { $0 } }).count == 5)
        let all: PairingInfo.Layouts = [.standard, .chunked, .protected]
        #expect(all.best == .protected)
        #expect(all.advertised == .standard)
        #expect(PairingInfo.Layouts([.chunked, .protected]).advertised == .chunked)
        #expect(PairingInfo.Layouts(rawValue: 0xF0).best == nil)
    }
}
