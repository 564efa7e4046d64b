import CoreBluetooth
import TestSupport

/// Where the radios of apps and cameras meet: in a directory of this test, or, in the radio lab, on controllers of the
/// scenario.
final class PairingAir: Sendable {
    /// Whose radio it is; each is at an adapter of its own in the lab.
    enum Radio: Int, Sendable {
        case app, camera, otherApp, otherCamera
    }

    /// What everybody here measures time with.
    let clock: any Clock<Duration>
    /// The app's part of the simulated air.
    let conditions: RadioConditions
    private let directory: TemporaryDirectory

    init(mtu: Int = 517, clock: any Clock<Duration> = ContinuousClock()) throws {
        self.clock = clock
        conditions = RadioConditions(clock: clock)
        directory = try TemporaryDirectory()
        conditions.mtu = mtu
    }

    /// Options for a manager at this radio.
    func options(_ radio: Radio) -> [String: any Sendable] {
        let state = [CBManagerOptionStateDirectoryKey: directory.path("state-\(radio)") as any Sendable]
        guard LabControl.shared == nil else {
            return state.merging([CBManagerOptionAdapterKey: "hci\(radio.rawValue)"]) { $1 }
        }
        var conditions = conditions
        if radio != .app {
            conditions = RadioConditions(clock: clock)
            conditions.advertisingInterval = .milliseconds(5)
        }
        return state.merging([
            CBManagerOptionRadioDirectoryKey: directory.path("air"),
            // A camera that starts anew is the same one to the app.
            CBManagerOptionRadioAddressKey: "C0:00:00:00:00:0\(radio.rawValue)",
            CBManagerOptionRadioConditionsKey: conditions,
        ]) { $1 }
    }
}
