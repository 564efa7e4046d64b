import CoreBluetooth
import Foundation

/// The software radio in a temporary directory.
final class SoftwareAirFixture: AirFixture {
    let directory: URL
    var radio: URL { directory.appendingPathComponent("air") }
    var state: URL { directory.appendingPathComponent("state") }

    init() throws {
        // Short: a socket's path has at most 107 bytes.
        directory = URL(fileURLWithPath: "/tmp/pr-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func central(_ conditions: RadioConditions?) -> [String: Any] { options(conditions) }

    func peripheral(_ conditions: RadioConditions?) -> [String: Any] { options(conditions) }

    func peripheral(at address: String) -> [String: Any] {
        options(nil).merging([CBManagerOptionRadioAddressKey: address]) { $1 }
    }

    func setPowered(_ isPowered: Bool, _ conditions: RadioConditions) { conditions.isPowered = isPowered }

    private func options(_ conditions: RadioConditions?) -> [String: Any] {
        [
            CBManagerOptionRadioDirectoryKey: radio.path, CBManagerOptionStateDirectoryKey: state.path,
            CBManagerOptionRadioConditionsKey: conditions ?? Self.quick(),
        ]
    }

    /// Conditions in which a peripheral is found quickly.
    static func quick() -> RadioConditions {
        let conditions = RadioConditions()
        conditions.advertisingInterval = .milliseconds(20)
        return conditions
    }
}
