import Foundation
import Testing
import Wire

@testable import CloudClient

@Suite struct LinkHeaderTests {
    @Test func readsServersWithTheirParameters() {
        let field =
            "<stun:stun.example.net>; rel=\"ice-server\", "
            + "<turn:turn.example.net?transport=udp>; rel=\"ice-server\"; username=\"a, b; \\\"c\\\"\"; "
            + "credential=\"pass,word\"; credential-type=\"password\", <TURNS:t:443>;REL=ice-server"
        #expect(
            LinkHeader.iceServers(in: field) == [
                ICEServer(urls: ["stun:stun.example.net"]),
                ICEServer(
                    urls: ["turn:turn.example.net?transport=udp"], username: "a, b; \"c\"",
                    credential: Secret("pass,word")),
                ICEServer(urls: ["TURNS:t:443"]),
            ])
    }

    @Test(arguments: [
        "", ",", ";", "<", "<>", "<stun:x>", "stun:x; rel=ice-server", "<stun:x>; rel=\"next\"",
        "<http://x>; rel=ice-server", "<stun:x; rel=ice-server", "<stun:x>; rel", "<stun:x>; rel=\"ice-server",
        "\"<stun:x>; rel=ice-server", "<stun:x>; rel=\"\\",
    ])
    func passesOverWhatItDoesNotKnow(field: String) {
        #expect(LinkHeader.iceServers(in: field).isEmpty)
    }

    @Test func acceptsAnUnboundedListUpToItsLimit() {
        let field = Array(repeating: "<stun:x>; rel=ice-server", count: 1000).joined(separator: ",")
        #expect(LinkHeader.iceServers(in: field).count == LinkHeader.maximumServers)
    }
}
