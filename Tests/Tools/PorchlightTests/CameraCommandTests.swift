import CameraDevice
import Foundation
import Testing
import Wire

@testable import porchlight

@Suite("What 'porchlight camera' takes and says")
struct CameraCommandTests {
    private func configuration(_ words: [String]) throws -> CameraConfiguration {
        let address = try #require(URL(string: "http://192.0.2.1:8080"))
        var configuration = CameraConfiguration(
            stateDirectory: "/nowhere", destinations: try CameraDestinations(everywhere: address))
        try CameraCommand.readPairing(Arguments(words, options: CameraCommand.options), into: &configuration)
        return configuration
    }

    @Test("Without a word it offers all layouts")
    func defaults() throws {
        let configuration = try configuration([])
        #expect(configuration.layouts == [.standard, .chunked, .protected])
        #expect(!configuration.requiresSetupCode && !configuration.renewsSetupCode)
        #expect(configuration.offersProtectedPairing)
    }

    static let lists: [(String, PairingInfo.Layouts)] = [
        ("standard", .standard), ("chunked,protected", [.chunked, .protected]),
        ("protected,standard,chunked,standard", [.standard, .chunked, .protected]),
    ]

    @Test("Layouts are chosen by name", arguments: lists)
    func layouts(list: String, expected: PairingInfo.Layouts) throws {
        #expect(try configuration(["--layouts", list]).layouts == expected)
    }

    @Test(
        "Wrong words and those that contradict each other are refused",
        arguments: [
            ["--layouts", ""], ["--layouts", "standard,"], ["--layouts", "Standard"], ["--layouts", "improv"],
            ["--layouts", "protected", "--require-setup-code"], ["--layouts", "standard,chunked", "--new-setup-code"],
        ])
    func refused(words: [String]) {
        #expect(throws: CommandError.self) { try configuration(words) }
    }

    @Test("A camera that insists has a code to insist on")
    func insisting() throws {
        let configuration = try configuration(["--require-setup-code", "--new-setup-code"])
        #expect(configuration.requiresSetupCode && configuration.renewsSetupCode)
        #expect(configuration.offersProtectedPairing)
    }

    @Test("Each option is in the help")
    func help() {
        for option in CameraCommand.options {
            #expect(CameraCommand.help.contains("--\(option.name)"), "\(option.name)")
        }
    }

    private func object(_ event: CameraEvent) throws -> [String: String] {
        let data = try JSONEncoder().encode(CameraEventLine(event))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return object.mapValues { "\($0)" }
    }

    @Test("An event is an object with a name, its fields and a sentence")
    func events() throws {
        let code = try SetupCode("2718-2818")
        let expected: [(CameraEvent, [String: String])] = [
            (.filming("/dev/video0"), ["event": "filming", "source": "/dev/video0"]),
            (.networks("none"), ["event": "networks"]),
            (.setupCode(code), ["event": "setup-code", "code": "2718-2818"]),
            (.setupCodeWrong(triesLeft: 4), ["event": "setup-code-wrong", "triesLeft": "4"]),
            (.pairingLocked(.seconds(60)), ["event": "pairing-locked", "seconds": "60"]),
            (.pairingEnded, ["event": "pairing-ended"]),
            (.advertising(name: "PORCH-8VYJ"), ["event": "advertising", "name": "PORCH-8VYJ"]),
            (.clientConnected, ["event": "client-connected"]),
            (.clientDisconnected, ["event": "client-disconnected"]),
            (.credentialsReceived(ssid: "Home"), ["event": "credentials-received", "ssid": "Home"]),
            (.joining(ssid: "Home"), ["event": "joining", "ssid": "Home"]),
            (.joined(ssid: "Home"), ["event": "joined", "ssid": "Home"]),
            (.registered(name: "Porch"), ["event": "registered", "name": "Porch"]),
            (.pairingFailed(.wrongPassword), ["event": "pairing-failed", "failure": "wrongPassword"]),
            (.online, ["event": "online"]),
            (
                .offline(reason: "refused", retryIn: .milliseconds(1500)),
                ["event": "offline", "reason": "refused", "seconds": "1.5"]
            ),
            (.viewerJoined(viewers: 2), ["event": "viewer-joined", "viewers": "2"]),
            (.viewerLeft(viewers: 1), ["event": "viewer-left", "viewers": "1"]),
            (.removed, ["event": "removed"]),
            (.failed(.badModelName), ["event": "failed", "reason": "\(CameraError.badModelName)"]),
        ]
        for (event, fields) in expected {
            var object = try object(event)
            #expect(object.removeValue(forKey: "text") == "\(event)")
            #expect(object == fields)
        }
    }

    @Test("The code is on its line, and in no other text")
    func setupCode() throws {
        let line = CameraEventLine(.setupCode(try SetupCode("2718-2818")))
        #expect(line.line.hasPrefix("Setup code 2718-2818,"))
        #expect(!line.text.contains("2718"))
        #expect(CameraEventLine(.online).line == "online")
    }
}
