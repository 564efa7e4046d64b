import Foundation
import Testing
import Wire

@Suite struct CameraSocketMessageTests {
    private let id = DeviceID(publicKeyDigest: Array(0..<32) as [UInt8])

    @Test func shapesArePinned() throws {
        try expectJSON(
            CameraSocketMessage.hello(deviceId: id, version: CameraSocketMessage.version),
            #"{"deviceId":"PLC000G40R40M30E209185GR38E","type":"hello","version":1}"#)
        try expectJSON(
            CameraSocketMessage.proof(signature: Data([1, 2, 3])), #"{"signature":"AQID","type":"proof"}"#)
        try expectJSON(
            CameraSocketMessage.answer(id: "1", sdp: "v=0\r\n"), #"{"id":"1","sdp":"v=0\r\n","type":"answer"}"#)
        try expectJSON(
            CameraSocketMessage.failure(id: "1", reason: "r"), #"{"id":"1","reason":"r","type":"failure"}"#)
        try expectJSON(
            CameraSocketMessage.sessionEnded(session: "s"), #"{"session":"s","type":"sessionEnded"}"#)
    }

    @Test func signsItsPurposeItsIdAndTheNonce() {
        #expect(
            CameraSocketMessage.signedBytes(deviceId: id, nonce: Data([0xFB, 0xFF, 0x00]))
                == Data("porchlight-camera-socket-1\nPLC000G40R40M30E209185GR38E\n+/8A".utf8))
    }

    @Test(arguments: [
        ("{}", "type"), (#"{"type":"other"}"#, "type"), (#"{"type":7}"#, "type"), (#"{"type":"hello"}"#, "deviceId"),
        (#"{"type":"hello","deviceId":"x","version":1}"#, "deviceId"),
        (#"{"type":"hello","deviceId":"PLC000G40R40M30E209185GR38E","version":"1"}"#, "version"),
        (#"{"type":"proof","signature":"%"}"#, "signature"), (#"{"type":"answer","id":"1"}"#, "sdp"),
        (#"{"type":"answer","sdp":"v"}"#, "id"), (#"{"type":"failure","id":"1"}"#, "reason"),
        (#"{"type":"sessionEnded","session":null}"#, "session"), ("null", ""), ("[1]", ""), ("{", ""),
    ])
    func aBadMessageNamesItsField(text: String, field: String) {
        expectBadField(CameraSocketMessage.self, field, in: text)
    }

    @Test func damagedMessagesAreMessagesOrErrors() throws {
        var random = SeededGenerator(seed: 60)
        let whole = Data(try json(CameraSocketMessage.answer(id: "1", sdp: "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n")).utf8)
        var accepted = 0
        for _ in 0..<5_000 {
            guard let message = try? JSONDecoder().decode(CameraSocketMessage.self, from: random.damaged(whole)) else {
                continue
            }
            accepted += 1
            #expect(try value(fromJSON: json(message)) == message)
        }
        #expect(accepted > 100)
    }
}
