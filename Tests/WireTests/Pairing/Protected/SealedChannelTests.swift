import CryptoKit
import Foundation
import Testing

@testable import Wire

@Suite struct SealedChannelTests {
    private let key = SymmetricKey(size: .bits256)

    private func ends(first: UInt64 = 0) -> (client: SealedChannel, camera: SealedChannel) {
        (
            SealedChannel(key: key, side: .client, conversation: 7, first: first),
            SealedChannel(key: key, side: .camera, conversation: 7, first: first)
        )
    }

    @Test func eachSideOpensWhatTheOtherSealed() throws {
        var (client, camera) = ends()
        for round in 0..<50 {
            let request = Data(repeating: UInt8(round), count: round * 80)
            #expect(try camera.open(client.seal(request)) == request)
            for part in 0..<round % 4 {
                let answer = Data([UInt8(part)])
                #expect(try client.open(camera.seal(answer)) == answer)
            }
        }
    }

    /// The same words under the same key give the same bytes only under the same number: so 8,192 times the same words,
    /// half of them in each direction, show that none came twice.
    @Test func noNumberServesTwiceUnderOneKey() throws {
        var (client, camera) = ends()
        var seen: Set<Data> = []
        for _ in 0..<4096 {
            let request = try client.seal(Data(count: 8))
            let answer = try camera.seal(Data(count: 8))
            #expect(seen.insert(request).inserted)
            #expect(seen.insert(answer).inserted)
            #expect(try camera.open(request) == Data(count: 8))
            #expect(try client.open(answer) == Data(count: 8))
        }
        #expect(seen.count == 8192)
    }

    /// A failing call uses up no number twice either.
    @Test func aRefusedMessageDoesNotLeadToARepeatedNumber() throws {
        var (client, camera) = ends()
        let first = try client.seal(Data(count: 8))
        #expect(throws: ProtectedPairingError.tooLong(SealedChannel.maximumMessageBytes + 1)) {
            try client.seal(Data(count: SealedChannel.maximumMessageBytes + 1))
        }
        let second = try client.seal(Data(count: 8))
        #expect(first != second)
        #expect(try camera.open(first) == Data(count: 8))
        #expect(try camera.open(second) == Data(count: 8))
    }

    @Test func theLongestMessageFitsIntoFrames() throws {
        var (client, camera) = ends()
        let longest = Data(count: SealedChannel.maximumMessageBytes)
        let answer = try ExchangeAnswer.sealed(camera.seal(longest)).encoded(for: 7)
        #expect(answer.count == Frame.maximumMessageBytes)
        _ = try Frame.split(answer, message: 0, limit: 20)
        #expect(try client.open(answer.dropFirst(3)) == longest)
    }

    @Test func aWornOutDirectionEndsTheSession() throws {
        let last = SealedChannel.maximumMessages - 1
        var (client, camera) = ends(first: last)
        #expect(try camera.open(client.seal(Data([2]))) == Data([2]))
        #expect(client.isOpen)
        #expect(throws: ProtectedPairingError.ended) { try client.seal(Data([2])) }
        #expect(!client.isOpen)
        #expect(throws: ProtectedPairingError.ended) { try client.open(camera.seal(Data([2]))) }

        (client, camera) = ends(first: last)
        let sealed = try client.seal(Data([2]))
        _ = try camera.open(sealed)
        #expect(throws: ProtectedPairingError.ended) { try camera.open(sealed) }
        #expect(throws: ProtectedPairingError.ended) { try camera.seal(Data([2])) }
    }

    @Test func whatIsChangedAnywhereDoesNotOpen() throws {
        let (client, camera) = ends()
        var sender = client
        let sealed = try sender.seal(Data("credentials".utf8))
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            var receiver = camera
            #expect(throws: ProtectedPairingError.altered, "bit \(bit)") { try receiver.open(changed) }
        }
        for length in 0..<sealed.count {
            var receiver = camera
            #expect(throws: ProtectedPairingError.altered, "\(length) bytes") {
                try receiver.open(sealed.prefix(length))
            }
        }
        var receiver = camera
        #expect(throws: ProtectedPairingError.altered) { try receiver.open(sealed + [0]) }
    }

    @Test func afterAMessageThatDidNotOpenNothingDoes() throws {
        var (client, camera) = ends()
        let right = try client.seal(Data([2]))
        #expect(throws: ProtectedPairingError.altered) { try camera.open(Data(count: 17)) }
        #expect(!camera.isOpen)
        #expect(throws: ProtectedPairingError.ended) { try camera.open(right) }
        #expect(throws: ProtectedPairingError.ended) { try camera.seal(Data([2])) }
    }

    @Test func repeatedLeftOutAndSwappedMessagesDoNotOpen() throws {
        let (client, camera) = ends()
        var sender = client
        let sealed = try (0..<3).map { try sender.seal(Data([UInt8($0)])) }
        for order in [[0, 0], [1], [0, 2], [2, 1, 0]] {
            var receiver = camera
            for index in order.dropLast() where receiver.isOpen { _ = try? receiver.open(sealed[index]) }
            #expect(throws: ProtectedPairingError.self, "\(order)") { try receiver.open(sealed[order.last ?? 0]) }
            #expect(!receiver.isOpen)
        }
    }

    @Test func aMessageSentBackToItsSenderDoesNotOpen() throws {
        for end in [ends().client, ends().camera] {
            var end = end
            let sealed = try end.seal(Data([2]))
            #expect(throws: ProtectedPairingError.altered) { try end.open(sealed) }
        }
    }

    @Test func aMessageOfAnotherConversationOrSessionDoesNotOpen() throws {
        var client = SealedChannel(key: key, side: .client, conversation: 8)
        var camera = ends().camera
        #expect(throws: ProtectedPairingError.altered) { try camera.open(client.seal(Data([2]))) }

        client = SealedChannel(key: SymmetricKey(size: .bits256), side: .client, conversation: 7)
        camera = ends().camera
        #expect(throws: ProtectedPairingError.altered) { try camera.open(client.seal(Data([2]))) }
    }
}
