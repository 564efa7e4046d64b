import Foundation
import Testing
import Wire

@Suite struct SecretTests {
    /// A text that stands nowhere else, so that finding it means that it leaked.
    private static let canary = "canary-8c1f0b5e7d"

    /// Every way in which Swift turns a value into text without being asked for a certain field.
    private func renderings(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, to: &printed)
        debugPrint(value, to: &printed)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, printed, "\([value])",
            "\(["key": value])", "\(Optional(value) as Any)", "\(Mirror(reflecting: value).children.map(\.value))",
        ]
    }

    private func expectNoLeak(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
        for text in renderings(of: value) {
            #expect(!text.contains(Self.canary), sourceLocation: sourceLocation)
        }
    }

    @Test func aLeakWouldBeSeen() {
        struct Careless {
            var text: String
        }
        #expect(renderings(of: Careless(text: Self.canary)).allSatisfy { $0.contains(Self.canary) })
    }

    @Test func showsNothingOfItself() {
        let secret = Secret(Self.canary)
        expectNoLeak(secret)
        #expect("\(secret)" == "<redacted>")
        #expect(secret.debugDescription == "<redacted>")
        #expect(secret.revealed == Self.canary)
    }

    @Test func isAPlainStringInJSON() throws {
        try expectJSON([Secret("a/b\n\u{1F511}")], #"["a/b\n🔑"]"#)
        expectBadField([Secret].self, "Index 0", in: "[5]")
    }

    @Test func comparesByItsText() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("").isEmpty)
        #expect(!Secret(" ").isEmpty)
    }

    @Test func noMessageShowsTheSecretItCarries() throws {
        let canary = Secret(Self.canary)
        let id = DeviceID(publicKeyDigest: [UInt8](repeating: 0, count: 15))
        expectNoLeak(
            try PairingCredentials(
                ssid: Data("home".utf8), password: canary, sessionKey: canary, region: .us, environment: .production))
        expectNoLeak(PairingSessionKeyModel(sessionKey: Self.canary, region: "us", expiresIn: 600))
        expectNoLeak(PairingSessionStatusRequest(sessionKey: canary))
        expectNoLeak(
            DeviceRegistration(
                sessionKey: canary, deviceId: id, publicKey: Data(), model: "m", signature: Data()))
        expectNoLeak(PairingFailureReport(sessionKey: canary, failure: .wrongPassword))
        let server = ICEServer(urls: ["turn:turn.example"], username: "u", credential: canary)
        expectNoLeak(server)
        expectNoLeak(
            CloudSocketMessage.offer(id: "1", session: "2", sdp: "v=0", iceServers: [server], deadline: 1))
    }

    @Test func noErrorShowsTheSecretItRefuses() {
        let long = String(repeating: Self.canary, count: 20)
        let keyOf64 = (Self.canary + long).prefix(64)
        for (password, key) in [
            (long, "0123456789abcdef"), (String(keyOf64), "0123456789abcdef"),
            (Self.canary + "\u{E9}", "0123456789abcdef"),
            ("password", Self.canary + " "), ("password", long + long), ("password", Self.canary + "\u{E9}"),
        ] {
            do throws(WireError) {
                _ = try PairingCredentials(
                    ssid: Data("home".utf8), password: Secret(password), sessionKey: Secret(key), region: .us,
                    environment: .production)
                Issue.record("the credentials were accepted")
            } catch {
                expectNoLeak(error)
                expectNoLeak(error as any Error)
            }
        }
    }

    @Test(arguments: [
        "canary-8c1f0b5e7d", "home\ncanary-8c1f0b5e7d\nk\n1\n1", "home\ncanary-8c1f0b5e7d\n0123456789abcdef\n7\n1",
        "home\ncanary-8c1f0b5e7d\r\n0123456789abcdef\n1\n1", "home\npassword\ncanary-8c1f0b5e7d\u{E9}\n1\n1",
        "home\npassword\n0123456789abcdef\ncanary-8c1f0b5e7d\n1",
        "home\npassword\n0123456789abcdef\n1\ncanary-8c1f0b5e7d",
        "1\n2\n3\n4\n5\n6\ncanary-8c1f0b5e7d",
    ])
    func noErrorShowsTheCodeItRefuses(code: String) {
        do throws(WireError) {
            _ = try QRPayload.decode(Data(code.utf8))
            Issue.record("the code was accepted")
        } catch {
            expectNoLeak(error)
        }
    }
}
