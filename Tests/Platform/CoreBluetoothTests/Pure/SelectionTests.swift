import Dispatch
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Choice of the radio")
struct SelectionTests {
    private struct NamedBlueZ: RadioBackend {
        var adapter: String?
        func makeCentral(on queue: DispatchQueue) -> any CentralRadio { AbsentRadio(reason: "").makeCentral(on: queue) }
        func makePeripheral(on queue: DispatchQueue) -> any PeripheralRadio {
            AbsentRadio(reason: "").makePeripheral(on: queue)
        }
    }

    private func choice(
        _ environment: [String: String] = [:], options: [String: Any] = [:], bus: Bool = false
    ) -> RadioSelection.Choice {
        RadioSelection(environment: environment, hasSystemBus: { bus }, blueZ: { NamedBlueZ(adapter: $0) })
            .choose(options: options)
    }

    @Test("BlueZ where there is a system bus, whatever is on it now; else the software radio")
    func machine() {
        #expect(choice(bus: true).backend is NamedBlueZ)
        #expect(choice(["PORCHLIGHT_RADIO": ""], bus: true).backend is NamedBlueZ)
        #expect(choice(bus: false).backend is SoftwareRadio)
    }

    @Test("the environment forces either, and so does the name of the place where software radios meet")
    func forced() {
        #expect(choice(["PORCHLIGHT_RADIO": "software"], bus: true).backend is SoftwareRadio)
        #expect(choice(["PORCHLIGHT_RADIO": "BlueZ"], bus: false).backend is NamedBlueZ)
        let wrong = choice(["PORCHLIGHT_RADIO": "wifi"], bus: true)
        #expect((wrong.backend as? AbsentRadio)?.reason == wrong.reason)
        #expect(wrong.reason.contains("'bluez' or 'software'"))
        let placed = choice(["PORCHLIGHT_RADIO_DIR": "/air"], bus: true)
        #expect((placed.backend as? SoftwareRadio)?.directory.path == "/air")
        let both = choice(["PORCHLIGHT_RADIO_DIR": "/air", "PORCHLIGHT_RADIO": "bluez"])
        #expect(both.backend is NamedBlueZ)
        let named = choice(["PORCHLIGHT_RADIO": "bluez"], options: [CBManagerOptionRadioDirectoryKey: "/air"])
        #expect((named.backend as? SoftwareRadio)?.directory.path == "/air")
    }

    @Test("the options name the adapter, else the environment")
    func adapter() {
        func adapter(_ environment: [String: String], options: [String: Any] = [:]) -> String? {
            (choice(environment, options: options, bus: true).backend as? NamedBlueZ)?.adapter
        }
        #expect(adapter([:]) == nil)
        #expect(adapter(["PORCHLIGHT_ADAPTER": ""]) == nil)
        #expect(adapter(["PORCHLIGHT_ADAPTER": "hci1"]) == "hci1")
        #expect(choice(["PORCHLIGHT_ADAPTER": "hci1"], bus: true).reason.contains("hci1"))
        #expect(adapter(["PORCHLIGHT_ADAPTER": "hci0"], options: [CBManagerOptionAdapterKey: "hci1"]) == "hci1")
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
