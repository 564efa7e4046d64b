import Foundation
import Testing

@testable import WebSockets

@Suite("WebSocket frames")
struct WebSocketFrameDecoderTests {
    private func decode(_ bytes: [UInt8], limit: Int = 1 << 20, server: Bool = false) -> [WebSocketFrameDecoder.Event] {
        var decoder = WebSocketFrameDecoder(maximumMessageBytes: limit, expectsMask: server)
        decoder.append(bytes)
        var events: [WebSocketFrameDecoder.Event] = []
        while let event = decoder.next() { events.append(event) }
        return events
    }

    private func code(_ bytes: [UInt8], limit: Int = 1 << 20, server: Bool = false) -> Int? {
        guard case .failure(let code, _) = decode(bytes, limit: limit, server: server).last else { return nil }
        return code
    }

    /// The examples of RFC 6455 section 5.7.
    @Test func examplesOfTheRFC() {
        #expect(decode([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]) == [.message(.text("Hello"))])
        let masked: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
        #expect(decode(masked, server: true) == [.message(.text("Hello"))])
        #expect(
            decode([0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f]) == [.message(.text("Hello"))])
        #expect(decode([0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]) == [.ping(Data("Hello".utf8))])
        #expect(Array(WebSocketFrame.encode(.text, Data("Hello".utf8), mask: 0x37fa_213d)) == masked)
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65535, 65536, 200_000])
    func everyLengthSurvives(_ count: Int) {
        let payload = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let plain = Array(WebSocketFrame.encode(.binary, payload, mask: nil))
        let masked = Array(WebSocketFrame.encode(.binary, payload, mask: 0xdead_beef))
        #expect(decode(plain) == [.message(.binary(payload))])
        #expect(decode(masked, server: true) == [.message(.binary(payload))])
    }

    @Test func cutAnywhereTheResultIsTheSame() {
        let bytes: [UInt8] = [
            0x01, 0x02, 0xc3, 0xa4, 0x89, 0x01, 0x21, 0x80, 0x01, 0x62, 0x8a, 0x00, 0x82, 0x00, 0x88, 0x04, 0x03, 0xe8,
            0x6f, 0x6b,
        ]
        let expected: [WebSocketFrameDecoder.Event] = [
            .ping(Data("!".utf8)), .message(.text("äb")), .pong, .message(.binary(Data())),
            .close(code: 1000, reason: "ok"),
        ]
        for size in 1...bytes.count {
            var decoder = WebSocketFrameDecoder(maximumMessageBytes: 100, expectsMask: false)
            var events: [WebSocketFrameDecoder.Event] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                decoder.append(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let event = decoder.next() { events.append(event) }
            }
            #expect(events == expected)
        }
    }

    @Test func violationsHaveTheirCodes() {
        #expect(code([0xc1, 0x00]) == 1002)  // a reserved bit
        #expect(code([0x83, 0x00]) == 1002)  // an unknown type
        #expect(code([0x81, 0x80, 0, 0, 0, 0]) == 1002)  // masked by a server
        #expect(code([0x81, 0x00], server: true) == 1002)  // not masked by a client
        #expect(code([0x09, 0x00]) == 1002)  // a fragmented ping
        #expect(code([0x89, 0x7e, 0x00, 0x7e]) == 1002)  // a long ping
        #expect(code([0x80, 0x00]) == 1002)  // a continuation of nothing
        #expect(code([0x01, 0x00, 0x81, 0x00]) == 1002)  // a message inside another
        #expect(code([0x82, 0x7e, 0x00, 0x05]) == 1002)  // a length that is not the shortest form
        #expect(code([0x82, 0x7f, 0, 0, 0, 0, 0, 0, 0, 5]) == 1002)
        #expect(code([0x81, 0x02, 0xc3, 0x28]) == 1007)
        #expect(code([0x01, 0x01, 0xc3, 0x80, 0x01, 0x28]) == 1007)
        #expect(code([0x88, 0x01, 0x03]) == 1002)
        #expect(code([0x88, 0x02, 0x03, 0xed]) == 1002)  // 1005 must not be sent
        #expect(code([0x88, 0x02, 0x00, 0x00]) == 1002)
        #expect(code([0x88, 0x03, 0x03, 0xe8, 0xff]) == 1007)
        #expect(decode([0x88, 0x00]) == [.close(code: 1005, reason: "")])
    }

    @Test func theCapHoldsForFramesAndForTheirSum() {
        #expect(code([0x82, 0x0b], limit: 10) == 1009)
        #expect(code([0x82, 0x7f, 0xff, 0, 0, 0, 0, 0, 0, 0], limit: 10) == 1009)
        let six = [UInt8](repeating: 1, count: 6)
        #expect(code([0x02, 0x06] + six + [0x80, 0x05], limit: 10) == 1009)
        #expect(decode([0x02, 0x06] + six + [0x80, 0x04] + six.prefix(4), limit: 10).count == 1)
    }

    @Test func nothingComesAfterAFailure() {
        #expect(decode([0xc1, 0x00, 0x81, 0x01, 0x61]).count == 1)
    }

    @Test func closeReasonsAreCutBetweenCharacters() {
        let payload = WebSocketFrame.closePayload(code: 1001, reason: String(repeating: "ä", count: 100))
        #expect(payload.count == 124)
        #expect(String(validating: payload.dropFirst(2), as: UTF8.self) != nil)
    }
}
