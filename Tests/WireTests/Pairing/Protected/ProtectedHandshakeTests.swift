import CryptoKit
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct ProtectedHandshakeTests {
    /// One whole session, as a program that shares nothing with this one computed it: integers, hashlib and Python's
    /// `cryptography`. The ephemeral numbers are 1f1f…1f and 2e2e…2e.
    struct Session: Sendable, CustomTestStringConvertible {
        var code: String?
        var record, proverShare, verifierShare, proverConfirmation, verifierConfirmation: String
        /// 02 and 04 of the client, 85 02 00 00 and 86 05 00 of the camera.
        var sealed: [String]
        var testDescription: String { code == nil ? "no code" : "setup code" }
    }

    static let sessions = [
        Session(
            code: "13572468",
            record: """
                3ee1de6f1017a985bbfcb36940f213a8317ba61c9b08182c12849e11cb7e86430430830166f4eb01078e81841446b429\
                a94cb4679c0d5f12d4e86f05e9969b92628efed5f48b507a9eb74412cbc93d935e7a1cfeb6b50d68594d6bf99ffa1c9c4e
                """,
            proverShare: """
                049deba75cf78908db6456c03fbcafe529b322ed38c0561bc916a72afb7befb34e7e54388048225bf9c57920ab00fd51\
                95b302bfafece530f1cec5b7bf066d6bc4
                """,
            verifierShare: """
                04c4eeccbd89d63b21f1ef7437a1103e2c0e337c488766e9ee7b7421ddb3d94d8e42f755d2c87e6fa3d7adbfc87d4d15\
                ecebe99e317d96654f0e7259f32c837d01
                """,
            proverConfirmation: "0c7152d2aa4413c2cf9f38eddb1fe296123b470e593469ce44c048c0a130814b",
            verifierConfirmation: "2c8072f9f105802fd23bfdc894c3f8a5c9ff7022ba6d4299ed41a2b07f0f636e",
            sealed: [
                "860105e6d1893e65ee4ad6d3247803c3d7", "d55ca71dc68c992987a1ef13e4e9d547d6",
                "4827c0a42fd1b409aa68272e18437b11112d18e1", "6c94b3dd710c585740f01d4126f1dc1e294263",
            ]),
        Session(
            record: """
                ac81ca0acc1548fe4546e6f3bb030e643ac1fdc083a69645a2da1202ef1a8020043037388f98698349f063b9e7f4c67c\
                219a721afee5a17b2d66c02e671fd8e76d8fa4469d0c5679de1a8acfe31c1d6da40379c49d6b8d57974eef48128eee940e
                """,
            proverShare: """
                04cc26d412bd25ac5a631ad3ea492c2d62211b511c2a1134b8ba494f95f45fec04c7502dfa709bd1d8b60f30479dc60a\
                e4b11ed6de99c017c58e3854e5fdc2e513
                """,
            verifierShare: """
                045c9026a54e894e7c453832511672cd8e7ec99287f9021dd5f1d371d11d9deed273f00731387ad00c33b6bd471c19af\
                25695efb77d4718b5dc7ff49b3e3931553
                """,
            proverConfirmation: "117e542f7edde33ae9487fcf4c5537eab1a96caa0bab65ead5d0573365104259",
            verifierConfirmation: "454d8f41e9ac092afe6d9dc770aca3e4ed6b30380cac9150003fb7cf730de2a7",
            sealed: [
                "d24c6e36e9e5f52154195b58a633c679c3", "7f42ef4185d556fb443975f01c29a0d86c",
                "4e8cd4467cd8b079249520b380743a3dc58cc5a8", "2f718541269b87d38d547768996f4ae17fde01",
            ]),
    ]

    @Test(arguments: sessions)
    func speaksAsAnIndependentModelDoes(_ session: Session) throws {
        let stretching = ExchangeWelcome.Stretching(salt: Data(0..<16), logN: 14, r: 8, p: 1)
        let pair = try ProtectedPair(code: session.code, registered: session.code, stretching: stretching)
        #expect(pair.hello == hexadecimal("0101a1b2"))
        #expect(
            pair.welcome
                == hexadecimal(
                    """
                    81a1b2010e01040005506f7263686c696768741b504c433031323334353637383941424344454647484a4b4d4e5051\
                    000010000102030405060708090a0b0c0d0e0f0e0801
                    """))
        #expect(pair.verifier.record.rawRepresentation == hexadecimal(session.record))

        var x = RepeatedByte(0x1F)
        var client = try ProtectedClientHandshake(
            hello: pair.hello, welcome: pair.welcome, code: pair.code, using: &x)
        #expect(
            client.share.encoded
                == Data([0x10, session.code == nil ? 0 : 1]) + hexadecimal(session.proverShare))
        var y = RepeatedByte(0x2E)
        var camera = try ProtectedCameraHandshake(
            hello: pair.hello, welcome: pair.welcome, share: client.shareBytes, verifier: pair.verifier, using: &y)
        #expect(
            try camera.answer.encoded(for: 0xA1B2)
                == hexadecimal("90a1b2" + session.verifierShare + session.verifierConfirmation))
        let (share, confirmation) = camera.answerBytes
        var (confirm, own) = try client.finish(share: share, confirmation: confirmation)
        #expect(confirm.encoded == hexadecimal("11" + session.proverConfirmation))
        var other = try camera.finish(confirmation: confirm.confirmationBytes)

        let requests = [ExchangeRequest.scan.encoded, ExchangeRequest.state.encoded]
        let answers = [
            try ExchangeAnswer.answer(.init(message: 2)).encodedForSealing(),
            try ExchangeAnswer.state(PairingState(phase: .failed)).encodedForSealing(),
        ]
        let sealed = try requests.map { try own.seal($0) } + answers.map { try other.seal($0) }
        #expect(sealed == session.sealed.map { hexadecimal($0) })
        #expect(try sealed.prefix(2).map { try other.open($0) } == requests)
        #expect(try sealed.suffix(2).map { try own.open($0) } == answers)
    }

    @Test(arguments: [nil, ProtectedPair.id])
    func aCameraNeedNotHaveAnID(id: DeviceID?) throws {
        var (client, camera) = try ProtectedPair(id: id).channels()
        #expect(try camera.open(client.seal(Data([2]))) == Data([2]))
    }

    @Test func eachSideSaysWhichPasswordItIsAbout() throws {
        for code in [nil, "13572468"] {
            let pair = try ProtectedPair(code: code, registered: code)
            let client = try pair.client()
            let kind: ExchangeRequest.PasswordKind = code == nil ? .none : .setupCode
            #expect(client.share == .share(kind, client.shareBytes))
            #expect(try pair.camera(client).kind == kind)
            #expect(client.welcome.deviceID == ProtectedPair.id)
            #expect(pair.verifier.kind == kind)
        }
    }

    @Test func aHandshakeIsGoodForOneTry() throws {
        let pair = try ProtectedPair()
        var client = try pair.client()
        var camera = try pair.camera(client)
        let (share, confirmation) = camera.answerBytes
        let (confirm, _) = try client.finish(share: share, confirmation: confirmation)
        #expect(throws: ProtectedPairingError.ended) {
            try client.finish(share: share, confirmation: confirmation)
        }
        _ = try camera.finish(confirmation: confirm.confirmationBytes)
        #expect(throws: ProtectedPairingError.ended) {
            try camera.finish(confirmation: confirm.confirmationBytes)
        }

        // A wrong first try uses it up as well.
        client = try pair.client()
        camera = try pair.camera(client)
        let answer = camera.answerBytes
        #expect(throws: ProtectedPairingError.wrongPassword) {
            try client.finish(share: answer.share, confirmation: Data(count: 32))
        }
        #expect(throws: ProtectedPairingError.ended) {
            try client.finish(share: answer.share, confirmation: answer.confirmation)
        }
        #expect(throws: ProtectedPairingError.wrongPassword) { try camera.finish(confirmation: Data(count: 32)) }
        #expect(throws: ProtectedPairingError.ended) { try camera.finish(confirmation: Data(count: 32)) }
    }

    @Test func messagesThatDoNotFitTogetherMakeNoHandshake() throws {
        let pair = try ProtectedPair()
        let share = try pair.client().shareBytes
        let scan = ExchangeRequest.scan.encoded
        let otherConversation = try ProtectedPair.welcome(conversation: 0xA1B3)
        for (hello, welcome) in [
            (Data(), pair.welcome), (scan, pair.welcome), (pair.hello + [0], pair.welcome),
            (pair.welcome, pair.hello), (pair.hello, Data()), (pair.hello, pair.hello),
            (pair.hello, pair.welcome.dropLast()), (pair.hello, pair.welcome + [0]),
            (pair.hello, otherConversation), (pair.hello, try ProtectedPair.welcome(stretching: nil)),
            (pair.hello, try ExchangeAnswer.answer(.init(message: 0)).encoded(for: 0xA1B2)),
        ] {
            #expect(isUnusable { _ = try ProtectedClientHandshake(hello: hello, welcome: welcome, code: nil) })
            #expect(
                isUnusable {
                    _ = try ProtectedCameraHandshake(
                        hello: hello, welcome: welcome, share: share, verifier: pair.verifier)
                })
        }
        let otherSalt = ExchangeWelcome.Stretching(salt: Data(1...16), logN: 10, r: 1, p: 1)
        for welcome in [
            try ProtectedPair.welcome(id: nil), try ProtectedPair.welcome(stretching: otherSalt),
        ] {
            #expect(
                isUnusable {
                    _ = try ProtectedCameraHandshake(
                        hello: pair.hello, welcome: welcome, share: share, verifier: pair.verifier)
                })
        }
        let unlisted = try ProtectedPair.welcome(layouts: [.standard, .chunked])
        #expect(throws: ProtectedPairingError.layoutNotListed) {
            try ProtectedClientHandshake(hello: pair.hello, welcome: unlisted, code: nil)
        }
    }

    private func isUnusable(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            guard case .unusable? = error as? ProtectedPairingError else { return false }
            return true
        }
    }

    /// A camera, or who plays it, must not make a phone work for an hour or take all its memory; nor make it give away a
    /// cheap guess.
    @Test func parametersOutsideTheLimitsAreRefusedBeforeAnyWork() throws {
        typealias Stretching = ExchangeWelcome.Stretching
        let salt = Data(0..<16)
        for (logN, r, p) in [
            (9, 8, 1), (18, 8, 1), (255, 8, 1), (14, 0, 1), (14, 17, 1), (14, 255, 255), (14, 8, 0), (14, 8, 5),
        ] as [(UInt8, UInt8, UInt8)] {
            let stretching = Stretching(salt: salt, logN: logN, r: r, p: p)
            let welcome = try ProtectedPair.welcome(stretching: stretching)
            let hello = ExchangeRequest.hello(conversation: 0xA1B2).encoded
            #expect(isUnusable { _ = try ProtectedClientHandshake(hello: hello, welcome: welcome, code: nil) })
            #expect(isUnusable { _ = try PasswordVerifier(code: nil, stretching: stretching, deviceID: nil) })
        }
        #expect(throws: WireError.self) { try Stretching(salt: Data(count: 15), logN: 14, r: 8, p: 1).check() }
        for (logN, r, p) in [(10, 1, 1), (17, 16, 4)] as [(UInt8, UInt8, UInt8)] {
            try Stretching(salt: salt, logN: logN, r: r, p: p).check()
        }
        try Stretching.fresh().check()
        #expect(Stretching.fresh().salt != Stretching.fresh().salt)
        var random = SeededGenerator(seed: 1)
        #expect(Stretching.fresh(using: &random).salt.count == Stretching.saltBytes)
    }

    @Test func secretsAreNotPrinted() throws {
        let pair = try ProtectedPair()
        let client = try pair.client()
        let camera = try pair.camera(client)
        let channel = try pair.channels().client
        for value in [pair.verifier, client, camera, channel] as [any CustomStringConvertible] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect("\(value)".contains("<redacted>"))
            #expect(!dumped.contains("SPAKE2Plus") && !dumped.contains("SymmetricKey"), "\(dumped)")
            #expect(!"\(value)\(dumped)".contains("1357"))
        }
    }
}
