import Foundation
import Testing
import Wire

@Suite struct QRPayloadTests {
    private static let key = "0123456789abcdef"

    private func credentials(
        ssid: Data = Data("Home".utf8), password: String = "pass word",
        region: ServerRegion = .us, environment: ServerEnvironment = .production
    ) throws -> PairingCredentials {
        try PairingCredentials(
            ssid: ssid, password: Secret(password), sessionKey: Secret(Self.key), region: region,
            environment: environment)
    }

    @Test func linesArePinned() throws {
        #expect(
            try QRPayload.encode(credentials()).revealed == "Home\npass word\n0123456789abcdef\n1\n1")
        #expect(
            try QRPayload.encode(credentials(password: "", region: .apac, environment: .dev)).revealed
                == "Home\n\n0123456789abcdef\n3\n3")
    }

    @Test(arguments: ServerRegion.allCases, ServerEnvironment.allCases)
    func survivesTheRoundTrip(region: ServerRegion, environment: ServerEnvironment) throws {
        for ssid in ["H", "🏡👨‍👩‍👧‍👦", "кафе", " spaces ", "tab\there", "nul\0", String(repeating: "x", count: 32)] {
            for password in ["", "12345678", String(repeating: "y", count: 63), String(repeating: "0aF9", count: 16)] {
                let credentials = try credentials(
                    ssid: Data(ssid.utf8), password: password, region: region, environment: environment)
                let text = try QRPayload.encode(credentials).revealed
                #expect(try QRPayload.decode(Data(text.utf8)) == credentials)
                #expect(try QRPayload.decode(Data(text.utf8 + [0x0A])) == credentials)
            }
        }
    }

    @Test func theLargestFieldsFit() throws {
        let credentials = try PairingCredentials(
            ssid: Data(repeating: 0x7A, count: 32), password: Secret(String(repeating: "f", count: 64)),
            sessionKey: Secret(String(repeating: "k", count: 128)), region: .apac, environment: .dev)
        let text = try QRPayload.encode(credentials).revealed
        #expect(text.utf8.count + 1 <= QRPayload.maximumBytes)
        #expect(try QRPayload.decode(Data(text.utf8)) == credentials)
    }

    @Test func namesAreAcceptedWhereCodesBelong() throws {
        let decoded = try QRPayload.decode(Data("Home\npass word\n0123456789abcdef\nus\nproduction".utf8))
        #expect(try decoded == credentials())
    }

    @Test(arguments: ["a\nb", "a\rb", "a\r\nb", "\n", "b\r"])
    func refusesToEncodeAnSSIDWithALineBreak(ssid: String) {
        #expect(
            throws: WireError.value(
                field: "ssid", reason: "it contains a line break, which a pairing code cannot carry")
        ) {
            try QRPayload.encode(credentials(ssid: Data(ssid.utf8)))
        }
    }

    @Test func refusesToEncodeAnSSIDThatIsNoText() {
        #expect(throws: WireError.notText(field: "ssid")) {
            try QRPayload.encode(credentials(ssid: Data([0xFF])))
        }
    }

    @Test(arguments: [
        ("", 1), ("Home", 1), ("Home\npassword\nkey\n1", 4), ("Home\npassword\n0123456789abcdef\n1\n1\n1", 6),
        ("Home\npassword\n0123456789abcdef\n1\n1\n\n", 7), ("\n\n\n", 4),
        (String(repeating: "\n", count: 256), 257), ("Home\rpassword\r0123456789abcdef\r1\r1", 1),
        ("Home\u{85}password\u{2028}0123456789abcdef\u{2029}1\u{0B}1", 1),
    ])
    func refusesAnotherNumberOfLines(text: String, count: Int) {
        #expect(throws: WireError.lines(count)) { try QRPayload.decode(Data(text.utf8)) }
    }

    @Test(arguments: [
        ("Home\r\npassword\r\n0123456789abcdef\r\n1\r\n1", "ssid"),
        ("Home\npass\rword\n0123456789abcdef\n1\n1", "password"),
        ("Home\npassword\n0123456789abcdef\r\n1\n1", "sessionKey"),
        ("Home\npassword\n0123456789abcdef\n1\r\n1", "region"),
        ("Home\npassword\n0123456789abcdef\n1\n1\r", "env"), ("Home\npassword\n0123456789abcdef\n1\n1\r\n", "env"),
    ])
    func refusesACarriageReturnByField(text: String, field: String) {
        #expect(
            throws: WireError.value(
                field: field, reason: "it contains a line break, which a pairing code cannot carry")
        ) {
            try QRPayload.decode(Data(text.utf8))
        }
    }

    @Test(arguments: [257, 3_072, 1_000_000])
    func refusesALongText(count: Int) {
        #expect(throws: WireError.length(field: "code", actual: count, allowed: 1...256)) {
            try QRPayload.decode(Data(repeating: 0x41, count: count))
        }
    }

    @Test(arguments: [
        ("\npassword\n0123456789abcdef\n1\n1", WireError.length(field: "ssid", actual: 0, allowed: 1...32)),
        (
            String(repeating: "x", count: 33) + "\npassword\n0123456789abcdef\n1\n1",
            .length(field: "ssid", actual: 33, allowed: 1...32)
        ),
        ("Home\nshort\n0123456789abcdef\n1\n1", .length(field: "password", actual: 5, allowed: 8...64)),
        ("Home\npassword\nshort\n1\n1", .length(field: "sessionKey", actual: 5, allowed: 16...128)),
        ("Home\npassword\n0123456789abcdef\n2\n1", .value(field: "region", reason: "not a region code")),
        ("Home\npassword\n0123456789abcdef\n\n1", .value(field: "region", reason: "not a region code")),
        ("Home\npassword\n0123456789abcdef\n1\n4", .value(field: "env", reason: "not an environment code")),
        ("Home\npassword\n0123456789abcdef\n1\n 1", .value(field: "env", reason: "not an environment code")),
    ])
    func refusesAFieldOutsideItsLimits(text: String, error: WireError) {
        #expect(throws: error) { try QRPayload.decode(Data(text.utf8)) }
    }

    @Test func refusesBytesThatAreNoText() {
        #expect(throws: WireError.notText(field: "ssid")) {
            try QRPayload.decode(Data([0xFF]) + Data("\npassword\n0123456789abcdef\n1\n1".utf8))
        }
        #expect(throws: WireError.notText(field: "password")) {
            try QRPayload.decode(Data("Home\npass".utf8) + Data([0xC3]) + Data("word\n0123456789abcdef\n1\n1".utf8))
        }
    }

    @Test func damagedCodesAreCredentialsOrErrors() throws {
        var random = SeededGenerator(seed: 50)
        let whole = Data("🏡 Home\npassword\n0123456789abcdef\n1\n1".utf8)
        var accepted = 0
        for _ in 0..<20_000 {
            guard let credentials = try? QRPayload.decode(random.damaged(whole)) else { continue }
            accepted += 1
            let text = try QRPayload.encode(credentials).revealed
            #expect(try QRPayload.decode(Data(text.utf8)) == credentials)
        }
        #expect(accepted > 100)
    }
}
