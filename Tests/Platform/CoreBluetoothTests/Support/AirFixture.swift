import CoreBluetooth
import Foundation

/// Air in which the component tests let managers meet. One suite runs on every backend that has a fixture.
protocol AirFixture: Sendable {
    /// Options for one more central manager.
    func central(_ conditions: RadioConditions?) -> [String: Any]
    /// Options for one more peripheral manager.
    func peripheral(_ conditions: RadioConditions?) -> [String: Any]
}

/// The air of this run of the tests.
enum Air {
    /// Fresh air that nobody else breathes.
    static func fresh() throws -> any AirFixture { try SoftwareAirFixture() }
}

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
