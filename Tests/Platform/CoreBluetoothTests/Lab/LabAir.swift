import CoreBluetooth
import Foundation
import TestSupport

/// The radio lab's controllers for tests of faults, which name them: the app has hci0, the camera hci1.
struct LabAir {
    private static let state = Result { try TemporaryDirectory() }

    /// The options of a manager on an adapter, by name or address.
    static func options(_ adapter: String) throws -> [String: Any] {
        [
            CBManagerOptionAdapterKey: adapter,
            CBManagerOptionStateDirectoryKey: try state.get().path("state"),
        ]
    }

    /// An app whose radio is not awaited.
    static func app(on adapter: String = "hci0") throws -> CentralProbe { CentralProbe(try options(adapter)) }

    /// A camera whose radio is not awaited.
    static func camera() throws -> PeripheralProbe { PeripheralProbe(try options("hci1")) }

    /// An app whose radio is on.
    static func readyApp(on adapter: String = "hci0") async throws -> CentralProbe {
        let probe = try app(on: adapter)
        try await probe.expectState(.poweredOn)
        return probe
    }
}
