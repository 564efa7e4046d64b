import DBus
import Dispatch
import Foundation
import TestSupport

/// The real bluetoothd, as another program of the machine deals with it.
final class BlueZDaemon: Sendable {
    enum Failure: Error, CustomStringConvertible {
        case tooFewAdapters(Int)
        case busy(String)

        var description: String {
            switch self {
            case .tooFewAdapters(let count): "bluetoothd has \(count) adapters, a test needs two at least"
            case .busy(let what): "an earlier test has left \(what)"
            }
        }
    }

    private typealias Objects = [(path: String, interfaces: [String: [String: BusValue]])]

    private let queue: DispatchQueue
    private let connection: BusConnection

    init() throws {
        let queue = DispatchQueue(label: "test.daemon")
        self.queue = queue
        connection = try queue.sync { try BusConnection(queue: queue) }
    }

    @discardableResult
    private func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) async throws -> [BusValue] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [connection] in
                connection.call("org.bluez", path, interface, member, arguments) { continuation.resume(with: $0) }
            }
        }
    }

    private func objects() async throws -> Objects {
        let reply = try await call("/", BusName.objectManager, "GetManagedObjects")
        return (reply.first?.entries ?? []).compactMap { entry in
            guard let path = entry.key.string else { return nil }
            var interfaces: [String: [String: BusValue]] = [:]
            for interface in entry.value.entries ?? [] {
                interfaces[interface.key.string ?? ""] = interface.value.properties ?? [:]
            }
            return (path, interfaces)
        }
    }

    /// Object paths of the adapters, in their order.
    func adapters() async throws -> [String] {
        try await objects().filter { $0.interfaces["org.bluez.Adapter1"] != nil }.map(\.path).sorted()
    }

    func setPowered(_ isPowered: Bool, _ adapter: String) async throws {
        try await call(
            adapter, "org.freedesktop.DBus.Properties", "Set",
            ["org.bluez.Adapter1", "Powered", .variant(.bool(isPowered))])
    }

    /// Switches every adapter on, forgets every device, and waits until connections and advertisements are gone.
    func clear() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while let what = try await leftover() {
            if ContinuousClock.now > deadline { throw Failure.busy(what) }
            // The daemon does not say when it is done with everything.
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Waits until no device is connected: taking a connection down takes the daemon two seconds.
    func disconnected() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while let (path, _) = try await objects().first(where: {
            $0.interfaces["org.bluez.Device1"]?["Connected"]?.bool == true
        }) {
            if ContinuousClock.now > deadline { throw Failure.busy("\(path) connected") }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Something that is not as it is when nobody uses the daemon, on its way to be; nil if there is nothing.
    private func leftover() async throws -> String? {
        var found: String?
        for (path, interfaces) in try await objects() {
            if let device = interfaces["org.bluez.Device1"] {
                let isConnected = device["Connected"]?.bool == true
                found = "\(path)\(isConnected ? ", connected" : "")"
                // BlueZ 5.66 can crash when a device is removed while its connection is taken down: one after the other.
                // Gone by itself meanwhile, if this fails.
                if isConnected {
                    _ = try? await call(path, "org.bluez.Device1", "Disconnect")
                } else {
                    _ = try? await call(
                        String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), "org.bluez.Adapter1",
                        "RemoveDevice", [.path(path)])
                }
            }
            if let adapter = interfaces["org.bluez.Adapter1"] {
                if adapter["Powered"]?.bool == false {
                    found = "\(path) switched off"
                    try await setPowered(true, path)
                }
                if adapter["Discovering"]?.bool == true { found = "\(path) discovering" }
            }
            if let advertising = interfaces["org.bluez.LEAdvertisingManager1"],
                advertising["ActiveInstances"]?.int != 0
            {
                found = "\(path) advertising"
            }
        }
        return found
    }
}
