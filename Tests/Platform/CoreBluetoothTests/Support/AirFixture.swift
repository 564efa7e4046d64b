import CoreBluetooth
import Foundation
import Testing

/// Air in which the component tests let managers meet. One suite runs on every backend that has a fixture.
protocol AirFixture: Sendable {
    /// Options for one more central manager.
    func central(_ conditions: RadioConditions?) -> [String: Any]
    /// Options for one more peripheral manager.
    func peripheral(_ conditions: RadioConditions?) -> [String: Any]
    /// Options for a peripheral manager at an address. Those at the same address are the same peripheral to a central.
    func peripheral(at address: String) -> [String: Any]
    /// Switches the radio of the managers that were made with these conditions, as the machine's user does.
    func setPowered(_ isPowered: Bool, _ conditions: RadioConditions) async throws
}

/// The air of this run of the tests, which `PORCHLIGHT_TEST_RADIO` chooses: `software`, or `bluez` inside the radio lab.
enum Air {
    static let isSoftware = ProcessInfo.processInfo.environment["PORCHLIGHT_TEST_RADIO"] != "bluez"

    /// The MTUs that its links can have.
    static let mtus = isSoftware ? [23, 517] : [517]

    /// The longest value that a peripheral takes. BlueZ counts the request's header.
    static let longestWrite = isSoftware ? 512 : 510

    /// What the transmit power in an advertisement comes to when -12 is asked for. BlueZ's kernel tells its own.
    static let txPower = isSoftware ? -12 : 0

    /// Services that are there without being added: bluetoothd's own.
    static let foundations: Set<CBUUID> =
        isSoftware ? [] : [CBUUID(string: "1800"), CBUUID(string: "1801"), CBUUID(string: "180A")]

    /// Fresh air that nobody else breathes.
    static func fresh() async throws -> any AirFixture {
        isSoftware ? try SoftwareAirFixture() : try await BlueZAirFixture()
    }
}

extension CBPeripheral {
    /// The discovered services that a test has added.
    var addedServices: [CBService]? { services?.filter { !Air.foundations.contains($0.uuid) } }
}

extension Trait where Self == ConditionTrait {
    /// For tests of what only the software radio can do.
    static func softwareRadio(because reason: Comment) -> Self { .enabled(if: Air.isSoftware, reason) }
}
