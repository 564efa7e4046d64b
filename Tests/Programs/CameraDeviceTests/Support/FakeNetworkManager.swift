import Basics
import DBus
import Dispatch
import TestSupport

@testable import CameraDevice

/// Plays NetworkManager on a test's bus, as far as a camera asks it. Safe from any thread.
final class FakeNetworkManager: Sendable {
    /// What it says of every interface.
    enum Answer: Sendable {
        case managed, unmanaged, unknownDevice, noDevice, accessDenied
    }

    private static let service = NetworkManager.service

    private let answer: Answer
    private let queue = DispatchQueue(label: "fake.network-manager")
    private let connection: BusConnection
    private let export = Locked<BusSubscription?>(nil)

    static func start(on bus: PrivateBus, _ answer: Answer) async throws -> FakeNetworkManager {
        let fake = try FakeNetworkManager(bus, answer)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            fake.queue.async {
                do {
                    let export = try fake.connection.export(at: "/") { [answer] call in Self.reply(answer, to: call) }
                    fake.export.withLock { $0 = export }
                } catch {
                    return continuation.resume(throwing: error)
                }
                fake.connection.requestName(service) { continuation.resume(with: $0.mapError { $0 as any Error }) }
            }
        }
        return fake
    }

    private init(_ bus: PrivateBus, _ answer: Answer) throws {
        self.answer = answer
        connection = try BusConnection(.address(bus.address), queue: queue)
    }

    private static func reply(_ answer: Answer, to call: BusMethodCall) {
        switch (call.member, answer) {
        case (_, .accessDenied): call.fail(BusError.accessDenied, "not for this account")
        case ("GetDeviceByIpIface", .unknownDevice):
            call.fail(service + ".UnknownDevice", "No device found for the requested iface.")
        case ("GetDeviceByIpIface", .noDevice): call.reply()
        case ("GetDeviceByIpIface", _): call.reply([.path("/org/freedesktop/NetworkManager/Devices/3")])
        case ("Get", _): call.reply([.variant(.bool(answer == .managed))])
        default: call.refuse()
        }
    }
}
