import Basics
import DBus

/// A peripheral's services as objects on the bus, and what the daemon knows of them.
///
/// Each service is a GATT application of its own, so that adding and removing one leaves the handles of the others alone,
/// and centrals are told of that one. A service that includes others shares an application with them, because the daemon
/// looks for them nowhere else (BlueZ 5.66, src/gatt-database.c): for that, theirs are registered anew. Confined to the
/// adapter's queue.
final class PublishedServices: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the adapter's queue only.

    /// What stands at an object path.
    enum Attribute: Sendable {
        case characteristic(LocalCharacteristic)
        case descriptor(AttributeID)
    }

    private struct Application {
        var root: String
        var tree: BusObjectTree
        var services: [LocalService]
        /// The adapter that it was registered at.
        var adapter: String
    }

    private typealias Step = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private let adapter: BlueZAdapter
    private let log = Log("radio")
    /// Called for methods of a characteristic or descriptor.
    private let onCall: @Sendable (Attribute, BusMethodCall) -> Void
    /// Called when characteristics have lost their subscribers.
    private let onReset: @Sendable (Set<AttributeID>) -> Void
    private var applications: [Application] = []
    private var published: [AttributeID: (local: LocalCharacteristic, path: String, tree: BusObjectTree)] = [:]
    private var lastNumber = 0
    private var steps: [Step] = []
    private var isStepping = false
    /// Services that are under way into the database; the completion of each is called once.
    private var adding: [AttributeID: RadioCompletion<Void>] = [:]
    /// Counts the databases: what was begun on an earlier one does not count any more.
    private var era = 0

    init(
        _ adapter: BlueZAdapter, onCall: @escaping @Sendable (Attribute, BusMethodCall) -> Void,
        onReset: @escaping @Sendable (Set<AttributeID>) -> Void
    ) {
        self.adapter = adapter
        self.onCall = onCall
        self.onReset = onReset
    }

    // MARK: Services

    /// Puts a service into the daemon's database.
    func add(_ service: LocalService, _ completion: @escaping RadioCompletion<Void>) {
        guard ![CBUUID(string: "1800"), CBUUID(string: "1801")].contains(service.uuid) else {
            return completion(
                .failure(.radio(.uuidNotAllowed, "service \(service.uuid) is the system's own: it is there already")))
        }
        adding[service.id] = completion
        enqueue { [weak self] done in self?.publish(service, done) ?? done() }
    }

    /// Takes a service out.
    func remove(_ service: AttributeID) {
        finish(service, .failure(.radio(.operationCancelled, "the service was removed before it was published")))
        enqueue { [weak self] done in self?.withdraw(service, done) ?? done() }
    }

    /// The daemon has lost all of it.
    func drop() {
        era += 1
        steps = []
        isStepping = false
        for application in applications {
            application.tree.close()
            // It may be another adapter that is in use now, while the daemon still has the services of the one before.
            adapter.send(application.adapter, BlueZ.gattManager, "UnregisterApplication", [.path(application.root)])
        }
        applications = []
        published = [:]
        for service in adding.keys { finish(service, .failure(.radio(.unknown, "the Bluetooth daemon went away"))) }
    }

    /// A characteristic that is published or about to be.
    func characteristic(_ id: AttributeID) -> LocalCharacteristic? { published[id]?.local }

    /// Sends a characteristic's value to all who are subscribed to it.
    /// - Returns: Whether it was sent.
    func notify(_ value: BusValue, for characteristic: AttributeID) -> Bool {
        guard let (_, path, tree) = published[characteristic] else { return false }
        do {
            try tree.notify(path, BlueZ.gattCharacteristic, "Value", value)
            return true
        } catch {
            log.warning("a value was not sent to its subscribers: \(error)")
            return false
        }
    }

    private func finish(_ service: AttributeID, _ result: RadioResult<Void>) {
        adding.removeValue(forKey: service)?(result)
    }

    // MARK: Steps, one after the other

    private func enqueue(_ step: @escaping Step) {
        steps.append(step)
        next()
    }

    private func next() {
        guard !isStepping, !steps.isEmpty else { return }
        isStepping = true
        let era = era
        steps.removeFirst()({ [weak self] in
            guard let self, self.era == era else { return }
            isStepping = false
            next()
        })
    }

    private func publish(_ service: LocalService, _ done: @escaping @Sendable () -> Void) {
        guard adding[service.id] != nil else { return done() }
        let parents = applications.filter { application in
            application.services.contains { service.includes.contains($0.id) }
        }
        guard Set(service.includes).isSubset(of: parents.flatMap { $0.services.map(\.id) }) else {
            finish(
                service.id,
                .failure(
                    .radio(
                        .invalidParameters,
                        "service \(service.uuid) includes a service that was not added before it")))
            return done()
        }
        withdrawAll(parents.map(\.root)) { [weak self] in
            guard let self else { return done() }
            let inherited = parents.flatMap(\.services)
            register(inherited + [service]) { [weak self] result in
                guard let self else { return done() }
                if case .failure = result, !inherited.isEmpty {
                    // Those that were there before are put back.
                    return register(inherited) { [weak self] restored in
                        if case .failure(let failure) = restored {
                            self?.log.error("services that were published are lost: \(failure.publicError)")
                        }
                        self?.finish(service.id, result)
                        done()
                    }
                }
                finish(service.id, result)
                done()
            }
        }
    }

    private func withdraw(_ service: AttributeID, _ done: @escaping @Sendable () -> Void) {
        guard let index = applications.firstIndex(where: { $0.services.contains { $0.id == service } }) else {
            return done()
        }
        guard applications[index].services.count > 1 else { return withdrawAll([applications[index].root], done) }
        // The daemon hears of the object's end and takes that one service out.
        let removed = applications[index].services.filter { $0.id == service }
        applications[index].services.removeAll { $0.id == service }
        for service in removed {
            let path = Self.path(of: service.id, in: applications[index].root)
            forget([service])
            applications[index].tree.remove(path)
            for characteristic in service.characteristics {
                applications[index].tree.remove(Self.path(of: characteristic.id, in: path))
                for descriptor in characteristic.descriptors {
                    applications[index].tree.remove(
                        Self.path(of: descriptor.id, in: Self.path(of: characteristic.id, in: path)))
                }
            }
        }
        done()
    }

    private func withdrawAll(_ roots: [String], _ done: @escaping @Sendable () -> Void) {
        guard let root = roots.first else { return done() }
        guard let index = applications.firstIndex(where: { $0.root == root }) else {
            return withdrawAll(Array(roots.dropFirst()), done)
        }
        let application = applications.remove(at: index)
        forget(application.services)
        let arguments = [BusValue.path(root)]
        adapter.call(application.adapter, BlueZ.gattManager, "UnregisterApplication", arguments) {
            [weak self] result in
            application.tree.close()
            if case .failure(let error) = result, error != .disconnected, let self, self.adapter.state == .poweredOn {
                log.warning("the daemon did not take services back: \(error)")
            }
            guard let self else { return done() }
            withdrawAll(Array(roots.dropFirst()), done)
        }
    }

    private func forget(_ services: [LocalService]) {
        let characteristics = services.flatMap(\.characteristics).map(\.id)
        for id in characteristics { published[id] = nil }
        onReset(Set(characteristics))
    }

    // MARK: Registration

    private func register(_ services: [LocalService], _ completion: @escaping RadioCompletion<Void>) {
        guard let connection = adapter.busConnection, let path = adapter.path else {
            return completion(.failure(.radio(.operationNotSupported, "there is no Bluetooth adapter")))
        }
        lastNumber += 1
        let root = "\(BlueZ.ownRoot)/application\(lastNumber)"
        let application: Application
        do {
            let tree = try BusObjectTree(connection, root: root)
            application = Application(root: root, tree: tree, services: services, adapter: path)
            for service in services { try export(service, in: application) }
        } catch {
            return completion(.failure(.radio(.unknown, "the services cannot be published: \(error)")))
        }
        applications.append(application)
        let era = era
        adapter.call(path, BlueZ.gattManager, "RegisterApplication", [.path(root), .properties([:])]) {
            [weak self] result in
            guard let self, self.era == era else {
                application.tree.close()
                return completion(.failure(.radio(.unknown, "the Bluetooth daemon went away")))
            }
            switch result {
            case .success: completion(.success(()))
            case .failure(let error):
                applications.removeAll { $0.root == root }
                forget(services)
                application.tree.close()
                let names = services.map { "\($0.uuid)" }.joined(separator: ", ")
                completion(.failure(RadioFailure(publishing: names, error)))
            }
        }
    }

    private func export(_ service: LocalService, in application: Application) throws(BusError) {
        let path = Self.path(of: service.id, in: application.root)
        let tree = application.tree
        var properties: [String: BusValue] = [
            "UUID": .string(service.uuid.uuidString), "Primary": .bool(service.isPrimary),
        ]
        if !service.includes.isEmpty {
            properties["Includes"] = .paths(service.includes.map { Self.path(of: $0, in: application.root) })
        }
        try tree.add(path, BlueZ.gattService, properties: properties)
        for characteristic in service.characteristics {
            let characteristicPath = Self.path(of: characteristic.id, in: path)
            var properties: [String: BusValue] = [
                "UUID": .string(characteristic.uuid.uuidString), "Service": .path(path),
                "Flags": .strings(characteristic.blueZFlags),
            ]
            // Its presence makes the daemon say who subscribes.
            if characteristic.properties.canNotify { properties["NotifyAcquired"] = false }
            try tree.add(
                characteristicPath, BlueZ.gattCharacteristic, properties: properties,
                methods: { [onCall] call in
                    onCall(.characteristic(characteristic), call)
                    return true
                })
            published[characteristic.id] = (characteristic, characteristicPath, tree)
            for descriptor in characteristic.descriptors {
                let properties: [String: BusValue] = [
                    "UUID": .string(descriptor.uuid.uuidString), "Characteristic": .path(characteristicPath),
                    "Flags": .strings(["read"]),
                ]
                try tree.add(
                    Self.path(of: descriptor.id, in: characteristicPath), BlueZ.gattDescriptor, properties: properties,
                    methods: { [onCall] call in
                        onCall(.descriptor(descriptor.id), call)
                        return true
                    })
            }
        }
    }

    /// An object's path. The daemon lays attributes out in the order in which the objects are listed, which is that of
    /// their paths: the digits keep it the order of the identifiers.
    private static func path(of id: AttributeID, in parent: String) -> String {
        let digits = String(id.number)
        return parent + "/" + String(repeating: "0", count: max(10 - digits.count, 0)) + digits
    }
}
