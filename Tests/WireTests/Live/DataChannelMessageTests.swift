import Foundation
import Testing
import Wire

@Suite struct DataChannelMessageTests {
    @Test(arguments: [
        (DataChannelMessage.rssi(-61), #"{"type":"rssi","value":-61}"#),
        (.temperature(-5), #"{"type":"temperature","value":-5}"#),
        (.humidity(0), #"{"type":"humidity","value":0}"#),
        (.humidity(100), #"{"type":"humidity","value":100}"#),
        (.streamEnded(reason: "privacy on"), #"{"reason":"privacy on","type":"stream_ended"}"#),
        (.streamFailed(reason: "no lens"), #"{"reason":"no lens","type":"stream_failed"}"#),
        (.wakeUp(reason: "live"), #"{"reason":"live","type":"wake_up"}"#),
        (.goodbye, #"{"type":"goodbye"}"#),
    ])
    func shapesArePinned(message: DataChannelMessage, text: String) {
        #expect(String(decoding: message.encoded(), as: UTF8.self) == text)
        #expect(DataChannelMessage(decoding: Data(text.utf8)) == message)
    }

    @Test(arguments: [
        "", "{}", "null", "[]", "rssi", #"{"type":"rssi"}"#, #"{"type":"rssi","value":"-61"}"#,
        #"{"type":"rssi","value":-61.5}"#, #"{"type":"rssi","value":1e99}"#, #"{"type":"temperature"}"#,
        #"{"type":"humidity"}"#, #"{"type":"humidity","value":-1}"#, #"{"type":"humidity","value":101}"#,
        #"{"type":"Goodbye"}"#, #"{"type":"battery","value":5}"#, #"{"type":null}"#, #"{"value":1}"#,
        #"{"type":"stream_ended","reason":5}"#, String(repeating: "[", count: 16_000),
        String(repeating: #"{"type":"#, count: 2_000),
    ])
    func anythingElseIsNotOneOfOurs(text: String) {
        #expect(DataChannelMessage(decoding: Data(text.utf8)) == nil)
    }

    @Test func fieldsOfTheFutureAreIgnored() {
        let text = #"{"type":"rssi","value":-40,"unit":"dBm","nested":{"a":[1,2]}}"#
        #expect(DataChannelMessage(decoding: Data(text.utf8)) == .rssi(-40))
    }

    @Test func aReasonMayBeLeftOut() {
        #expect(DataChannelMessage(decoding: Data(#"{"type":"stream_ended"}"#.utf8)) == .streamEnded(reason: ""))
    }

    @Test func aLongMessageIsNotRead() {
        let padding = String(repeating: "x", count: DataChannelMessage.maximumBytes)
        #expect(DataChannelMessage(decoding: DataChannelMessage.wakeUp(reason: padding).encoded()) == nil)
        let rest = DataChannelMessage.maximumBytes - DataChannelMessage.wakeUp(reason: "").encoded().count
        let fitting = DataChannelMessage.wakeUp(reason: String(padding.prefix(rest)))
        #expect(DataChannelMessage(decoding: fitting.encoded()) == fitting)
    }

    @Test func damagedMessagesAreOursOrNot() {
        var random = SeededGenerator(seed: 70)
        let whole = DataChannelMessage.streamEnded(reason: "ünïcode \u{0} \"quoted\" 🏡").encoded()
        var accepted = 0
        for _ in 0..<10_000 {
            guard let message = DataChannelMessage(decoding: random.damaged(whole)) else { continue }
            accepted += 1
            #expect(DataChannelMessage(decoding: message.encoded()) == message)
        }
        #expect(accepted > 100)
        for _ in 0..<5_000 {
            #expect(DataChannelMessage(decoding: random.data(count: Int.random(in: 0...64, using: &random))) == nil)
        }
    }
}
