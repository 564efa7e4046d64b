import Foundation
import Testing
import Wire

@testable import CloudServer

@Suite struct CredentialTests {
    @Test func areMadeOfTheBytesTheyAreGiven() {
        let source = CredentialSource { count in Data(repeating: 0xFB, count: count) }
        #expect(source.sessionKey().revealed == "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s")
        #expect(source.token().revealed == "plt_-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s")
        #expect(source.spaceId() == "sv" + String(repeating: "v", count: 23))
        #expect(source.nonce().count == 32)
    }

    @Test func differEachTime() {
        let source = CredentialSource(randomBytes: CloudConfiguration.systemRandomBytes)
        let keys = Set((0..<1000).map { _ in source.sessionKey().revealed })
        #expect(keys.count == 1000)
        #expect(keys.allSatisfy { $0.utf8.count == 43 })
        #expect(Set((0..<1000).map { _ in source.spaceId() }).count == 1000)
    }

    @Test func aDigestTellsTextsApart() {
        #expect(CredentialDigest(of: Secret("a")) == CredentialDigest(of: Secret("a")))
        #expect(CredentialDigest(of: Secret("a")) != CredentialDigest(of: Secret("b")))
        #expect(CredentialDigest(of: Secret("a")).bytes.count == 32)
    }
}
