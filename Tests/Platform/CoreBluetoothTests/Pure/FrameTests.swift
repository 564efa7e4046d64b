import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Frames of the software radio")
struct FrameTests {
    static let frames: [RadioFrame] = [
        .listen(RadioAddress(number: 0xC012_3456_789A)),
        .advertisement(
            AdvertisementPacket(advertising: Data([2, 1, 6]), scanResponse: Data(count: 31)), isConnectable: true,
            rssi: -50),
        .advertisement(AdvertisementPacket(advertising: Data(), scanResponse: Data()), isConnectable: false, rssi: 127),
        .connect(RadioAddress(number: 1), mtu: 517), .accepted(mtu: 23), .refused, .terminate,
        .att(Data([0x0A, 1, 0])),
        .att(Data(count: 517)), .acknowledged(3), .signalRequest, .signal(-127),
        .servicesChanged(first: 1, last: 0xFFFF),
    ]

    private func decode(_ bytes: [UInt8]) throws -> [RadioFrame] {
        var decoder = FrameDecoder()
        decoder.append(bytes)
        var found: [RadioFrame] = []
        while let frame = try decoder.next() { found.append(frame) }
        return found
    }

    @Test("what is encoded is decoded", arguments: frames)
    func roundTrip(_ frame: RadioFrame) throws { #expect(try decode(frame.encoded) == [frame]) }

    @Test("frames are found however the stream is cut", arguments: [1, 2, 3, 7, 100, 4096])
    func pieces(size: Int) throws {
        let stream = Self.frames.flatMap(\.encoded)
        var decoder = FrameDecoder()
        var found: [RadioFrame] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            decoder.append(Array(stream[start..<min(start + size, stream.count)]))
            while let frame = try decoder.next() { found.append(frame) }
        }
        #expect(found == Self.frames)
    }

    @Test("a truncated frame is waited for", arguments: frames)
    func truncated(_ frame: RadioFrame) throws {
        for length in 0..<frame.encoded.count { #expect(try decode(Array(frame.encoded.prefix(length))).isEmpty) }
    }

    @Test("lengths out of bounds are refused before anything is kept")
    func lengths() {
        #expect(throws: FrameError.length(0)) { try decode([0, 0]) }
        #expect(throws: FrameError.length(0xFFFF)) { try decode([0xFF, 0xFF]) }
        #expect(throws: FrameError.length(519)) { try decode([0x07, 0x02, 0x20]) }
    }

    @Test(
        "content of the wrong length or form is refused",
        arguments: [
            (0x01, []), (0x01, [1, 2, 3]), (0x01, [1, 1, 2, 3, 4, 5, 6, 7]), (0x02, []), (0x02, [1, 2, 3]),
            (0x02, [0, 0, 32] + [UInt8](repeating: 0, count: 33)), (0x02, [0, 0, 5, 1, 2]), (0x02, [0, 0, 0, 1]),
            (0x02, [0, 0, 0, 0, 9]), (0x10, [1, 1, 2, 3, 4, 5, 6]), (0x10, [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]), (0x11, [1]),
            (0x11, [1, 2, 3]), (0x12, [1]), (0x13, [1]), (0x20, []), (0x21, []), (0x21, [1, 2]), (0x22, [0]),
            (0x23, []), (0x24, [1, 2, 3]),
        ] as [(UInt8, [UInt8])])
    func contents(kind: UInt8, content: [UInt8]) {
        let bytes = UInt16(content.count + 1).littleEndianBytes + [kind] + content
        #expect(throws: FrameError.content(kind: kind, bytes: content.count)) { try decode(bytes) }
    }

    @Test("other kinds and other versions are refused")
    func kinds() {
        #expect(throws: FrameError.kind(0x99)) { try decode([1, 0, 0x99]) }
        #expect(throws: FrameError.version(2)) { try decode([8, 0, 0x01, 2, 1, 2, 3, 4, 5, 6]) }
    }

    @Test("random bytes give frames or errors, and the decoder keeps little")
    func random() {
        var generator = SplitMix(seed: 1)
        for _ in 0..<5_000 {
            var bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            // Half of them have a plausible head, so that contents are reached.
            if bytes.count > 3, Bool.random(using: &generator) {
                bytes.replaceSubrange(
                    0..<3, with: [UInt8(bytes.count - 2), 0, [1, 2, 0x10, 0x11, 0x20, 0x24][bytes.count % 6]])
            }
            _ = try? decode(bytes)
        }
    }
}
