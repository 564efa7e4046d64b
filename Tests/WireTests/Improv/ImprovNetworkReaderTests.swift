import Foundation
import Testing
import Wire

@Suite struct ImprovNetworkReaderTests {
    private func scan(_ strings: String...) -> ImprovResult {
        ImprovResult(code: .scan, strings: strings.map { Data($0.utf8) })
    }

    private func network(_ ssid: String, _ rssi: Int, _ security: WiFiSecurity) -> HeardNetwork {
        HeardNetwork(ssid: Data(ssid.utf8), security: security, rssi: rssi, bands: [])
    }

    @Test func theExampleOfTheStandard() {
        var reader = ImprovNetworkReader()
        let reading = reader.read(scan("MyWirelessNetwork", "-60", "WPA2", "MyOtherWirelessNetwork", "-52", "WEP"))
        #expect(
            reading.networks == [
                network("MyWirelessNetwork", -60, .wpa2), network("MyOtherWirelessNetwork", -52, .wep),
            ])
        #expect(reading.faults.isEmpty)
        #expect(reader.read(scan()).networks.isEmpty)
    }

    @Test func aNetworkMayGoOnInTheNextResult() {
        var reader = ImprovNetworkReader()
        #expect(reader.read(scan("Home")).networks.isEmpty)
        #expect(reader.read(scan("-60", "NO", "Shed", "-70")).networks == [network("Home", -60, .open)])
        #expect(reader.read(scan("WPA3")).networks == [network("Shed", -70, .wpa3)])
    }

    @Test func aListThatEndsInTheMiddleDoesNotSpoilTheNext() {
        var reader = ImprovNetworkReader()
        _ = reader.read(scan("Home"))
        _ = reader.read(scan())
        #expect(reader.read(scan("Shed", "-70", "WPA")).networks == [network("Shed", -70, .wpa)])
    }

    @Test(
        arguments: [
            ("NO", .open), ("no", .open), ("", .open), ("OWE", .open), ("WEP", .wep), ("WPA", .wpa), ("WPA2", .wpa2),
            ("WPA/WPA2", .wpa2), ("WPA2/WPA3", .wpa3), ("WPA3", .wpa3), ("WPA2 EAP", .enterprise),
            ("WPA2-EAP", .enterprise), ("WAPI", .wpa2), ("???", .open),
        ] as [(String, WiFiSecurity)])
    func protectionIsRead(text: String, security: WiFiSecurity) {
        var reader = ImprovNetworkReader()
        #expect(reader.read(scan("Home", "-60", text)).networks == [network("Home", -60, security)])
    }

    @Test(
        arguments: [
            ("", "-60", "NO", WireError.length(field: "ssid", actual: 0, allowed: 1...32)),
            (String(repeating: "x", count: 33), "-60", "NO", .length(field: "ssid", actual: 33, allowed: 1...32)),
            ("Home", "strong", "NO", .value(field: "strength", reason: "not a number from -128 to 127")),
            ("Home", "-129", "NO", .value(field: "strength", reason: "not a number from -128 to 127")),
            ("Home", "99999999999999999999", "NO", .value(field: "strength", reason: "not a number from -128 to 127")),
            ("Home", "", "NO", .value(field: "strength", reason: "not a number from -128 to 127")),
        ])
    func oneFaultDoesNotHideTheOthers(ssid: String, strength: String, protection: String, fault: WireError) {
        var reader = ImprovNetworkReader()
        let reading = reader.read(scan(ssid, strength, protection, "Shed", "-70", "WPA2"))
        #expect(reading.networks == [network("Shed", -70, .wpa2)])
        #expect(reading.faults == [fault])
    }

    @Test func namesAreBytesAndProtectionIsText() {
        var reader = ImprovNetworkReader()
        let strings = [
            Data([0xFF, 0xFE]), Data("-60".utf8), Data("NO".utf8), Data("A".utf8), Data("-1".utf8), Data([0xFF]),
        ]
        let reading = reader.read(ImprovResult(code: .scan, strings: strings))
        #expect(reading.networks.map(\.ssid) == [Data([0xFF, 0xFE])])
        #expect(reading.faults == [.notText(field: "protection")])
    }
}
