import CameraPairing
import Foundation
import Testing

@Suite("Credentials and their secrets")
struct WiFiDetailModelTests {
    private let details = WiFiDetailModel(
        ssid: "Home", password: "canary-password", sessionKey: "canary-session-key", env: "production", region: "us")

    @Test("No description shows a secret")
    func redacted() {
        var dumped = ""
        dump(details, to: &dumped)
        for text in ["\(details)", String(reflecting: details), dumped] {
            #expect(!text.contains("canary"))
            #expect(text.contains("Home"))
        }
    }

    @Test("Encodes under the documented keys")
    func keys() throws {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(details)) as? [String: String]
        #expect(
            object == [
                "ssid": "Home", "password": "canary-password", "sessionKey": "canary-session-key",
                "env": "production", "region": "us",
            ])
    }

    @Test(
        "Signal thresholds",
        arguments: [(-54, 3), (-55, 3), (-56, 2), (-67, 2), (-68, 1), (-80, 1), (-81, 0), (127, 0)])
    func signal(rssi: Int, step: Int) {
        #expect(BLECamera.Signal(rssi: rssi).rawValue == step)
    }
}
