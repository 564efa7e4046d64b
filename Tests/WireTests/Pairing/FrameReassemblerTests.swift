import Foundation
import Testing
import Wire

@Suite struct FrameReassemblerTests {
    private let message = Data((0..<40).map { UInt8($0) })

    private func frames(_ bytes: Data, message: UInt8 = 1) throws -> [Data] {
        try Frame.split(bytes, message: message, limit: 12).map(\.encoded)
    }

    /// Feeds every frame and gathers messages and errors in the order in which they come.
    private func outcomes(_ frames: [Data]) -> [Result<Data, WireError>] {
        var reassembler = FrameReassembler()
        return frames.compactMap { frame in
            do throws(WireError) {
                return try reassembler.receive(frame).map(Result.success)
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func putsMessagesTogetherInOrder() throws {
        let second = Data("next".utf8)
        let all = try frames(message) + frames(second, message: 2)
        #expect(outcomes(all) == [.success(message), .success(second)])
    }

    @Test func countsTheFramesThatArrived() throws {
        var reassembler = FrameReassembler()
        let frames = try frames(message)
        for (index, frame) in frames.dropLast().enumerated() {
            #expect(reassembler.position.firstMissing == index)
            #expect(try reassembler.receive(frame) == nil)
        }
        #expect(reassembler.position.firstMissing == frames.count - 1)
        #expect(try reassembler.receive(frames[frames.count - 1]) == message)
        #expect(reassembler.position.firstMissing == 0)
    }

    @Test func ignoresDoubledFrames() throws {
        #expect(outcomes(try frames(message).flatMap { [$0, $0] }) == [.success(message)])
    }

    @Test func aSenderMayBeginTheMessageAgain() throws {
        let frames = try frames(message)
        #expect(outcomes(frames.prefix(3) + frames) == [.success(message)])
    }

    @Test func deliversARepeatedMessageOnce() throws {
        let second = Data("next".utf8)
        let first = try frames(message)
        #expect(outcomes(first + first) == [.success(message)])
        let single = try frames(second, message: 2)
        #expect(outcomes(first + single + single) == [.success(message), .success(second)])
    }

    @Test func aLateFrameOfTheMessageBeforeDoesNotDisturb() throws {
        let first = try frames(message)
        let second = try frames(message + message, message: 2)
        let all = first + second.prefix(3) + [first[first.count - 1], first[0]] + second.dropFirst(3)
        #expect(outcomes(Array(all)) == [.success(message), .success(message + message)])
    }

    @Test func numbersWrap() throws {
        let all = try (0..<600).flatMap { try frames(Data([UInt8($0 & 0xFF)]), message: UInt8($0 & 0xFF)) }
        #expect(outcomes(all).count == 600)
    }

    @Test(arguments: 0..<6)
    func saysWhichFrameIsLost(index: Int) throws {
        var frames = try frames(message)
        #expect(frames.count == 6)
        frames.remove(at: index)
        let expected: [WireError] =
            switch index {
            // Each of the frames after a lost first one belongs to nothing.
            case 0: (1..<6).map { .frameOrder(expected: 0, received: $0) }
            // What is ahead of the frame due is refused, until that one comes.
            case 1..<5: (index + 1..<6).map { .frameOrder(expected: index, received: $0) }
            default: []
            }
        #expect(outcomes(frames) == expected.map(Result.failure))
    }

    @Test func aNewMessageRecoversFromALoss() throws {
        var first = try frames(message)
        first.remove(at: 2)
        let second = Data("next".utf8)
        #expect(outcomes(first + (try frames(second, message: 2))).last == .success(second))
        // Also when the end of the first was lost, which nothing but the new message can show.
        let cut = try frames(message).dropLast()
        #expect(outcomes(cut + (try frames(second, message: 2))) == [.success(second)])
        // And the same number may carry the repetition.
        #expect(outcomes(first + (try frames(message))).last == .success(message))
    }

    @Test func refusesReorderedFrames() throws {
        var frames = try frames(message)
        frames.swapAt(1, 2)
        #expect(outcomes(frames).first == .failure(.frameOrder(expected: 1, received: 2)))
        #expect(!outcomes(frames).contains(.success(message)))
    }

    @Test(arguments: 0..<5)
    func aSenderGoesOnFromTheFirstMissingFrame(index: Int) throws {
        let frames = try frames(message)
        var reassembler = FrameReassembler()
        for frame in frames[..<index] { _ = try reassembler.receive(frame) }
        #expect(throws: WireError.frameOrder(expected: index, received: index + 1)) {
            try reassembler.receive(frames[index + 1])
        }
        let position = reassembler.position
        #expect(
            position
                == (index == 0
                    ? ExchangePosition(message: 0, progress: .none)
                    : ExchangePosition(message: 1, progress: .underWay, firstMissing: index)))
        let rest = try frames[position.firstMissing...].compactMap { try reassembler.receive($0) }
        #expect(rest == [message])
        #expect(reassembler.position == ExchangePosition(message: 1, progress: .complete))
    }

    @Test func refusesAForeignFrame() throws {
        let own = try frames(message)
        let foreign = try frames(message, message: 9)
        let all = own.prefix(2) + [foreign[2]] + own.dropFirst(2)
        // It does not disturb the one under way either.
        #expect(outcomes(Array(all)) == [.failure(.frameOrder(expected: 0, received: 2)), .success(message)])
    }

    @Test func refusesLengthsThatDoNotFit() {
        // More bytes than announced, in one frame and in two.
        #expect(
            outcomes([Data([0x13, 0, 0, 0, 0, 2, 1, 2, 3])])
                == [.failure(.length(field: "message", actual: 3, allowed: 2...2))])
        #expect(
            outcomes([Data([0x11, 0, 0, 0, 0, 2, 1]), Data([0x12, 0, 0, 1, 2, 3])])
                == [.failure(.length(field: "message", actual: 3, allowed: 2...2))])
        // Fewer bytes than announced at the last frame.
        #expect(
            outcomes([Data([0x13, 0, 0, 0, 0, 2, 1])])
                == [.failure(.length(field: "message", actual: 1, allowed: 2...2))])
        // All the bytes, and yet another frame to come.
        #expect(
            outcomes([Data([0x11, 0, 0, 0, 0, 1, 1])])
                == [.failure(.length(field: "message", actual: 1, allowed: 1...1))])
        #expect(
            outcomes([Data([0x13, 0, 0, 0, 0x10, 0x01])])
                == [.failure(.length(field: "message", actual: 4097, allowed: 1...4096))])
        #expect(
            outcomes([Data([0x13, 0, 0, 0, 1])])
                == [.failure(.length(field: "first frame", actual: 1, allowed: 2...508))])
    }

    @Test func aMalformedFrameForgetsTheMessageUnderWay() throws {
        var reassembler = FrameReassembler()
        _ = try reassembler.receive(frames(message)[0])
        #expect(throws: WireError.version(0)) { try reassembler.receive(Data(count: 8)) }
        #expect(reassembler.position.firstMissing == 0)
        #expect(throws: WireError.frameOrder(expected: 0, received: 1)) {
            try reassembler.receive(try frames(message)[1])
        }
    }

    @Test func damagedStreamsNeverGiveAnythingButWholeMessages() throws {
        var random = SeededGenerator(seed: 20)
        for round in 0..<2_000 {
            let bytes = random.data(count: Int.random(in: 1...120, using: &random))
            var stream: [Data] = []
            for frame in try frames(bytes, message: UInt8(round & 0xFF)) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0: break
                case 1: stream += [frame, frame]
                case 2: stream.append(random.data(count: Int.random(in: 0...20, using: &random)))
                default: stream.append(frame)
                }
            }
            var reassembler = FrameReassembler()
            for frame in stream {
                guard let whole = try? reassembler.receive(frame) else { continue }
                // Garbage cannot form a message of this number by chance: the seed is fixed and none does.
                #expect(whole == bytes)
            }
        }
    }

    @Test func garbageIsAnErrorOrIgnored() {
        var random = SeededGenerator(seed: 21)
        var reassembler = FrameReassembler()
        var errors = 0
        for _ in 0..<20_000 {
            var bytes = random.data(count: Int.random(in: 0...600, using: &random))
            // Half of it with the right version, so that the rest of the decoder is reached.
            if Bool.random(using: &random), !bytes.isEmpty { bytes[0] = 0x10 | (bytes[0] & 3) }
            do throws(WireError) {
                if let message = try reassembler.receive(bytes) { #expect(message.count <= 4096) }
            } catch {
                errors += 1
            }
        }
        #expect(errors > 10_000)
    }
}
