import Testing
import Wire

@Suite struct WireErrorTests {
    @Test(
        arguments: [
            (
                WireError.length(field: "ssid", actual: 40, allowed: 1...32), "ssid",
                "ssid is 40 bytes; it must be 1 to 32"
            ),
            (.notText(field: "model"), "model", "model is not valid UTF-8"),
            (.value(field: "region", reason: "not a region code"), "region", "region: not a region code"),
            (.missing(field: "record"), "record", "record is missing"),
            (.version(3), nil, "version 3 is not supported; this side speaks version 1"),
            (.frameOrder(expected: 1, received: 2), nil, "frame 2 came where 1 was due"),
            (.lines(4), nil, "a pairing code has 5 lines; this one has 4"),
        ] as [(WireError, String?, String)])
    func saysWhatIsWrongWithWhat(error: WireError, field: String?, description: String) {
        #expect(error.field == field)
        #expect("\(error)" == description)
    }
}
