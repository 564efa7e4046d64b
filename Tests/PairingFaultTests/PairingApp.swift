import Basics
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Wire

@testable import CameraPairing

/// An app that pairs a camera step by step, as the guide has it. Safe from any thread.
final class PairingApp: Sendable {
    /// What it is at.
    enum Step: Int, Sendable, CaseIterable {
        case finding, connecting, deviceID, networks, credentials
    }

    let ble: BLEManager
    private let current = Locked(Step.finding)

    init(
        _ radio: PairingAir.Radio = .app, in air: PairingAir, limits: PairingFlow.Limits = PairingFlow.Limits()
    ) {
        ble = BLEManager(clock: air.clock, centralOptions: air.options(radio), limits: limits)
    }

    /// The step that is under way, or failed.
    var step: Step { current.withLock { $0 } }

    /// The whole flow; the link is up to the layout at the end.
    /// - Throws: ``CameraPairing/CameraPairingError``, or that a step took longer than it may.
    func pair(_ camera: String, _ details: WiFiDetailModel) async throws {
        try await connect(to: camera)
        _ = try await listNetworks { $0.contains { $0.ssid == details.ssid } }
        try await write(details)
    }

    /// Hands the credentials over.
    /// - Returns: What the camera told of its attempt, where the layout lets it.
    @discardableResult
    func write(_ details: WiFiDetailModel) async throws -> PairingOutcome? {
        begin(.credentials)
        try await ble.write(details)
        // The link goes on the standard layout, and stays on the others until the camera has told.
        for await (outcome, status) in ble.$pairingOutcome.combineLatest(ble.$cameraConnectionStatus).values {
            if let outcome { return outcome }
            guard status != .connected else { continue }
            if let failure = ble.failure { throw failure }
            return nil
        }
        throw CancellationError()
    }

    /// Until the camera takes commands and has said who it is.
    /// - Parameter before: Called when a step is about to begin.
    func connect(
        to camera: String, before: @Sendable (Step) async throws -> Void = { _ in }
    ) async throws {
        begin(.finding)
        ble.startScan()
        let cameras = try await ble.$cameraList.first(failing: ble.$failure) { $0.contains { $0.name == camera } }
        guard let found = cameras.first(where: { $0.name == camera }) else { throw CancellationError() }
        begin(.connecting)
        try await ble.connect(to: found)
        try await before(.deviceID)
        begin(.deviceID)
        _ = try await ble.deviceId()
    }

    func listNetworks(
        until condition: @escaping @Sendable ([WifiNetwork]) -> Bool
    ) async throws -> [WifiNetwork] {
        begin(.networks)
        return try await ble.networks(where: condition)
    }

    /// Ends the link.
    func hangUp() async throws {
        ble.disconnect()
        try await isUnlinked()
    }

    /// Returns when a link that failed is gone, or has been let go now.
    func isReleased() async throws {
        ble.disconnect()
        try await isUnlinked()
    }

    /// Returns when the app knows of no link.
    func isUnlinked() async throws {
        for await status in ble.$cameraConnectionStatus.values where status != .connected { return }
    }

    private func begin(_ step: Step) { current.withLock { $0 = step } }
}

extension CameraPairingError {
    /// Whether it says that the link went away.
    var isLoss: Bool {
        switch self {
        case .linkLost, .connectionFailed: true
        default: false
        }
    }
}

/// Credentials that the tests hand over.
enum Handover {
    static let protected = WiFiDetailModel(
        ssid: "Home", password: "porchlight", sessionKey: "0123456789abcdef", env: "production", region: "us")
    /// Without a password: one that was left from an attempt before would be refused.
    static let open = WiFiDetailModel(
        ssid: "Guest", password: "", sessionKey: "fedcba9876543210", env: "staging", region: "apac")

    static func credentials(_ details: WiFiDetailModel) throws -> PairingCredentials {
        try PairingCredentials(
            ssid: Data(details.ssid.utf8), password: Secret(details.password), sessionKey: Secret(details.sessionKey),
            region: ServerRegion(nameOrCode: details.region) ?? .us,
            environment: ServerEnvironment(nameOrCode: details.env) ?? .production)
    }
}
