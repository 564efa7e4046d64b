import Basics
import DBus
import Foundation
import TestSupport

@testable import CoreBluetooth

/// The peripheral side of ``FakeBlueZ``: takes applications and advertisements as `bluetoothd` 5.66 does, and calls their
/// objects as it does when centrals ask (src/gatt-database.c, src/advertising.c).
final class FakeGATTServer: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the daemon's queue only.

    /// A D-Bus error.
    struct Refusal: Error, Equatable {
        var name: String
        var message = ""
    }

    /// An object of an application.
    struct Object: Sendable {
        var path: String
        var owner: String
        var interface: String
        var properties: [String: BusValue]
        var uuid: CBUUID? { properties["UUID"]?.string.map { CBUUID(string: $0) } }
        var flags: [String] { properties["Flags"]?.strings ?? [] }
    }

    /// What a program of this machine gave.
    enum Event: Sendable {
        case registered(application: String)
        case unregistered(application: String)
        case removed(object: String)
        case advertised([String: BusValue], path: String)
        case unadvertised(String)
        case value(CBUUID, Data)
    }

    static let adapterPath = "/org/bluez/hci0"
    static let advertisementLimit = 3

    let daemon: FakeBlueZ
    let adapter: String
    let events = Recorder<Event>()
    private var applications: [(owner: String, root: String)] = []
    private(set) var objects: [Object] = []
    private var advertisements: [(owner: String, path: String)] = []
    private var signals: BusSubscription?
    /// How many subscribers the daemon counts, by the characteristic's path, and who has which value in its 2902.
    private var counts: [String: Int] = [:]
    private var configurations: [String: [String: Int]] = [:]

    /// Adds the managers' interfaces to an adapter of the daemon.
    init(
        _ daemon: FakeBlueZ, adapter: String = FakeGATTServer.adapterPath,
        interfaces: [String] = [BlueZ.gattManager, BlueZ.advertisingManager]
    ) {
        self.daemon = daemon
        self.adapter = adapter
        attach(interfaces)
    }

    /// Begins anew with a daemon that has been started again, or an adapter that was plugged in again.
    func attach(_ interfaces: [String] = [BlueZ.gattManager, BlueZ.advertisingManager]) {
        daemon.change { _ in
            applications = []
            objects = []
            advertisements = []
            counts = [:]
            configurations = [:]
            for interface in interfaces {
                try daemon.add(adapter, interface, [:]) { [weak self] _, call in self?.managerCalled(call) ?? false }
            }
            signals = daemon.connection?.observe(BusMatch()) { [weak self] signal in self?.heard(signal) }
        }
    }

    // MARK: Registration

    private func managerCalled(_ call: BusMethodCall) -> Bool {
        guard let path = call.arguments.first?.string else { return false }
        switch call.member {
        case "RegisterApplication": registerApplication(path, call)
        case "UnregisterApplication":
            guard applications.contains(where: { $0.owner == call.sender && $0.root == path }) else {
                call.fail("org.bluez.Error.DoesNotExist", "Does Not Exist")
                return true
            }
            applications.removeAll { $0.owner == call.sender && $0.root == path }
            objects.removeAll { $0.owner == call.sender && $0.path.hasPrefix(path + "/") }
            call.reply()
            events.record(.unregistered(application: path))
        case "RegisterAdvertisement": registerAdvertisement(path, call)
        case "UnregisterAdvertisement":
            guard advertisements.contains(where: { $0.owner == call.sender && $0.path == path }) else {
                call.fail("org.bluez.Error.DoesNotExist", "Does Not Exist")
                return true
            }
            advertisements.removeAll { $0.owner == call.sender && $0.path == path }
            call.reply()
            events.record(.unadvertised(path))
        default: return false
        }
        return true
    }

    private func registerApplication(_ root: String, _ call: BusMethodCall) {
        daemon.connection?.call(call.sender, root, BusName.objectManager, "GetManagedObjects") { [weak self] result in
            guard let self else { return call.fail("org.bluez.Error.Failed", "gone") }
            var found: [Object] = []
            for entry in (try? result.get())?.first?.entries ?? [] {
                for interface in entry.value.entries ?? [] {
                    found.append(
                        Object(
                            path: entry.key.string ?? "", owner: call.sender, interface: interface.key.string ?? "",
                            properties: interface.value.properties ?? [:]))
                }
            }
            guard found.contains(where: { $0.interface == BlueZ.gattService }) else {
                return call.fail("org.bluez.Error.Failed", "No valid service object found")
            }
            applications.append((call.sender, root))
            objects += found
            call.reply()
            events.record(.registered(application: root))
        }
    }

    private func registerAdvertisement(_ path: String, _ call: BusMethodCall) {
        guard advertisements.count < Self.advertisementLimit else {
            return call.fail("org.bluez.Error.NotPermitted", "Maximum advertisements reached")
        }
        let arguments = [BusValue.string(BlueZ.advertisement)]
        daemon.connection?.call(call.sender, path, BusName.properties, "GetAll", arguments) { [weak self] result in
            guard let self, let properties = (try? result.get())?.first?.properties else {
                return call.fail("org.bluez.Error.Failed", "Failed to parse advertisement.")
            }
            advertisements.append((call.sender, path))
            call.reply()
            events.record(.advertised(properties, path: path))
        }
    }

    private func heard(_ signal: BusSignal) {
        switch signal.member {
        case "PropertiesChanged":
            guard let object = objects.first(where: { $0.path == signal.path && $0.owner == signal.sender }),
                let value = signal.arguments.dropFirst().first?.properties?["Value"]?.data, let uuid = object.uuid
            else { return }
            events.record(.value(uuid, value))
        case "InterfacesRemoved":
            guard let path = signal.arguments.first?.string,
                objects.contains(where: { $0.path == path && $0.owner == signal.sender })
            else { return }
            objects.removeAll { $0.path == path && $0.owner == signal.sender }
            events.record(.removed(object: path))
        default: break
        }
    }

    /// Ends an advertisement, as a daemon does that loses its adapter or is stopped.
    func release(_ path: String) {
        daemon.queue.sync {
            guard let index = advertisements.firstIndex(where: { $0.path == path }) else { return }
            let advertisement = advertisements.remove(at: index)
            daemon.connection?.call(
                advertisement.owner, path, BlueZ.advertisement, "Release", []
            ) { _ in }
        }
    }

    /// The advertisements that are on the air.
    var onAir: [String] { daemon.queue.sync { advertisements.map(\.path) } }

    /// The objects of an interface, in the order in which they were listed.
    func objects(of interface: String) -> [Object] {
        daemon.queue.sync { objects.filter { $0.interface == interface } }
    }

    // MARK: Centrals

    /// A device that connects, as an object of the daemon's.
    func connect(_ central: FakeRemoteCentral, bonded: Bool = false) {
        daemon.change { tree in
            if tree.properties(central.path, BlueZ.device) == nil {
                let properties: [String: BusValue] = [
                    "Address": .string(central.address), "Connected": true, "Paired": .bool(bonded),
                ]
                try daemon.add(central.path, BlueZ.device, properties) { [weak self] _, call in
                    guard call.member == "Disconnect" else { return false }
                    call.reply()
                    self?.dropped(central.path)
                    return true
                }
            } else {
                try tree.set(central.path, BlueZ.device, "Connected", true)
            }
        }
    }

    /// The link of a device ends. What it was subscribed to ends with it, unless it is bonded.
    func disconnect(_ central: FakeRemoteCentral) { daemon.queue.sync { dropped(central.path) } }

    private func dropped(_ path: String) {
        let isBonded = daemon.tree?.properties(path, BlueZ.device)?["Paired"]?.bool == true
        if !isBonded {
            for characteristic in configurations.keys.sorted() {
                if (configurations[characteristic]?.removeValue(forKey: path) ?? 0) != 0 { uncount(characteristic) }
            }
        }
        try? daemon.tree?.set(path, BlueZ.device, "Connected", false)
    }

    func object(_ uuid: CBUUID) -> Object? { objects.first { $0.uuid == uuid } }

    /// Calls a method of an application's object as the daemon does, and waits for the answer.
    func call(
        _ uuid: CBUUID, _ member: String, _ arguments: [BusValue], sender: BusConnection? = nil
    ) async throws -> [BusValue] {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[BusValue], any Error>) in
            daemon.queue.async { [self] in
                guard let connection = daemon.connection, let object = object(uuid) else {
                    return continuation.resume(throwing: Refusal(name: "no such attribute"))
                }
                connection.call(object.owner, object.path, object.interface, member, arguments) { result in
                    continuation.resume(with: result.mapError { Self.refusal($0) })
                }
            }
        }
    }

    private static func refusal(_ error: BusError) -> any Error {
        if case .remote(let name, let message) = error { Refusal(name: name, message: message) } else { error }
    }

    /// Calls a method without waiting, as the daemon does for notices and for writes without response.
    func send(_ uuid: CBUUID, _ member: String, _ arguments: [BusValue] = []) {
        daemon.queue.sync {
            guard let object = object(uuid) else { return }
            try? daemon.connection?.send(object.owner, object.path, object.interface, member, arguments)
        }
    }

    /// A central writes a characteristic's 2902: 0, 1 for notifications, 2 for indications.
    func configure(_ uuid: CBUUID, _ value: Int, by central: FakeRemoteCentral) {
        daemon.queue.sync {
            guard let object = object(uuid) else { return }
            let old = configurations[object.path]?[central.path] ?? 0
            guard old != value else { return }
            configurations[object.path, default: [:]][central.path] = value
            guard value != 0 else { return uncount(object.path) }
            guard object.properties["NotifyAcquired"] != nil else { return start(object) }
            let arguments = [BusValue.properties(central.options)]
            daemon.connection?.call(object.owner, object.path, object.interface, "AcquireNotify", arguments) {
                [weak self] result in
                // Such an error makes the daemon fall back to signals; with others it lets the subscriber be.
                guard case .failure(.remote(let name, _)) = result,
                    !["org.bluez.Error.Failed", "org.freedesktop.DBus.Error.NoReply"].contains(name)
                else { return }
                self?.start(object)
            }
        }
    }

    private func start(_ object: Object) {
        counts[object.path, default: 0] += 1
        try? daemon.connection?.send(object.owner, object.path, object.interface, "StartNotify")
    }

    private func uncount(_ path: String) {
        guard let count = counts[path], count > 0 else { return }
        counts[path] = count - 1
        guard count == 1, let object = objects.first(where: { $0.path == path }) else { return }
        try? daemon.connection?.send(object.owner, path, object.interface, "StopNotify")
    }
}

/// A device that uses the fake daemon's attributes.
struct FakeRemoteCentral: Sendable {
    var number: Int
    var mtu = 100
    var adapter = FakeGATTServer.adapterPath

    var address: String { "C0:00:00:00:00:0\(number)" }
    var radioAddress: RadioAddress { RadioAddress(number: 0xC000_0000_0000 + UInt64(number)) }
    var path: String { radioAddress.devicePath(adapter: adapter) }

    /// The options that the daemon adds to a request of this device.
    var options: [String: BusValue] { options(offset: 0) }

    func options(offset: Int, _ more: [String: BusValue] = [:]) -> [String: BusValue] {
        var options: [String: BusValue] = ["device": .path(path), "link": "LE", "mtu": .uint16(UInt16(mtu))]
        if offset != 0 { options["offset"] = .uint16(UInt16(offset)) }
        return options.merging(more) { $1 }
    }
}
