import CoreBluetooth
import Foundation
import TestSupport
import Wire

@testable import CameraDevice

/// A pairing camera and its clients on a software radio of their own.
struct PairingAir {
    let directory: TemporaryDirectory
    let identity: CameraIdentity
    let clock = ManualClock()
    let code: SetupCode

    init() throws {
        directory = try TemporaryDirectory()
        identity = try Samples.identity()
        code = try SetupCode("2718-2818")
    }

    /// A camera that is advertised.
    func started(
        _ heard: [HeardNetwork]? = [], layouts: PairingInfo.Layouts = [.standard, .chunked, .protected],
        conditions: RadioConditions = RadioConditions()
    ) async throws -> PairingPeripheral {
        let peripheral = try PairingPeripheral(
            identity: identity, model: "Porchlight Model", layouts: layouts,
            verifiers: .cheap(code, deviceID: identity.deviceID), joiner: ScriptedNetworks(heard: heard), clock: clock,
            options: [
                CBManagerOptionRadioDirectoryKey: directory.path("air"),
                CBManagerOptionRadioConditionsKey: conditions,
            ])
        try await peripheral.start()
        return peripheral
    }

    /// A client that is connected and listens.
    func client(_ layout: PairingLayout = .chunked, conversation: UInt16 = 0xA1B2) async throws -> ExchangeClient {
        let central = TestCentral(radioDirectory: directory.path("air"), layout: layout)
        let client = ExchangeClient(central, conversation: conversation)
        try await client.connect()
        return client
    }

    /// The answer that takes a message.
    func accepted(_ number: UInt8) -> ExchangeAnswer { .answer(.init(message: number)) }

    /// The next credentials that the camera is told to join with.
    func credentials(from peripheral: PairingPeripheral) async throws -> PairingCredentials? {
        try await within(.seconds(20), "the credentials") {
            for await case .credentials(let credentials) in peripheral.outputs { return credentials }
            return nil
        }
    }

    /// 500 entries: doubled, hidden, of no text, of the full length.
    static let crowd: [HeardNetwork] = (0..<500).map { number in
        let ssid: Data =
            switch number % 5 {
            case 0: Data("network \(number)".utf8)
            case 1: Data("network \(number - 1)".utf8)
            case 2: Data()
            case 3: Data([0xFF, 0xFE, 0x00, UInt8(number % 251), UInt8(number / 251)])
            default: Data((0..<32).map { UInt8(truncatingIfNeeded: number + $0 * 7) })
            }
        return HeardNetwork(ssid: ssid, security: .wpa2, rssi: -30 - number % 60, bands: .twoGigahertz)
    }
}
