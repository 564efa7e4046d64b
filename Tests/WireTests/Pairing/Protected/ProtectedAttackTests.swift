import Foundation
import Testing

@testable import Wire

/// Somebody in between, somebody who listens, somebody who plays one side: what each of them gets.
@Suite struct ProtectedAttackTests {
    /// How far a client comes whose conversation with a camera passes through other hands.
    private enum End: Equatable {
        case noHandshake
        case refusedByCamera
        case wrongPassword
        case agreed
    }

    /// Runs both sides with what each of them heard of the other.
    private func end(
        of pair: ProtectedPair, hello heardHello: Data? = nil, welcome heardWelcome: Data? = nil,
        share change: (Data) -> Data = { $0 }, answer changeAnswer: (Data, Data) -> (Data, Data) = { ($0, $1) }
    ) throws -> End {
        guard
            var client = try? ProtectedClientHandshake(
                hello: pair.hello, welcome: heardWelcome ?? pair.welcome, code: pair.code)
        else { return .noHandshake }
        guard
            let camera = try? ProtectedCameraHandshake(
                hello: heardHello ?? pair.hello, welcome: pair.welcome, share: change(client.shareBytes),
                verifier: pair.verifier)
        else { return .refusedByCamera }
        let (share, confirmation) = changeAnswer(camera.answerBytes.share, camera.answerBytes.confirmation)
        do {
            _ = try client.finish(share: share, confirmation: confirmation)
            return .agreed
        } catch {
            #expect([.wrongPassword, .share].contains(error))
            return .wrongPassword
        }
    }

    @Test func withoutAnybodyInBetweenTheyAgree() throws {
        #expect(try end(of: ProtectedPair()) == .agreed)
        #expect(try end(of: ProtectedPair(code: nil, registered: nil)) == .agreed)
    }

    // MARK: Changing what is said in the clear

    @Test(arguments: [nil, "13572468"])
    func everyByteOfTheWelcomeCounts(code: String?) throws {
        let pair = try ProtectedPair(code: code, registered: code)
        for place in pair.welcome.indices {
            var heard = pair.welcome
            heard[place] ^= 1 << (place % 8)
            #expect([.noHandshake, .wrongPassword].contains(try end(of: pair, welcome: heard)), "byte \(place)")
        }
    }

