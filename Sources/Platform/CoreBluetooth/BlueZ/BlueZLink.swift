import DBus
import Foundation

/// A connection to one device, through its object on the bus and those of its attributes.
///
/// Every completion is called exactly once, at the latest by ``end(_:)``. Confined to the radio's queue.
final class BlueZLink: AttributeLink, @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    enum Event: Sendable {
        case mtuChanged(Int)
        case notified(AttributeID, Data)
        case servicesChanged([AttributeID])
    }

    /// The ATT MTU before anything is agreed. (Core Specification, volume 3, part G, 5.2.1.)
    static let firstMTU = 23
    /// How long a device without services may take to show some, or to be gone.
    private static let emptyLimit = Duration.seconds(5)

    /// Generic Access and Generic Attribute, which are the system's own affair, as on Apple's.
    private static let hidden: Set<CBUUID> = [CBUUID(string: "1800"), CBUUID(string: "1801")]

    private static func isVisible(_ service: GATTTable.Service) -> Bool {
        service.isPrimary && !hidden.contains(service.uuid)
    }

    let address: RadioAddress
    let path: String
    private let adapter: BlueZAdapter
    private let deliver: @Sendable (Event) -> Void
    private let requests: AttributeRequests
    private var table: GATTTable?
    private var resolution: BusPendingCall?
    private var emptiness: RadioClock.Alarm?
    private var waiting: [@Sendable (RadioResult<GATTTable>) -> Void] = []
    private var writers: [AttributeID: CommandWriter] = [:]
    /// By the paths of their characteristics, which is how values arrive.
    private var subscriptions: [String: ValueSubscription] = [:]
    private var changes: Set<AttributeID> = []
    private var announcement: BusPendingCall?
    private var failure: RadioFailure?
    private var mtu = BlueZLink.firstMTU
    /// The daemon's table does not fit the device any more: handles that it names are refused.
    private(set) var isStale = false

    init(
        _ address: RadioAddress, path: String, _ adapter: BlueZAdapter, deliver: @escaping @Sendable (Event) -> Void
    ) {
        self.address = address
        self.path = path
        self.adapter = adapter
        self.deliver = deliver
        requests = AttributeRequests(adapter)
        if device["ServicesResolved"]?.bool == true { resolve() }
    }

    private var device: [String: BusValue] { adapter.objects?.properties(path, BlueZ.device) ?? [:] }

    // MARK: Services

    /// The device's properties changed.
    func changed(_ properties: [String: BusValue]) {
        if properties["ServicesResolved"]?.bool == true { resolve() }
    }

    /// Reads the table, once everything that the daemon has exported is known here too: it flushes its signals before
    /// it answers a call. What the answer is does not matter, nor that there is none: after that time, all is known.
    private func resolve() {
        guard table == nil, resolution == nil, failure == nil else { return }
        resolution = adapter.call(path, BusName.properties, "Get", [.string(BlueZ.device), "ServicesResolved"]) {
            [weak self] _ in
            guard let self, failure == nil else { return }
            resolution = nil
            if device["ServicesResolved"]?.bool == true { refresh() }
        }
    }

    /// Takes the daemon's objects for the device's table, unless there are none: it says 'resolved' also when it could not
    /// resolve them, shortly before it gives the connection up, and after a change it removes the old ones a while before
    /// it has found the new ones.
    private func refresh() {
        let table = readTable()
        emptiness?.cancel()
        emptiness = nil
        guard !table.services.contains(where: Self.isVisible) else { return settle(on: table) }
        self.table = nil
        emptiness = adapter.clock.after(Self.emptyLimit, on: adapter.queue) { [weak self] in
            guard let self, failure == nil, self.table == nil else { return }
            emptiness = nil
            settle(on: readTable())
        }
    }

    private func settle(on table: GATTTable) {
        self.table = table
        let waiting = waiting
        self.waiting = []
        for completion in waiting { withTable(completion) }
    }

    private func readTable() -> GATTTable {
        guard let objects = adapter.objects else { return GATTTable() }
        let table = GATTTable(device: path) { interface in objects.objects(below: path, with: interface) }
        for characteristic in table.characteristics.values.joined() {
            guard let mtu = objects.properties(characteristic.path, BlueZ.gattCharacteristic)?["MTU"]?.int else {
                continue
            }
            agreed(mtu)
            break
        }
        return table
    }

    private func agreed(_ mtu: Int) {
        guard mtu != self.mtu, (Self.firstMTU...517).contains(mtu) else { return }
        self.mtu = mtu
        deliver(.mtuChanged(mtu))
    }

    private func withTable(_ completion: @escaping @Sendable (RadioResult<GATTTable>) -> Void) {
        if let failure { return completion(.failure(failure)) }
        if let table { completion(.success(table)) } else { waiting.append(completion) }
    }

    func discoverServices(_ completion: @escaping RadioCompletion<[RemoteService]>) {
        withTable { result in
            completion(
                result.map { table in
                    table.services.filter(Self.isVisible).map(\.remote)
                })
        }
    }

    func discoverIncludedServices(
        of service: AttributeID, _ completion: @escaping RadioCompletion<[RemoteService]>
    ) {
        withTable { result in
            completion(
                result.flatMap { table in
                    guard let known = table.services.first(where: { $0.id == service }) else {
                        return .failure(.radio(.invalidHandle))
                    }
                    return .success(table.services.filter { known.includes.contains($0.path) }.map(\.remote))
                })
        }
    }

    func discoverCharacteristics(
        of service: AttributeID, _ completion: @escaping RadioCompletion<[RemoteCharacteristic]>
    ) {
        withTable { result in
            completion(
                result.flatMap { table in
                    guard table[service] != nil else { return .failure(.radio(.invalidHandle)) }
                    return .success(
                        (table.characteristics[service] ?? []).map {
                            RemoteCharacteristic(id: $0.id, uuid: $0.uuid, properties: $0.properties)
                        })
                })
        }
    }

    func discoverDescriptors(
        of characteristic: AttributeID, _ completion: @escaping RadioCompletion<[RemoteDescriptor]>
    ) {
        withTable { result in
            completion(
                result.flatMap { table in
                    guard table[characteristic] != nil else { return .failure(.radio(.invalidHandle)) }
                    return .success(
                        (table.descriptors[characteristic] ?? []).map { RemoteDescriptor(id: $0.id, uuid: $0.uuid) })
                })
        }
    }

    // MARK: Values

    func read(_ attribute: AttributeID, _ completion: @escaping RadioCompletion<Data>) {
        guard let path = table?[attribute] else { return completion(.failure(failure ?? .radio(.invalidHandle))) }
        let subscription = subscriptions[path]
        subscription?.readBegins()
        requests.submit(
            .init(
                path: path, interface: interface(of: attribute), member: "ReadValue", arguments: [.properties([:])]
            ) { [weak self] result in
                let value: RadioResult<Data> = result.flatMap { values in
                    guard let data = values.first?.data else {
                        return .failure(.radio(.unknown, "the Bluetooth daemon answered a read without a value"))
                    }
                    return .success(data)
                }
                subscription?.readEnds(value)
                self?.notice(value)
                completion(value)
            })
    }

    func write(_ value: Data, to attribute: AttributeID, _ completion: @escaping RadioCompletion<Void>) {
        guard let path = table?[attribute] else { return completion(.failure(failure ?? .radio(.invalidHandle))) }
        let isCharacteristic = table?.characteristic(attribute) != nil
        let options: [String: BusValue] = isCharacteristic ? ["type": "request"] : [:]
        let submit: @Sendable () -> Void = { [self, interface = interface(of: attribute)] in
            requests.submit(
                .init(
                    path: path, interface: interface, member: "WriteValue",
                    arguments: [.bytes(value), .properties(options)]
                ) { [weak self] result in
                    self?.notice(result)
                    completion(result.map { _ in })
                })
        }
        // The daemon refuses requests to a characteristic whose socket is out.
        if let writer = writers[attribute] { writer.giveBack(submit) } else { submit() }
    }

    func writeWithoutResponse(
        _ value: Data, to attribute: AttributeID, _ completion: @escaping RadioCompletion<Void>
    ) {
        guard let characteristic = table?.characteristic(attribute) else {
            return completion(.failure(failure ?? .radio(.invalidHandle)))
        }
        let writer = writers[attribute] ?? CommandWriter(characteristic.path, requests, adapter)
        writers[attribute] = writer
        writer.write(value, completion)
    }

    func setNotify(_ enabled: Bool, for id: AttributeID, _ completion: @escaping RadioCompletion<Void>) {
        guard let characteristic = table?.characteristic(id) else {
            return completion(.failure(failure ?? .radio(.invalidHandle)))
        }
        let subscription =
            subscriptions[characteristic.path]
            ?? ValueSubscription(characteristic.path, adapter) { [weak self] value in
                self?.deliver(.notified(id, value))
            }
        subscriptions[characteristic.path] = subscription
        subscription.set(enabled, completion)
    }

    /// The daemon has no way to measure the strength of a connection: what it knows is from the last advertisement.
    func readRSSI(_ completion: @escaping RadioCompletion<Int>) {
        if let failure { return completion(.failure(failure)) }
        if let strength = Advertisement.signalStrength(in: device) { return completion(.success(strength)) }
        completion(
            .failure(
                .radio(
                    .operationNotSupported,
                    "BlueZ does not tell the signal strength of a connection; it is known from advertisements only")))
    }

    private func interface(of attribute: AttributeID) -> String {
        table?.characteristic(attribute) == nil ? BlueZ.gattDescriptor : BlueZ.gattCharacteristic
    }

    private func notice<Value>(_ result: RadioResult<Value>) {
        if case .failure(.att(.invalidHandle)) = result { isStale = true }
    }

    // MARK: News of the attributes' objects

    func added(_ path: String, _ interface: String) {
        guard interface == BlueZ.gattService, table != nil || emptiness != nil else { return }
        announceSoon()
    }

    func removed(_ path: String, _ interface: String) {
        guard let table else { return }
        requests.forget(path)
        subscriptions.removeValue(forKey: path)?.end(.radio(.invalidHandle))
        for (id, writer) in writers where table[id] == path {
            writer.end(.radio(.invalidHandle))
            writers[id] = nil
        }
        guard interface == BlueZ.gattService, let service = table.services.first(where: { $0.path == path }) else {
            return
        }
        changes.insert(service.id)
        announceSoon()
    }

    /// Which services a service includes is told late.
    func serviceChanged() {
        if table != nil { table = readTable() }
    }

    func changed(_ path: String, _ properties: [String: BusValue]) {
        if let mtu = properties["MTU"]?.int { agreed(mtu) }
    }

    /// Announces what has changed, once all of it is known here: the daemon flushes its signals before it answers.
    private func announceSoon() {
        guard announcement == nil else { return }
        announcement = adapter.call(path, BusName.properties, "Get", [.string(BlueZ.device), "ServicesResolved"]) {
            [weak self] _ in
            guard let self, failure == nil else { return }
            announcement = nil
            let changed = changes.sorted { $0.number < $1.number }
            changes = []
            let isFirst = table == nil && changed.isEmpty
            refresh()
            if !isFirst { deliver(.servicesChanged(changed)) }
        }
    }

    // MARK: The end

    /// The connection is over: everything under way fails.
    func end(_ failure: RadioFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        resolution?.cancel()
        emptiness?.cancel()
        announcement?.cancel()
        let waiting = waiting
        self.waiting = []
        for completion in waiting { completion(.failure(failure)) }
        requests.end(failure)
        for writer in writers.values { writer.end(failure) }
        for subscription in subscriptions.values { subscription.end(failure) }
        writers = [:]
        subscriptions = [:]
        table = nil
    }
}

extension GATTTable.Service {
    fileprivate var remote: RemoteService { RemoteService(id: id, uuid: uuid, isPrimary: isPrimary) }
}
