import Foundation
import TestSupport
import Testing
import Wire

/// `docs/pairing-protocol.md` says what the code does: its examples are decoded and its tables compared.
@Suite struct PairingProtocolTests {
    private let document: ProtocolDocument

    init() throws { document = try ProtocolDocument("pairing-protocol.md") }

    @Test func everyExampleIsChecked() {
        #expect(
            document.examples.map(\.name) == [
                "advertisement", "info", "scan-command", "network-record", "frames", "status", "requests", "answers",
                "position", "fields", "handshake", "code-protected", "code-open",
                "standard", "chunked", "protected",
            ])
    }

    @Test func advertisement() throws {
        let failed = PairingAdvertisement(
            state: PairingState(phase: .failed, failure: .wrongPassword), layouts: [.standard, .chunked, .protected])
        #expect(try document.values("advertisement") == [failed.manufacturerData])
        #expect(try document.values("advertisement").map { PairingAdvertisement(manufacturerData: $0) } == [failed])
        let id = DeviceID(publicKeyDigest: [UInt8](repeating: 0, count: 15))
        #expect(document.text.contains("local name: `\(PairingService.advertisedNamePrefix)`"))
        #expect(id.ending.count == 4)
    }

    @Test func info() throws {
        let expected = [
            PairingInfo(layouts: .standard, capabilities: [.managesWiFi, .fiveGigahertz], model: "Stoop 1"),
            PairingInfo(layouts: .standard, capabilities: [], model: ""), stoop,
        ]
        #expect(try document.values("info").map { try PairingInfo(decoding: $0) } == expected)
        #expect(try expected.map { try $0.encoded() } == document.values("info"))
    }

    private let stoop = PairingInfo(
        layouts: [.standard, .chunked, .protected], capabilities: [.managesWiFi, .fiveGigahertz, .setupCode],
        model: "Stoop 2")

    @Test func scanCommand() throws {
        #expect(try document.values("scan-command") == [Data([NetworkScanCommand.scan.rawValue])])
    }

    private let demo = NetworkListRecord.network(
        HeardNetwork(
            ssid: Data("Porchlight Demo".utf8), security: .wpa2, rssi: -48, bands: [.twoGigahertz, .fiveGigahertz]))

    private let guest = NetworkListRecord.network(
        HeardNetwork(ssid: Data("Guest".utf8), security: .open, rssi: -88, bands: .twoGigahertz))

    @Test func networkRecords() throws {
        let expected = [demo, guest, .end(count: 2), .failed]
        #expect(try document.values("network-record").map { try NetworkListRecord(decoding: $0) } == expected)
        #expect(try expected.map { try $0.encoded() } == document.values("network-record"))
    }

    @Test func frames() throws {
        let values = try document.values("frames")
        var reassembler = FrameReassembler()
        let records = try values.compactMap { try reassembler.receive($0) }.map { try NetworkListRecord(decoding: $0) }
        #expect(records == [demo, .end(count: 1)])
        let written = try records.enumerated().flatMap { index, record in
            try Frame.split(record.encoded(), message: UInt8(index), limit: 23 - 3).map(\.encoded)
        }
        #expect(written == values)
    }

    @Test func status() throws {
        #expect(
            try document.values("status").map { try PairingState(decoding: $0) } == [
                PairingState(phase: .waiting), PairingState(phase: .joining),
                PairingState(phase: .failed, failure: .wrongPassword),
            ])
    }

    @Test func requests() throws {
        let credentials = try PairingCredentials(
            ssid: Data("Guest".utf8), security: .open, password: Secret(""),
            sessionKey: Secret("8Zk3vQ1nT0xWb6RgYc2uLw"),
            region: .us, environment: .dev)
        let expected: [ExchangeRequest] = [
            .hello(conversation: 0xA1B2), .scan, .credentials(CredentialFields(credentials)), .state,
        ]
        #expect(try document.values("requests").map { try ExchangeRequest(decoding: $0) } == expected)
        #expect(try document.values("requests") == expected.map(\.encoded))
    }

    @Test func answers() throws {
        let expected: [ExchangeAnswer] = [
            .welcome(ExchangeWelcome(info: stoop, deviceID: nil, state: PairingState(phase: .waiting))), .record(guest),
            .record(.end(count: 1)), .answer(.init(message: 2)),
            .answer(.init(message: 2, refusal: .length, field: .password)),
            .state(PairingState(phase: .failed, failure: .wrongPassword)),
        ]
        let read = try document.values("answers").map { try ExchangeAnswer.addressed(decoding: $0) }
        #expect(read.map(\.answer) == expected)
        #expect(read.allSatisfy { $0.conversation == 0xA1B2 })
        #expect(try document.values("answers") == expected.map { try $0.encoded(for: 0xA1B2) })
    }

    @Test func position() throws {
        let expected = [
            ExchangePosition(message: 3, progress: .underWay, firstMissing: 5),
            ExchangePosition(message: 3, progress: .complete),
        ]
        #expect(try document.values("position").map { try ExchangePosition(decoding: $0) } == expected)
        #expect(try document.values("position") == expected.map(\.encoded))
    }

    @Test func handshake() throws {
        let example = try #require(document.examples("handshake").first)
        var messages: [Data] = []
        var message = Data()
        for (line, bytes) in zip(example.lines, try example.values()) {
            message += bytes
            guard line.contains(";") else { continue }
            messages.append(message)
            message = Data()
        }
        try #require(messages.count == 7)

        let code = try SetupCode("13572468")
        var x = RepeatedByte(0x1F)
        var client = try ProtectedClientHandshake(hello: messages[0], welcome: messages[1], code: code, using: &x)
        let verifier = try PasswordVerifier(
            code: code, stretching: #require(client.welcome.stretching), deviceID: client.welcome.deviceID)
        var y = RepeatedByte(0x2E)
        var camera = try ProtectedCameraHandshake(
            hello: messages[0], welcome: messages[1], share: client.shareBytes, verifier: verifier, using: &y)
        #expect(client.share.encoded == messages[2])
        #expect(try camera.answer.encoded(for: 0xA1B2) == messages[3])
        var (confirm, ofClient) = try client.finish(
            share: camera.answerBytes.share, confirmation: camera.answerBytes.confirmation)
        #expect(confirm.encoded == messages[4])
        var ofCamera = try camera.finish(confirmation: confirm.confirmationBytes)
        let answer = try ofCamera.seal(ExchangeAnswer.answer(.init(message: 2)).encodedForSealing())
        #expect(try ExchangeAnswer.sealed(answer).encoded(for: 0xA1B2) == messages[5])
        #expect(try ExchangeRequest.sealed(ofClient.seal(ExchangeRequest.scan.encoded)).encoded == messages[6])
    }

    @Test func layouts() throws {
        let rows = try document.table("| layout | bit | service")
        #expect(rows.map { $0[0] } == PairingLayout.allCases.map { "\($0)" })
        #expect(rows.map { Int($0[1]).map { UInt8(1 << $0) } } == PairingLayout.allCases.map(\.rawValue))
        #expect(rows.map { $0[2] } == PairingLayout.allCases.map { "`\($0.service)`" })
        for exchange in PairingLayout.allCases.compactMap(\.exchange) {
            #expect(document.text.contains("`\(exchange.prefix(8))-…`"))
        }
    }

    @Test func fields() throws {
        let values = try document.values("fields")
        #expect(values.count == 5)
        let security = try #require(WiFiSecurity(rawValue: values[1][0]))
        let credentials = try PairingCredentials(
            ssid: values[0], security: security, password: Secret(""),
            sessionKey: Secret(String(decoding: values[2], as: UTF8.self)),
            region: #require(ServerRegion(nameOrCode: String(decoding: values[3], as: UTF8.self))),
            environment: #require(ServerEnvironment(nameOrCode: String(decoding: values[4], as: UTF8.self))))
        #expect(credentials.ssid == Data("Guest".utf8))
        #expect(credentials.sessionKey.revealed == "8Zk3vQ1nT0xWb6RgYc2uLw")
        #expect(credentials.region == .us)
        #expect(credentials.environment == .production)
    }

    @Test func codes() throws {
        let protected = try #require(document.examples("code-protected").first).text
        let credentials = try QRPayload.decode(Data(protected.utf8))
        #expect(credentials.ssid == Data("Porchlight Demo".utf8))
        #expect(credentials.security == .wpa2)
        #expect(credentials.password.revealed == "porchlight")
        #expect(try QRPayload.encode(credentials).revealed == protected)

        let open = try #require(document.examples("code-open").first).text
        let guest = try QRPayload.decode(Data(open.utf8))
        #expect(guest.security == .open)
        #expect(guest.region == .apac)
        #expect(guest.environment == .staging)
        #expect(try QRPayload.encode(guest).revealed == open)
    }

    @Test func characteristics() throws {
        let rows = try document.table("| UUID | name | properties")
        #expect(rows.count == PairingService.Characteristic.allCases.count)
        for (row, characteristic) in zip(rows, PairingService.Characteristic.allCases) {
            #expect(row[0] == "`\(characteristic.rawValue.prefix(8))-…`")
            #expect(row[1] == "\(characteristic)")
            #expect(characteristic.rawValue.dropFirst(8) == PairingService.standardLayout.dropFirst(8))
        }
    }

    @Test func securityCodes() throws {
        let rows = try document.table("| code | meaning | a camera joins it")
        #expect(rows.map { UInt8($0[0]) } == WiFiSecurity.allCases.map(\.rawValue))
        for (row, security) in zip(rows, WiFiSecurity.allCases) {
            let joins =
                (try? PairingCredentials(
                    ssid: Data([1]), security: security, password: Secret(security == .open ? "" : "password"),
                    sessionKey: Secret("0123456789abcdef"), region: .us, environment: .dev)) != nil
            #expect(row[2].hasPrefix(joins ? "yes" : "no"))
        }
    }

    @Test func stateCodes() throws {
        let phases = try document.table("| phase | meaning")
        #expect(phases.map { UInt8($0[0]) } == PairingState.Phase.allCases.map(\.rawValue))
        let failures = try document.table("| failure | name | meaning").dropFirst()
        #expect(failures.map { UInt8($0[0]) } == PairingFailure.allCases.map(\.code))
        #expect(failures.map { $0[1] } == PairingFailure.allCases.map(\.rawValue))
    }

    @Test func refusals() throws {
        let rows = try document.table("| code | name | meaning")
        #expect(rows.map { Int($0[0].dropFirst(2), radix: 16) } == PairingService.WriteRefusal.allCases.map(\.rawValue))
        #expect(rows.map { $0[1] } == PairingService.WriteRefusal.allCases.map { "\($0)" })
    }

    @Test func limits() {
        #expect(PairingService.stagedFieldsLifetime == .seconds(60))
        #expect(document.text.contains("it has written nothing for 60 s"))
        #expect(Frame.maximumMessageBytes == 4_096)
        #expect(document.text.contains("A message has at most 4,096 bytes, a frame at most 512."))
        #expect(QRPayload.maximumBytes == 256)
        #expect(document.text.contains("It has at most 256 bytes."))
    }
}
