import DBus
import Dispatch

/// The machine's Bluetooth adapter, through `bluetoothd` (BlueZ 5.62 or newer) on the system bus.
struct BlueZRadio: RadioBackend {
    var bus = BusAddress.system
    /// A name such as `hci1`, or an address; nil for the first powered adapter.
    var adapter: String?
    var clock = RadioClock(ContinuousClock())

    func makeCentral(on queue: DispatchQueue) -> any CentralRadio {
        BlueZCentral(BlueZAdapter(bus: bus, preferred: adapter, queue: queue, clock: clock))
    }

    func makePeripheral(on queue: DispatchQueue) -> any PeripheralRadio {
        BlueZPeripheral(BlueZAdapter(bus: bus, preferred: adapter, queue: queue, clock: clock))
    }

    /// Looks for an adapter that is powered, for at most a second.
    /// - Parameter adapter: Only this one; nil for any.
    static func isPowered(on bus: BusAddress, adapter: String?) -> Bool {
        let reply = try? BusConnection.callAndWait(
            bus, BlueZ.service, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", timeout: .seconds(1))
        var adapters: [(path: String, properties: [String: BusValue])] = []
        for entry in reply?.first?.entries ?? [] {
            guard let path = entry.key.string, let interfaces = entry.value.entries else { continue }
            for interface in interfaces where interface.key.string == BlueZ.adapter {
                adapters.append((path, interface.value.properties ?? [:]))
            }
        }
        var choice = AdapterChoice(preferred: adapter)
        return choice.present(adapters) == [.poweredOn]
    }
}
