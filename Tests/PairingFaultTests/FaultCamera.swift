import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Wire

@testable import CameraDevice

/// The camera's side of pairing, whole but for the network and the cloud behind it: each attempt ends as the test says.
///
/// Safe from any thread.
final class FaultCamera: Sendable {
    /// Hears a list, joins nothing.
    private struct ListedNetworks: NetworkJoiner {
        var heard: [HeardNetwork]
        var summary: String { "listed networks" }
        var managesWiFi: Bool { true }
        var joinsFiveGigahertz: Bool { true }
        func scan() async -> [HeardNetwork] { heard }
        func join(_ network: NetworkCredentials) async throws(PairingFailure) { throw .internalFault }
        func keep() async {}
        func goBack() async {}
        func resume(_ network: NetworkCredentials?) async {}
        func hasAnotherWay() async -> Bool { true }
        func signalStrength() async -> Int? { nil }
    }

    /// What was applied, in order, for one reader.
    private let applied: AsyncStream<PairingCredentials>
    /// As apps show it.
    let name: String
    private let peripheral: PairingPeripheral
    private let reading: Task<Void, Never>
    private let isHeld = Locked(false)

    /// - Parameters:
    ///   - identity: A new one if not given.
    ///   - failure: How each attempt ends, unless it is held; nil: the camera is paired.
    init(
        _ layout: PairingLayout, _ radio: PairingAir.Radio = .camera, in air: PairingAir,
        identity: CameraIdentity? = nil,
        heard: [HeardNetwork] = FaultCamera.someNetworks, failure: PairingFailure? = .networkNotFound
    ) throws {
        let identity = try identity ?? Self.identity()
        name = "Camera " + identity.deviceID.rawValue.suffix(4)
        let verifiers = layout == .protected ? try Self.verifiers(identity) : nil
        let peripheral = try PairingPeripheral(
            identity: identity, model: "Faulty", layouts: PairingInfo.Layouts(layout),
            verifiers: verifiers, joiner: ListedNetworks(heard: heard), clock: air.clock,
            options: air.options(radio))
        self.peripheral = peripheral
        let (applied, taken) = AsyncStream<PairingCredentials>.makeStream()
        self.applied = applied
        reading = Task { [isHeld] in
            for await output in peripheral.outputs {
                guard case .credentials(let credentials) = output else { continue }
                if let failure {
                    if !isHeld.withLock({ $0 }) { peripheral.attempt(.failed(failure)) }
                } else {
                    peripheral.attempt(.joined)
                    peripheral.attempt(.registered)
                }
                taken.yield(credentials)
            }
        }
    }

    func start() async throws { try await peripheral.start() }

    func stop() async {
        await peripheral.stop()
        await reading.value
    }

    /// The next that was applied.
    func credentials() async throws -> PairingCredentials {
        for await credentials in applied { return credentials }
        throw CancellationError()
    }

    /// The next attempt goes on until ``release(_:)``.
    func hold() { isHeld.withLock { $0 = true } }

    func release(_ failure: PairingFailure) {
        isHeld.withLock { $0 = false }
        peripheral.attempt(.failed(failure))
    }

    /// Stretched as little as may be: many cameras are made here.
    private static func verifiers(_ identity: CameraIdentity) throws -> PasswordVerifiers {
        let least = ExchangeWelcome.Stretching(
            salt: Data(repeating: 7, count: 16), logN: 10, r: 1, p: 1)
        return try PasswordVerifiers(.random(), deviceID: identity.deviceID, stretching: least)
    }

    static func identity() throws -> CameraIdentity {
        try CameraIdentity.loaded(from: StateDirectory(path: TemporaryDirectory().path("camera")))
    }

    static let someNetworks = ["Home", "Guest", "Attic"].map {
        HeardNetwork(ssid: Data($0.utf8), security: $0 == "Guest" ? .open : .wpa2, rssi: -50, bands: .twoGigahertz)
    }
}
