import Testing
import Wire

@testable import porchlight

@Suite("What is refused before anything is started")
struct WishTests {
    private func isUsage(_ error: any Error) -> Bool { (error as? CommandError)?.exitCode == 64 }

    @Test(
        "A radio that is known, or none, is right",
        arguments: [
            [:], ["": ""], ["PORCHLIGHT_RADIO": ""], ["PORCHLIGHT_RADIO": "BlueZ"], ["PORCHLIGHT_RADIO": "software"],
        ])
    func radio(environment: [String: String]) throws { try RadioWish.check(environment) }

    @Test("A radio that is not known is refused with its name")
    func wrongRadio() {
        #expect { try RadioWish.check(["PORCHLIGHT_RADIO": "blues"]) } throws: {
            isUsage($0) && "\($0)".contains("'blues'")
        }
    }

    @Test(
        "A password is empty, 8 to 63 characters, or 64 hexadecimal digits",
        arguments: ["", "12345678", String(repeating: "x", count: 63), String(repeating: "a0", count: 32)])
    func password(text: String) throws { try JoinWish(ssid: "x", password: Secret(text)).check() }

    @Test(
        "Any other password is refused without being told",
        arguments: ["hunte", String(repeating: "x", count: 64), "contraseña-ñ"])
    func wrongPassword(text: String) {
        #expect { try JoinWish(ssid: "x", password: Secret(text)).check() } throws: {
            isUsage($0) && "\($0)".contains("8 to 63") && !"\($0)".contains(text)
        }
    }

    @Test("A name of a network has 1 to 32 bytes", arguments: ["", String(repeating: "x", count: 33)])
    func wrongName(ssid: String) {
        #expect { try JoinWish(ssid: ssid, password: Secret("")).check() } throws: { isUsage($0) }
    }
}
