import Foundation
import Testing
import Wire

@Suite struct PairingCredentialsTests {
    private func credentials(
        ssid: Data = Data("Home".utf8), security: WiFiSecurity? = nil, password: String = "password",
        sessionKey: String = "0123456789abcdef"
    ) throws(WireError) -> PairingCredentials {
        try PairingCredentials(
            ssid: ssid, security: security, password: Secret(password), sessionKey: Secret(sessionKey), region: .apac,
            environment: .staging)
    }

    @Test func keepsWhatItChecked() throws {
        let credentials = try credentials(ssid: Data([0xFF, 0x00]), security: .wpa3)
        #expect(credentials.ssid == Data([0xFF, 0x00]))
        #expect(credentials.security == .wpa3)
        #expect(credentials.password.revealed == "password")
        #expect(credentials.sessionKey.revealed == "0123456789abcdef")
        #expect(credentials.region == .apac)
        #expect(credentials.environment == .staging)
    }

    @Test func securityFollowsThePasswordWhereNothingIsSaid() throws {
        #expect(try credentials(password: "").security == .open)
        #expect(try credentials(password: "password").security == .wpa2)
    }

    @Test(arguments: [1, 2, 31, 32])
    func takesAnSSIDOfEveryLength(count: Int) throws {
        #expect(try credentials(ssid: Data(count: count)).ssid.count == count)
    }

    @Test(arguments: [0, 33, 253, 4096])
    func refusesAnSSIDOfAnotherLength(count: Int) {
        #expect(throws: WireError.length(field: "ssid", actual: count, allowed: 1...32)) {
            try credentials(ssid: Data(count: count))
        }
    }

    @Test(arguments: [
        "12345678", String(repeating: "x", count: 63), " ~ ~ ~ ~", String(repeating: "0", count: 64),
        String(repeating: "aF", count: 32),
    ])
    func takesPassphrasesAndKeys(password: String) throws {
        for security in [WiFiSecurity.wpa, .wpa2, .wpa3] {
            #expect(try credentials(security: security, password: password).password == Secret(password))
        }
    }

    @Test(arguments: [
        ("1234567", WireError.length(field: "password", actual: 7, allowed: 8...64)),
        (String(repeating: "x", count: 65), .length(field: "password", actual: 65, allowed: 8...64)),
        (String(repeating: "x", count: 3_000), .length(field: "password", actual: 3_000, allowed: 8...64)),
        (
            String(repeating: "g", count: 64),
            .value(field: "password", reason: "64 characters are a key in hexadecimal; this is not")
        ),
        (
            // 20 full-width digits and 4 plain ones: 64 bytes that are 'hexadecimal' to Unicode.
            String(repeating: "\u{FF10}", count: 20) + "0000",
            .value(field: "password", reason: "64 characters are a key in hexadecimal; this is not")
        ),
        ("passwörd", .value(field: "password", reason: "a passphrase is printable ASCII")),
        ("pass\nword", .value(field: "password", reason: "a passphrase is printable ASCII")),
        ("password\u{7F}", .value(field: "password", reason: "a passphrase is printable ASCII")),
        ("pass\0word", .value(field: "password", reason: "a passphrase is printable ASCII")),
    ])
    func refusesOtherPasswords(password: String, error: WireError) {
        #expect(throws: error) { try credentials(password: password) }
    }

    @Test func aProtectedNetworkNeedsAPassword() {
        #expect(throws: WireError.length(field: "password", actual: 0, allowed: 8...64)) {
            try credentials(security: .wpa2, password: "")
        }
    }

    @Test func anOpenNetworkHasNone() {
        #expect(throws: WireError.value(field: "password", reason: "an open network has no password")) {
            try credentials(security: .open)
        }
    }

    @Test(arguments: [WiFiSecurity.wep, .enterprise], ["", "password"])
    func refusesNetworksThatCamerasDoNotJoin(security: WiFiSecurity, password: String) {
        #expect(
            throws: WireError.value(
                field: "security", reason: "cameras join open, WPA, WPA2 and WPA3 networks only")
        ) {
            try credentials(security: security, password: password)
        }
    }

    @Test(arguments: [16, 17, 127, 128])
    func takesASessionKeyOfEveryLength(count: Int) throws {
        #expect(try credentials(sessionKey: String(repeating: "~", count: count)).sessionKey.revealed.count == count)
    }

    @Test(arguments: [
        ("", WireError.length(field: "sessionKey", actual: 0, allowed: 16...128)),
        (String(repeating: "k", count: 15), .length(field: "sessionKey", actual: 15, allowed: 16...128)),
        (String(repeating: "k", count: 129), .length(field: "sessionKey", actual: 129, allowed: 16...128)),
        ("0123456789abcde ", .value(field: "sessionKey", reason: "a session key is visible ASCII")),
        ("0123456789abcdef\r\n", .value(field: "sessionKey", reason: "a session key is visible ASCII")),
        ("0123456789abcdeé", .value(field: "sessionKey", reason: "a session key is visible ASCII")),
    ])
    func refusesOtherSessionKeys(key: String, error: WireError) {
        #expect(throws: error) { try credentials(sessionKey: key) }
    }
}