    @Test func everyByteOfTheHelloCounts() throws {
        let pair = try ProtectedPair()
        for place in pair.hello.indices {
            for bit in 0..<8 {
                var heard = pair.hello
                heard[place] ^= 1 << bit
                // The camera answers what it heard, and whoever changed it changes the answer back.
                var changed = pair
                changed.welcome[1] = heard[2]
                changed.welcome[2] = heard[3]
                #expect(
                    [.refusedByCamera, .wrongPassword].contains(
                        try end(of: changed, hello: heard, welcome: pair.welcome)), "byte \(place), bit \(bit)")
            }
        }
    }

    /// The list of layouts is under the key: hiding the others, or making one up, ends the handshake.
    @Test(arguments: [
        PairingInfo.Layouts.protected, [.standard, .protected], [.chunked, .protected],
        [.standard, .chunked, .protected],
    ])
    func theLayoutsCannotBeChanged(listed: PairingInfo.Layouts) throws {
        var pair = try ProtectedPair()
        pair.welcome = try ProtectedPair.welcome(layouts: listed)
        #expect(try end(of: pair) == .agreed)
        for other: PairingInfo.Layouts in [
            .protected, [.standard, .protected], [.chunked, .protected], [.standard, .chunked, .protected],
        ] where other != listed {
            #expect(try end(of: pair, welcome: ProtectedPair.welcome(layouts: other)) == .wrongPassword)
        }
        for other: PairingInfo.Layouts in [[], .standard, .chunked, [.standard, .chunked]] {
            #expect(try end(of: pair, welcome: ProtectedPair.welcome(layouts: other)) == .noHandshake)
        }
    }

    @Test func anotherCameraCannotBeNamed() throws {
        let pair = try ProtectedPair()
        for id in [nil, DeviceID(rawValue: "PLC0123456789ABCDEFGHJKMNPR")] {
            #expect(try end(of: pair, welcome: ProtectedPair.welcome(id: id)) == .wrongPassword)
        }
    }

    /// Cheaper parameters would make a guess at the client's answer cheaper.
    @Test func theCostCannotBeLowered() throws {
        let dear = ExchangeWelcome.Stretching(salt: Data(0..<16), logN: 12, r: 8, p: 2)
        let pair = try ProtectedPair(stretching: dear)
        for (logN, r, p) in [(11, 8, 2), (12, 4, 2), (12, 8, 1)] as [(UInt8, UInt8, UInt8)] {
            let cheap = ExchangeWelcome.Stretching(salt: dear.salt, logN: logN, r: r, p: p)
            #expect(try end(of: pair, welcome: ProtectedPair.welcome(stretching: cheap)) == .wrongPassword)
        }
    }

    @Test func theKindOfPasswordCannotBeChanged() throws {
        // The client has the code, and the camera is told that it has none; and the other way about.
        #expect(try end(of: ProtectedPair(code: "13572468", registered: nil)) == .wrongPassword)
        #expect(try end(of: ProtectedPair(code: nil, registered: "13572468")) == .wrongPassword)
    }

    @Test(arguments: 0..<65)
    func everyByteOfTheSharesCounts(place: Int) throws {
        let pair = try ProtectedPair()
        func changed(_ data: Data) -> Data {
            var data = data
            data[place] ^= 1 << (place % 8)
            return data
        }
        #expect([.refusedByCamera, .wrongPassword].contains(try end(of: pair, share: changed)))
        #expect(try end(of: pair, answer: { (changed($0), $1) }) == .wrongPassword)
        if place < 32 {
            #expect(try end(of: pair, answer: { ($0, changed($1)) }) == .wrongPassword)
        }
    }

    // MARK: Guessing

    /// Who plays the camera tries one code, and the client says nothing that would let it try another.
    @Test func whoPlaysTheCameraHasOneGuess() throws {
        let honest = try ProtectedPair()
        for (guess, expected) in [("13572469", End.wrongPassword), ("24681357", .wrongPassword), ("13572468", .agreed)]
        {
            var pair = honest
            pair.verifier = try ProtectedPair(registered: guess).verifier
            #expect(try end(of: pair) == expected)
        }
    }

    @Test func whoPlaysTheClientHasOneGuess() throws {
        let pair = try ProtectedPair(code: "13572469")
        var client = try pair.client()
        var camera = try pair.camera(client)
        let (share, confirmation) = camera.answerBytes
        #expect(throws: ProtectedPairingError.wrongPassword) {
            try client.finish(share: share, confirmation: confirmation)
        }
        #expect(throws: ProtectedPairingError.wrongPassword) { try camera.finish(confirmation: confirmation) }
        // Not even the right proof of the next handshake helps this one.
        #expect(throws: ProtectedPairingError.ended) { try camera.finish(confirmation: confirmation) }
    }

    /// Without the code, who stands in between speaks with both sides, and that is what the code is for.
    @Test func whoStandsInBetweenReadsOnlyWhereThereIsNoCode() throws {
        for code in [nil, "13572468"] {
            let honest = try ProtectedPair(code: code, registered: code)
            var between = honest
            between.verifier = try PasswordVerifier(
                code: nil, stretching: ProtectedPair.stretching, deviceID: ProtectedPair.id)
            #expect(try end(of: between) == (code == nil ? .agreed : .wrongPassword))
        }
    }

    // MARK: Listening

    /// Everything that was on the air in one pairing without a code, for whoever recorded it.
    private struct Recording {
        var pair: ProtectedPair
        var share, answer, answerConfirmation, confirm: Data
        var sealed: (request: Data, answer: Data)

        init(code: String?) throws {
            pair = try ProtectedPair(code: code, registered: code)
            var client = try pair.client()
            var camera = try pair.camera(client)
            share = client.shareBytes
            (answer, answerConfirmation) = camera.answerBytes
            let (confirmRequest, own) = try client.finish(share: answer, confirmation: answerConfirmation)
            confirm = confirmRequest.confirmationBytes
            var channel = own
            var other = try camera.finish(confirmation: confirm)
            sealed = (try channel.seal(Data("wi-fi".utf8)), try other.seal(Data("joined".utf8)))
        }
    }

    /// The password is known to all (it is empty), and so is all that was said: still the key is not, since it hangs on
    /// numbers that were never said. Whoever computes with others of his own gets other keys.
    @Test(arguments: [nil, "13572468"])
    func aListenerWhoKnowsThePasswordGetsNoKey(code: String?) throws {
        let recording = try Recording(code: code)
        let pair = recording.pair

        // As the client of the recorded conversation: the camera's proof is not one for these numbers.
        var client = try pair.client()
        #expect(throws: ProtectedPairingError.wrongPassword) {
            try client.finish(share: recording.answer, confirmation: recording.answerConfirmation)
        }
        // As its camera: nor is the client's.
        var camera = try ProtectedCameraHandshake(
            hello: pair.hello, welcome: pair.welcome, share: recording.share, verifier: pair.verifier)
        #expect(camera.answerBytes.share != recording.answer)
        #expect(camera.answerBytes.confirmation != recording.answerConfirmation)
        #expect(throws: ProtectedPairingError.wrongPassword) {
            try camera.finish(confirmation: recording.confirm)
        }
        // As both at once, with the same words and the same password: a session, but another one.
        for _ in 0..<8 {
            var ends = try pair.channels()
            #expect(throws: ProtectedPairingError.altered) { try ends.camera.open(recording.sealed.request) }
            ends = try pair.channels()
            #expect(throws: ProtectedPairingError.altered) { try ends.client.open(recording.sealed.answer) }
        }
    }

    /// The same conversation number, the same hello and welcome, the same code: yesterday's pairing cannot be played back
    /// to the camera, and no message of it is taken today.
    @Test func aRecordedPairingCannotBePlayedBack() throws {
        let recording = try Recording(code: "13572468")
        let pair = recording.pair
        var camera = try ProtectedCameraHandshake(
            hello: pair.hello, welcome: pair.welcome, share: recording.share, verifier: pair.verifier)
        #expect(throws: ProtectedPairingError.wrongPassword) {
            try camera.finish(confirmation: recording.confirm)
        }
        var today = try pair.channels()
        #expect(throws: ProtectedPairingError.altered) { try today.camera.open(recording.sealed.request) }
    }

    // MARK: Sealed messages on their way

    /// Every order in which three messages can arrive but the right one, and every number that can go missing.
    @Test func sealedMessagesArriveInOrderOrNotAtAll() throws {
        let ends = try ProtectedPair().channels()
        var sender = ends.client
        let sealed = try (0..<3).map { try sender.seal(Data([UInt8($0)])) }
        for first in 0..<3 {
            for second in 0..<3 {
                for third in 0..<3 {
                    var receiver = ends.camera
                    let opened = [first, second, third].map { try? receiver.open(sealed[$0]) }
                    let right = zip([first, second, third], 0..<3).prefix { $0 == $1 }.count
                    #expect(opened.prefix(right).map { $0 } == (0..<right).map { Data([UInt8($0)]) })
                    #expect(opened.dropFirst(right).allSatisfy { $0 == nil })
                    #expect(receiver.isOpen == (right == 3))
                }
            }
        }
    }

    @Test func whatTheCameraSaidIsNotTakenForTheClients() throws {
        var ends = try ProtectedPair().channels()
        let answer = try ends.camera.seal(Data([0x86, 0, 0]))
        let request = try ends.client.seal(Data([0x02]))
        var reflected = ends
        #expect(throws: ProtectedPairingError.altered) { try reflected.camera.open(answer) }
        #expect(throws: ProtectedPairingError.altered) { try reflected.client.open(request) }
        #expect(try ends.camera.open(request) == Data([0x02]))
        #expect(try ends.client.open(answer) == Data([0x86, 0, 0]))
    }
}
