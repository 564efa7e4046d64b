import Dispatch
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Choice of the radio")
struct SelectionTests {
    private struct AnyBlueZ: RadioBackend {
        func makeCentral(on queue: DispatchQueue) -> any CentralRadio { AbsentRadio().makeCentral(on: queue) }
        func makePeripheral(on queue: DispatchQueue) -> any PeripheralRadio { AbsentRadio().makePeripheral(on: queue) }
    }

    private func choice(
        _ environment: [String: String] = [:], options: [String: Any] = [:],
        blueZ: @escaping RadioSelection.BlueZProbe = { _, _ in nil }
    ) -> RadioSelection.Choice {
        RadioSelection(environment: environment, blueZ: blueZ).choose(options: options)
    }

    @Test("BlueZ where an adapter is powered, else the software radio; the environment forces either")
    func selection() {
        #expect(choice().backend is SoftwareRadio)
        #expect(choice(blueZ: { _, _ in AnyBlueZ() }).backend is AnyBlueZ)
        #expect(choice(["PORCHLIGHT_RADIO": "software"], blueZ: { _, _ in AnyBlueZ() }).backend is SoftwareRadio)
        #expect(
            choice(["PORCHLIGHT_RADIO": "BlueZ"], blueZ: { forced, _ in forced ? AnyBlueZ() : nil }).backend is AnyBlueZ
        )
        let missing = choice(["PORCHLIGHT_RADIO": "bluez"])
        #expect(missing.backend is AbsentRadio)
        #expect(missing.reason.contains("no BlueZ backend"))
        #expect(choice(["PORCHLIGHT_RADIO": "wifi"]).backend is AbsentRadio)
        let named = choice(
            ["PORCHLIGHT_RADIO": "bluez"], options: [CBManagerOptionRadioDirectoryKey: "/air"],
            blueZ: { _, _ in AnyBlueZ() })
        #expect((named.backend as? SoftwareRadio)?.directory.path == "/air")
    }

    @Test("the options name the adapter, else the environment")
    func adapter() {
        let probe: RadioSelection.BlueZProbe = { _, adapter in adapter == "hci1" ? AnyBlueZ() : nil }
        #expect(choice(blueZ: probe).backend is SoftwareRadio)
        #expect(choice(["PORCHLIGHT_ADAPTER": ""], blueZ: probe).backend is SoftwareRadio)
        let chosen = choice(["PORCHLIGHT_ADAPTER": "hci1"], blueZ: probe)
        #expect(chosen.backend is AnyBlueZ)
        #expect(chosen.reason.contains("hci1"))
        let options = [CBManagerOptionAdapterKey: "hci1"]
        #expect(choice(["PORCHLIGHT_ADAPTER": "hci0"], options: options, blueZ: probe).backend is AnyBlueZ)
    }

    @Test("the radio's address comes from the options, then the environment, and must be one")
    func address() {
        let variable = ["PORCHLIGHT_RADIO_ADDRESS": "C0:00:00:00:00:01"]
        #expect((choice(variable).backend as? SoftwareRadio)?.address == RadioAddress(number: 0xC000_0000_0001))
        let option = [CBManagerOptionRadioAddressKey: "C0:00:00:00:00:02"]
        #expect(
            (choice(variable, options: option).backend as? SoftwareRadio)?.address
                == RadioAddress(number: 0xC000_0000_0002))
        #expect(choice(["PORCHLIGHT_RADIO_ADDRESS": "nonsense"]).backend is AbsentRadio)
        #expect((choice().backend as? SoftwareRadio)?.address == nil)
    }

    @Test("the environment says where radios meet")
    func directory() {
        func path(_ environment: [String: String]) -> String { RadioDirectory(environment: environment).path }
        #expect(path(["PORCHLIGHT_RADIO_DIR": "/a", "XDG_RUNTIME_DIR": "/b"]) == "/a")
        #expect(path(["XDG_RUNTIME_DIR": "/b"]) == "/b/porchlight-radio")
        #expect(path([:]) == "/tmp/porchlight-radio-\(RadioSocket.userNumber)")
    }

    @Test("conditions come from the environment, and keep their defaults where it makes no sense")
    func conditions() {
        let read = RadioConditions(environment: [
            "PORCHLIGHT_RADIO_RSSI": "-70", "PORCHLIGHT_RADIO_INTERVAL": "20", "PORCHLIGHT_RADIO_LOSS": "0.25",
            "PORCHLIGHT_RADIO_LATENCY": "5", "PORCHLIGHT_RADIO_MTU": "185",
        ])
        #expect(read.signalStrength == -70)
        #expect(read.advertisingInterval == .milliseconds(20))
        #expect(read.loss == 0.25)
        #expect(read.latency == .milliseconds(5))
        #expect(read.mtu == 185)
        let wrong = RadioConditions(environment: [
            "PORCHLIGHT_RADIO_RSSI": "loud", "PORCHLIGHT_RADIO_INTERVAL": "0", "PORCHLIGHT_RADIO_LOSS": "2",
            "PORCHLIGHT_RADIO_MTU": "22",
        ])
        #expect(wrong.signalStrength == -50)
        #expect(wrong.advertisingInterval == .milliseconds(100))
        #expect(wrong.loss == 0)
        #expect(wrong.mtu == 517)
        wrong.mtu = 5
        wrong.loss = -1
        #expect(wrong.mtu == 23)
        #expect(wrong.loss == 0)
    }
}
