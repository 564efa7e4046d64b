import Foundation
import Testing
import Wire

@Suite struct ImprovResultTests {
    private func result(_ code: ImprovCommand.Code, _ strings: String...) -> ImprovResult {
        ImprovResult(code: code, strings: strings.map { Data($0.utf8) })
    }

    @Test func layoutIsPinned() throws {
        #expect(try result(.join).encoded() == Data([1, 0, 1]))
        #expect(try result(.join, "http://x", "").encoded() == Data([1, 10, 8] + "http://x".utf8 + [0, 0xE3]))
        #expect(try result(.hostname, "hi").encoded() == Data([5, 3, 2, 0x68, 0x69, 0xDB]))
    }

    /// What py-improv-ble-client 2.0.1, the client of Home Assistant, reads as the examples of the standard.
    @Test func anotherClientReadsTheSame() throws {
        let examples: [(ImprovResult, String)] = [
            (
                result(.deviceInfo, "ESPHome", "2021.11.0", "ESP32-C3", "Temperature Monitor"),
                "032f07455350486f6d6509323032312e31312e300845535033322d43331354656d7065726174757265204d6f6e69746f7207"
            ),
            (
                result(.scan, "MyWirelessNetwork", "-60", "WPA2", "MyOtherWirelessNetwork", "-52", "WEP"),
                "043a114d79576972656c6573734e6574776f726b032d36300457504132164d794f74686572576972656c6573734e6574776f72"
                    + "6b032d3532035745509d"
            ),
        ]
        for (value, bytes) in examples {
            #expect(try value.encoded().map { String(format: "%02x", $0) }.joined() == bytes)
        }
    }

    @Test func resultsSurviveTheRoundTrip() throws {
        for value in [
            result(.join), result(.deviceInfo, "ESPHome", "2021.11.0", "ESP32-C3", "Temperature Monitor"),
            result(.scan, String(repeating: "x", count: 254)),
            ImprovResult(code: .scan, strings: [Data([0xFF, 0xFE]), Data(), Data([0])]),
        ] {
            #expect(try ImprovResult(decoding: value.encoded()) == value)
        }
    }

    @Test(
        arguments: [
            ([], WireError.length(field: "frame", actual: 0, allowed: 3...258)),
            ([UInt8](repeating: 255, count: 259), .length(field: "frame", actual: 259, allowed: 3...258)),
            ([1, 4, 5], .length(field: "frame", actual: 3, allowed: 7...7)),
            ([1, 0, 2], .value(field: "checksum", reason: "it is 2, and the sum 1")),
            ([1, 1, 1, 3], .length(field: "string", actual: 0, allowed: 1...1)),
        ] as [([UInt8], WireError)])
    func refusesOtherBytes(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try ImprovResult(decoding: Data(bytes)) }
    }

    @Test(
        arguments: [
            ("http://192.168.1.5/", true), ("HTTPS://camera.local/setup", true), ("", false), ("camera", false),
            ("javascript:alert(1)", false), ("file:///etc/passwd", false), ("http://", false), ("http:x", false),
        ])
    func onlyAPageIsARedirect(text: String, accepted: Bool) {
        #expect((result(.join, text).redirect != nil) == accepted)
        #expect(result(.scan, text).redirect == nil)
    }

    @Test func aResultWithoutStringsHasNoRedirect() {
        #expect(result(.join).redirect == nil)
        #expect(ImprovResult(code: .join, strings: [Data([0xFF])]).redirect == nil)
    }

    @Test func deviceInfoIsFourTexts() throws {
        let info = try ImprovDeviceInfo(
            result(.deviceInfo, "ESPHome", "2021.11.0", "ESP32-C3", "Monitor", "Linux", "6"))
        #expect(
            [info.firmware, info.version, info.hardware, info.name] == ["ESPHome", "2021.11.0", "ESP32-C3", "Monitor"])
        #expect(throws: WireError.missing(field: "device info")) {
            try ImprovDeviceInfo(result(.deviceInfo, "a", "b", "c"))
        }
        #expect(throws: WireError.notText(field: "device info")) {
            try ImprovDeviceInfo(ImprovResult(code: .deviceInfo, strings: [Data([0xFF]), Data(), Data(), Data()]))
        }
        #expect(throws: WireError.value(field: "device info", reason: "an answer to command 4")) {
            try ImprovDeviceInfo(result(.scan, "a", "b", "c", "d"))
        }
    }

    // MARK: Pieces

    @Test(arguments: 1...40)
    func anyCutIsPutTogether(size: Int) throws {
        let whole = try result(.scan, "Home", "-60", "WPA2", "Café", "-70", "NO").encoded()
        var assembler = ImprovResultAssembler()
        var results: [ImprovResult] = []
        for _ in 0..<2 {
            for start in stride(from: 0, to: whole.count, by: size) {
                if let result = try assembler.receive(Data(whole[start..<min(start + size, whole.count)])) {
                    results.append(result)
                }
            }
        }
        let expected = try ImprovResult(decoding: whole)
        #expect(results == [expected, expected])
        #expect(!assembler.isIncomplete)
    }

    @Test func aFrameThatWasCutOffDoesNotSwallowTheNext() throws {
        let long = try result(.scan, "Home", "-60", "WPA2").encoded()
        let short = try result(.join, "http://camera.local").encoded()
        var assembler = ImprovResultAssembler()
        #expect(try assembler.receive(long.prefix(9)) == nil)
        #expect(assembler.isIncomplete)
        #expect(try assembler.receive(short) == ImprovResult(decoding: short))
        #expect(!assembler.isIncomplete)
        #expect(try assembler.receive(long.prefix(9)) == nil)
        assembler.reset()
        #expect(try assembler.receive(long) == ImprovResult(decoding: long))
    }

    @Test func anErrorIsForgotten() throws {
        var assembler = ImprovResultAssembler()
        #expect(throws: WireError.length(field: "frame", actual: 0, allowed: 3...258)) { try assembler.receive(Data()) }
        #expect(throws: WireError.value(field: "checksum", reason: "it is 9, and the sum 1")) {
            try assembler.receive(Data([1, 0, 9]))
        }
        #expect(throws: WireError.length(field: "frame", actual: 4, allowed: 3...3)) {
            try assembler.receive(Data([1, 0, 1, 1]))
        }
        #expect(try assembler.receive(Data([1, 0, 1])) == result(.join))
    }

    @Test func anEndlessResultIsNotKept() throws {
        var assembler = ImprovResultAssembler()
        var random = SeededGenerator(seed: 8004)
        for _ in 0..<20_000 {
            let piece = random.data(count: Int.random(in: 0...300, using: &random))
            guard let result = try? assembler.receive(piece) else { continue }
            #expect(try ImprovResult(decoding: result.encoded()) == result)
        }
    }
}
