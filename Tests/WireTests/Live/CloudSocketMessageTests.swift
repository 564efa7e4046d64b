import Foundation
import Testing
import Wire

@Suite struct CloudSocketMessageTests {
    @Test func shapesArePinned() throws {
        try expectJSON(
            CloudSocketMessage.challenge(nonce: Data([0xFB, 0xFF, 0])), #"{"nonce":"+/8A","type":"challenge"}"#)
        try expectJSON(CloudSocketMessage.welcome(keepAlive: 55), #"{"keepAlive":55,"type":"welcome"}"#)
        try expectJSON(
            CloudSocketMessage.refused(APIError(code: .badSignature, message: "m")),
            #"{"refusal":{"error":{"code":"badSignature","message":"m"}},"type":"refused"}"#)
        let servers = [
            ICEServer(urls: ["stun:stun.example"]),
            ICEServer(urls: ["turn:turn.example"], username: "u", credential: Secret("c")),
        ]
        try expectJSON(
            CloudSocketMessage.offer(id: "1", session: "s", sdp: "v=0", iceServers: servers, deadline: 8_000),
            #"{"deadline":8000,"iceServers":[{"urls":["stun:stun.example"]},"#
                + #"{"credential":"c","urls":["turn:turn.example"],"username":"u"}],"#
                + #""id":"1","sdp":"v=0","session":"s","type":"offer"}"#)
        try expectJSON(CloudSocketMessage.endSession(session: "s"), #"{"session":"s","type":"endSession"}"#)
        try expectJSON(CloudSocketMessage.goAway(retryAfter: 500), #"{"retryAfter":500,"type":"goAway"}"#)
    }

    @Test(arguments: [
        ("{}", "type"), (#"{"type":"hello"}"#, "type"), (#"{"type":"challenge","nonce":"?"}"#, "nonce"),
        (#"{"type":"welcome","keepAlive":"55"}"#, "keepAlive"), (#"{"type":"refused"}"#, "refusal"),
        (#"{"type":"refused","refusal":{}}"#, "refusal.error"),
        (#"{"type":"offer","id":"1","session":"s","sdp":"v","iceServers":{},"deadline":1}"#, "iceServers"),
        (
            #"{"type":"offer","id":"1","session":"s","sdp":"v","iceServers":[{}],"deadline":1}"#,
            "iceServers.Index 0.urls"
        ),
        (#"{"type":"offer","id":"1","session":"s","sdp":"v","iceServers":[]}"#, "deadline"),
        (#"{"type":"goAway","retryAfter":1e400}"#, ""), (#"{"type":"endSession"}"#, "session"),
    ])
    func aBadMessageNamesItsField(text: String, field: String) {
        expectBadField(CloudSocketMessage.self, field, in: text)
    }
}
