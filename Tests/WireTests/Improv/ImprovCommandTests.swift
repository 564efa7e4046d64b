import Foundation
import Testing
import Wire

@Suite struct ImprovCommandTests {
    private func credentials(_ ssid: String, _ password: String) throws -> ImprovCredentials {
        try ImprovCredentials(ssid: Data(ssid.utf8), password: Secret(password))
    }

    /// The example of the standard, with its sum worked out.
    @Test func credentialsAreTheExampleOfTheStandard() throws {
        let bytes = try ImprovCommand.join(credentials("MyWirelessAP", "mysecurepassword")).encoded()
        let fields = Data([0x01, 0x1E, 0x0C] + "MyWirelessAP".utf8 + [0x10] + "mysecurepassword".utf8)
        #expect(bytes.dropLast() == fields)
        #expect(bytes.last == 0xC0)
    }

    @Test func commandsWithoutDataArePinned() throws {
        #expect(try ImprovCommand.identify.encoded() == Data([2, 0, 2]))
        #expect(try ImprovCommand.deviceInfo.encoded() == Data([3, 0, 3]))
        #expect(try ImprovCommand.scan.encoded() == Data([4, 0, 4]))
        #expect(try ImprovCommand.hostname(nil).encoded() == Data([5, 0, 5]))
        #expect(try ImprovCommand.hostname("hi").encoded() == Data([5, 3, 2, 0x68, 0x69, 0xDB]))
    }

    /// What py-improv-ble-client 2.0.1 writes, the client of Home Assistant.
    @Test func anotherClientWritesTheSame() throws {
        let join = try ImprovCommand.join(credentials("Café 🏠", "porchlight 🔑")).encoded()
        #expect(hexadecimal(join) == "011b0a436166c3a920f09f8fa00f706f7263686c6967687420f09f949191")
        #expect(hexadecimal(try ImprovCommand.hostname("camera-7").encoded()) == "05090863616d6572612d37e3")
    }

    private func hexadecimal(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    @Test func commandsSurviveTheRoundTrip() throws {
        let commands: [ImprovCommand] = [
            .identify, .deviceInfo, .scan, .hostname(nil), .hostname("camera-7"), .join(try credentials("a", "")),
            .join(try credentials(String(repeating: "é", count: 16), String(repeating: "密", count: 21))),
            .join(try ImprovCredentials(ssid: Data([0xFF, 0]), password: Secret("12345678"))),
        ]
        for command in commands { #expect(try ImprovCommand(decoding: command.encoded()) == command) }
    }

    @Test(
        arguments: [
            ([], WireError.length(field: "frame", actual: 0, allowed: 3...258)),
            ([2, 0], .length(field: "frame", actual: 2, allowed: 3...258)),
            ([2, 1, 3], .length(field: "frame", actual: 3, allowed: 4...4)),
            ([2, 0, 0, 2], .length(field: "frame", actual: 4, allowed: 3...3)),
            ([2, 0, 3], .value(field: "checksum", reason: "it is 3, and the sum 2")),
            ([5, 2, 2, 65, 74], .length(field: "string", actual: 1, allowed: 2...2)),
            ([9, 0, 9], .value(field: "command", reason: "code 9 is not known")),
            ([2, 1, 0, 3], .value(field: "command", reason: "1 strings do not go with code 2")),
            ([1, 1, 0, 2], .value(field: "command", reason: "1 strings do not go with code 1")),
            ([1, 2, 0, 0, 3], .length(field: "ssid", actual: 0, allowed: 1...32)),
            ([1, 4, 1, 65, 1, 0xFF, 0x47], .notText(field: "password")),
            ([5, 2, 1, 0xFF, 0x07], .notText(field: "host name")),
        ] as [([UInt8], WireError)])
    func refusesOtherBytes(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try ImprovCommand(decoding: Data(bytes)) }
    }

    @Test func whatHasNoRoomIsNotWritten() {
        #expect(throws: WireError.length(field: "string", actual: 256, allowed: 0...255)) {
            try ImprovCommand.hostname(String(repeating: "h", count: 256)).encoded()
        }
        #expect(throws: WireError.length(field: "strings", actual: 256, allowed: 0...255)) {
            try ImprovCommand.hostname(String(repeating: "h", count: 255)).encoded()
        }
    }

    @Test(
        arguments: [
            (.open, "", true), (.open, "x", false), (.wep, "12345", true), (.wep, "1234", false),
            (.wpa, "1234567", false),
            (.wpa2, "12345678", true), (.wpa3, String(repeating: "x", count: 64), true),
            (.wpa2, String(repeating: "x", count: 65), false), (.enterprise, "12345678", false), (nil, "", true),
            (nil, "1", true), (nil, "пароль", true), (nil, String(repeating: "x", count: 65), false),
        ] as [(WiFiSecurity?, String, Bool)])
    func credentialsAreCheckedAgainstTheProtection(security: WiFiSecurity?, password: String, valid: Bool) {
        let credentials = try? ImprovCredentials(
            ssid: Data("Home".utf8), security: security, password: Secret(password))
        #expect((credentials != nil) == valid)
    }

    @Test func aDescriptionDoesNotShowThePassword() throws {
        let command = ImprovCommand.join(try credentials("Home", "correct horse"))
        var dumped = ""
        dump(command, to: &dumped)
        #expect(!"\(command)\(String(reflecting: command))\(dumped)".contains("horse"))
    }

    @Test func whatIsAcceptedIsWhatWouldBeWritten() throws {
        var random = SeededGenerator(seed: 4677)
        var accepted = 0
        for _ in 0..<20_000 {
            let data = random.data(count: Int.random(in: 0...6, using: &random)).map { $0 & 7 }
            var bytes = [UInt8.random(in: 0...6, using: &random), UInt8(data.count)] + data
            bytes.append(bytes.reduce(0, &+))
            guard let command = try? ImprovCommand(decoding: Data(bytes)) else { continue }
            accepted += 1
            #expect(try command.encoded() == Data(bytes))
        }
        #expect(accepted > 100)
    }
}
