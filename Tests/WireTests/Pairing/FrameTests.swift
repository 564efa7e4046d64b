import Foundation
import Testing
import Wire

@Suite struct FrameTests {
    @Test func splitsAsTheDocumentShows() throws {
        let frames = try Frame.split(Data("porchlight".utf8), message: 7, limit: 10)
        #expect(
            frames.map(\.encoded) == [
                Data([0x11, 7, 0, 0, 0, 10] + "porc".utf8),
                Data([0x12, 7, 0, 1] + "hlight".utf8),
            ])
    }

    @Test func nothingIsEmpty() {
        #expect(throws: WireError.length(field: "message", actual: 0, allowed: 1...4096)) {
            try Frame.split(Data(), message: 255, limit: 7)
        }
        #expect(throws: WireError.length(field: "frame", actual: 4, allowed: 5...512)) {
            try Frame(decoding: Data([0x12, 0, 0, 1]))
        }
        var reassembler = FrameReassembler()
        #expect(throws: WireError.length(field: "message", actual: 0, allowed: 1...4096)) {
            try reassembler.receive(Data([0x13, 255, 0, 0, 0, 0]))
        }
    }

    @Test(arguments: 7...512)
    func everyLimitCarriesMessagesOfEverySize(limit: Int) throws {
        var random = SeededGenerator(seed: UInt64(limit))
        // The sizes at which the number of frames changes, the ends, and some between.
        let room = limit - Frame.headerBytes
        var sizes: Set<Int> = [1, 2, room - 3, room - 2, room - 1, 2 * room - 2, 2 * room - 1, 4095, 4096]
        for _ in 0..<4 { sizes.insert(Int.random(in: 1...4096, using: &random)) }
        for size in sizes.sorted() where (1...4096).contains(size) {
            let message = random.data(count: size)
            let number = UInt8.random(in: 0...255, using: &random)
            let frames = try Frame.split(message, message: number, limit: limit)
            #expect(frames.count == (size + 2 + room - 1) / room)
            #expect(frames.allSatisfy { $0.encoded.count <= limit && $0.message == number })
            #expect(frames.map(\.index) == Array(0..<frames.count))
            #expect(frames.filter(\.isFirst).map(\.index) == [0])
            #expect(frames.filter(\.isLast).map(\.index) == [frames.count - 1])

            var reassembler = FrameReassembler()
            for frame in frames {
                #expect(try Frame(decoding: frame.encoded) == frame)
                let result = try reassembler.receive(frame.encoded)
                #expect(result == (frame.isLast ? message : nil))
            }
            #expect(reassembler.position.firstMissing == 0)
        }
    }

    @Test func aLimitAbove512IsTakenAs512() throws {
        let frames = try Frame.split(Data(count: 1000), message: 0, limit: 100_000)
        #expect(frames.map(\.encoded.count) == [512, 498])
    }

    @Test(arguments: [-1, 0, 4, 6])
    func refusesALimitWithoutRoom(limit: Int) {
        #expect(throws: WireError.length(field: "frame", actual: limit, allowed: 7...512)) {
            try Frame.split(Data([1]), message: 0, limit: limit)
        }
    }

    @Test func refusesAMessageThatIsTooLong() {
        #expect(throws: WireError.length(field: "message", actual: 4097, allowed: 1...4096)) {
            try Frame.split(Data(count: 4097), message: 0, limit: 20)
        }
    }

    @Test func splitsASliceOfData() throws {
        let whole = Data("--porchlight--".utf8)
        let frames = try Frame.split(whole[2..<12], message: 7, limit: 10)
        #expect(try frames == Frame.split(Data("porchlight".utf8), message: 7, limit: 10))
        let encoded = Data([0, 0]) + frames[1].encoded
        #expect(try Frame(decoding: encoded[2...]) == frames[1])
    }

    @Test(arguments: [0, 1, 3, 4, 513, 4096])
    func refusesAValueOfTheWrongLength(count: Int) {
        #expect(throws: WireError.length(field: "frame", actual: count, allowed: 5...512)) {
            try Frame(decoding: Data(repeating: 0x10, count: count))
        }
    }

    @Test(arguments: [0, 2, 3, 15])
    func refusesAnotherVersion(version: UInt8) {
        #expect(throws: WireError.version(Int(version))) {
            try Frame(decoding: Data([version << 4 | 1, 0, 0, 0, 0, 0]))
        }
    }

    @Test(arguments: [[0x10, 0, 0, 0, 1], [0x11, 0, 0, 1, 1], [0x13, 0, 1, 0, 1]] as [[UInt8]])
    func refusesAFirstFlagThatContradictsTheIndex(bytes: [UInt8]) {
        #expect(
            throws: WireError.value(field: "frame", reason: "the first flag and the index contradict each other")
        ) {
            try Frame(decoding: Data(bytes))
        }
    }

    @Test func ignoresFlagsOfTheFuture() throws {
        let frame = try Frame(decoding: Data([0x1D, 9, 0, 0, 0, 5, 1]))
        #expect(frame.isFirst && !frame.isLast && frame.message == 9)
    }

    @Test func readsAnIndexOfTwoBytes() throws {
        let frame = try Frame(decoding: Data([0x12, 0, 0x12, 0x34, 0xAA]))
        #expect(frame.index == 0x1234)
        #expect(frame.encoded == Data([0x12, 0, 0x12, 0x34, 0xAA]))
    }
}
