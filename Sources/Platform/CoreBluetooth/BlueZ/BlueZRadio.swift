import DBus
import Dispatch

/// The machine's Bluetooth adapter, through `bluetoothd` (BlueZ 5.66 or newer) on the system bus.
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
}
