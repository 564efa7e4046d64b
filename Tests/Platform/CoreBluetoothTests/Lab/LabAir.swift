import CoreBluetooth
import Foundation
import TestSupport

/// The air between two controllers of the radio lab: centrals have hci0, peripherals hci1, unless others are named.
final class LabAir: AirFixture {
    let centralAdapter: String
    let peripheralAdapter: String
    private let state: TemporaryDirectory

    init(central: String = "hci0", peripheral: String = "hci1") throws {
        centralAdapter = central
        peripheralAdapter = peripheral
        state = try TemporaryDirectory()
    }

    func central(_ conditions: RadioConditions?) -> [String: Any] { options(centralAdapter) }

    func peripheral(_ conditions: RadioConditions?) -> [String: Any] { options(peripheralAdapter) }

    private func options(_ adapter: String) -> [String: Any] {
        [CBManagerOptionAdapterKey: adapter, CBManagerOptionStateDirectoryKey: state.path("state")]
    }
}
