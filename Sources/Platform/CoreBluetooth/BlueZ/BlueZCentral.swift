import Basics
import DBus
import Dispatch
import Foundation

/// The central's half of BlueZ. Confined to its adapter's queue.
final class BlueZCentral: CentralRadio, @unchecked Sendable {
    // Unchecked because the mutable state is touched on `adapter.queue` only, but for `connected`, which is locked.

    /// How long the links of a daemon that has died may outlive it. The kernel ends them two seconds later; a daemon that is
    /// started sooner takes them for its own and says 'connected' (BlueZ 5.66, Linux 6.12).
    static let afterlife = Duration.seconds(3)

    let adapter: BlueZAdapter
    let sharing: AdapterSharing
    private let log = Log("radio")
    private var deliver: (@Sendable (CentralRadioEvent) -> Void)?
    private var isOn = false

    private var request: ScanRequest?
    private let discovery: BlueZDiscovery

    private var connectors: [RadioAddress: BlueZConnector] = [:]
    private var links: [RadioAddress: BlueZLink] = [:]
    /// What this manager has of each of ``links``.
    private var shares: [RadioAddress: AdapterSharing.Share] = [:]
    private let connected = Locked<[RadioAddress: [CBUUID]]>([:])

    init(_ adapter: BlueZAdapter, sharing: AdapterSharing = .process) {
        self.adapter = adapter
        self.sharing = sharing
        discovery = BlueZDiscovery(adapter)
    }

    var connectedPeripherals: [RadioAddress: [CBUUID]] { connected.withLock { $0 } }

    var explanation: String? { adapter.explanation }

    // MARK: Life

    func start(_ deliver: @escaping @Sendable (CentralRadioEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(adapter.queue))
        self.deliver = deliver
        sharing.watch(self) { [weak self, queue = adapter.queue] in
            queue.async { [weak self] in self?.othersMoved() }
        }
        adapter.start { [weak self] event in
            switch event {
            case .state(let state): self?.changed(to: state)
            case .object(let event): self?.handle(event)
            }
        }
    }

    func shutdown() {
        dispatchPrecondition(condition: .onQueue(adapter.queue))
        deliver = nil
        sharing.unwatch(self)
        // The daemon ends the discovery with the connection to the bus, but keeps connections.
        for address in Array(connectors.keys) + Array(links.keys) { drop(address) }
        silence(.radio(.operationCancelled))
        adapter.stop()
    }

    private func changed(to state: CBManagerState) {
        isOn = state == .poweredOn
        if isOn {
            lookForConnections()
        } else {
            if state == .resetting { for address in links.keys { linger(address) } }
            silence(.radio(.notConnected, "the Bluetooth adapter is \(state)"))
        }
        deliver?(.state(state))
    }

    /// Has everybody of the process wait for the end of a link that nobody can be told to end.
    private func linger(_ address: RadioAddress) {
        guard let share = shares.removeValue(forKey: address), sharing.depart(share) else { return }
        _ = adapter.clock.after(Self.afterlife, on: adapter.queue) { [sharing] in sharing.departed(share) }
    }

    /// Ends everything without events; operations are completed.
    private func silence(_ failure: RadioFailure) {
        isOn = false
        request = nil
        discovery.lost()
        let (ended, dropped) = (links, connectors)
        links = [:]
        connectors = [:]
        connected.withLock { $0 = [:] }
        for connector in dropped.values { connector.drop() }
        for link in ended.values {
            release(link.address)
            link.end(failure)
        }
    }

    // MARK: Objects

    private func handle(_ event: BusObjectMirror.Event) {
        guard isOn, let adapterPath = adapter.path else { return }
        switch event {
        case .added(let path, BlueZ.device, let properties):
            guard let address = RadioAddress(devicePath: path, adapter: adapterPath) else { return }
            if properties["Connected"]?.bool == true { noteConnection(address, properties) }
            if properties["RSSI"] != nil { heard(address, path, properties) }
            connectors[address]?.begin()
        case .changed(let path, BlueZ.device, let changed, _):
            guard let address = RadioAddress(devicePath: path, adapter: adapterPath) else { return }
            deviceChanged(address, path, changed)
        case .removed(let path, BlueZ.device):
            guard let address = RadioAddress(devicePath: path, adapter: adapterPath) else { return }
            lost(address)
        case .changed(adapterPath, BlueZ.adapter, let changed, _):
            if changed["Discovering"]?.bool == false { discovery.ended() }
        case .added(let path, let interface, _): link(at: path)?.added(path, interface)
        case .removed(let path, let interface): link(at: path)?.removed(path, interface)
        case .changed(let path, BlueZ.gattCharacteristic, let changed, _):
            link(at: path)?.changed(path, changed)
        case .changed(let path, BlueZ.gattService, _, _): link(at: path)?.serviceChanged()
        default: break
        }
    }

    /// The connection whose attributes an object belongs to. There are few of them.
    private func link(at path: String) -> BlueZLink? { links.values.first { path.hasPrefix($0.path) } }

    private func deviceChanged(_ address: RadioAddress, _ path: String, _ changed: [String: BusValue]) {
        let properties = adapter.objects?.properties(path, BlueZ.device) ?? [:]
        switch changed["Connected"]?.bool {
        case true?: noteConnection(address, properties)
        case false?: lost(address)
        case nil:
            if changed["UUIDs"] != nil, connected.withLock({ $0[address] != nil }) {
                noteConnection(address, properties)
            }
        }
        links[address]?.changed(changed)
        if Advertisement.isHeard(in: changed) { heard(address, path, properties) }
    }

    private func noteConnection(_ address: RadioAddress, _ properties: [String: BusValue]) {
        let uuids = properties["UUIDs"]?.strings?.compactMap { CBUUID(blueZ: $0) } ?? []
        connected.withLock { $0[address] = uuids }
    }

    /// Connections that others made, or that an earlier run of this program left behind.
    private func lookForConnections() {
        guard let adapterPath = adapter.path, let objects = adapter.objects else { return }
        for path in objects.paths(with: BlueZ.device) {
            guard let address = RadioAddress(devicePath: path, adapter: adapterPath),
                let properties = objects.properties(path, BlueZ.device), properties["Connected"]?.bool == true
            else { continue }
            noteConnection(address, properties)
        }
    }

    // MARK: Scanning

    func scan(_ request: ScanRequest) {
        guard isOn else { return }
        self.request = request
        updateDiscovery()
    }

    func stopScan() {
        request = nil
        updateDiscovery()
    }

    private func heard(_ address: RadioAddress, _ path: String, _ properties: [String: BusValue]) {
        discovery.heard()
        connectors[address]?.heard()
        guard let request else { return }
        let advertisement = Advertisement(device: properties)
        let isWanted = advertisement.matches(services: request.services, solicited: request.solicited)
        let isInUse = connectors[address] != nil || sharing.isInUse(adapter.identity, address)
        guard isWanted || isInUse || !Advertisement.isHidden(in: properties) else {
            // It is heard anew, and with what it advertises now, when the daemon has forgotten it.
            return adapter.send(adapter.path ?? "", BlueZ.adapter, "RemoveDevice", [.path(path)])
        }
        deliver?(.discovered(address, advertisement, rssi: Advertisement.signalStrength(in: properties)))
    }

    private func updateDiscovery() {
        let isNeeded = request != nil || connectors.values.contains { $0.needsDiscovery }
        discovery.want(isOn && isNeeded && !sharing.isQuiet(adapter.identity))
    }

    // MARK: Connections

    func connect(_ address: RadioAddress) {
        guard isOn, let path = adapter.path, connectors[address] == nil, links[address] == nil else { return }
        let connector = BlueZConnector(
            address, path: address.devicePath(adapter: path), adapter, sharing,
            isScanWaiting: { [weak self] in self?.request != nil }
        ) { [weak self] connector, event in
            self?.handle(connector, event)
        }
        connectors[address] = connector
        connector.begin()
        updateDiscovery()
    }

    private func handle(_ connector: BlueZConnector, _ event: BlueZConnector.Event) {
        let address = connector.address
        switch event {
        case .discovery: updateDiscovery()
        case .abandon(let share): depart(share)
        case .connected(let share):
            connectors[address] = nil
            open(address, share)
            updateDiscovery()
        case .failed(let failure):
            connectors[address] = nil
            updateDiscovery()
            deliver?(.connectFailed(address, failure))
        }
    }

    private func open(_ address: RadioAddress, _ share: AdapterSharing.Share) {
        guard let adapterPath = adapter.path else { return sharing.release(share) }
        shares[address] = share
        let path = address.devicePath(adapter: adapterPath)
        let link = BlueZLink(address, path: path, adapter) { [weak self] event in
            switch event {
            case .mtuChanged(let mtu): self?.deliver?(.mtuChanged(address, mtu))
            case .notified(let attribute, let value): self?.deliver?(.notified(address, attribute, value))
            case .servicesChanged(let services): self?.deliver?(.servicesChanged(address, services))
            }
        }
        links[address] = link
        noteConnection(address, adapter.objects?.properties(path, BlueZ.device) ?? [:])
        deliver?(.connected(address, mtu: BlueZLink.firstMTU))
    }

    func disconnect(_ address: RadioAddress) {
        drop(address)
        // For this program it is over now; the daemon takes two seconds to end the connection.
        deliver?(.disconnected(address, nil))
    }

    private func drop(_ address: RadioAddress) {
        if let connector = connectors.removeValue(forKey: address) {
            connector.cancel()
            updateDiscovery()
        }
        if let link = links.removeValue(forKey: address) {
            link.end(.radio(.operationCancelled))
            if let share = shares.removeValue(forKey: address) { depart(share) }
        }
    }

    /// The device's connection, or its object, is gone.
    private func lost(_ address: RadioAddress) {
        connected.withLock { $0[address] = nil }
        guard let link = links.removeValue(forKey: address) else { return }
        release(address)
        let failure = RadioFailure.radio(
            .peripheralDisconnected, "the other device hung up or is out of reach (BlueZ does not say which)")
        link.end(failure)
        if link.isStale { forget(link) }
        deliver?(.disconnected(address, failure))
    }

    func link(to address: RadioAddress) -> (any AttributeLink)? {
        dispatchPrecondition(condition: .onQueue(adapter.queue))
        return links[address]
    }

    private func release(_ address: RadioAddress) {
        if let share = shares.removeValue(forKey: address) { sharing.release(share) }
    }

    private func depart(_ share: AdapterSharing.Share) {
        if adapter.giveUp(share, sharing) { connected.withLock { $0[share.address] = nil } }
    }

    /// Another manager of the process connects or has connected, or a link has been taken down.
    private func othersMoved() {
        for connector in connectors.values { connector.begin() }
        updateDiscovery()
    }

    /// Makes the daemon forget a device whose attributes have changed unannounced: it would go on using its old table.
    private func forget(_ link: BlueZLink) {
        guard let path = adapter.path, adapter.objects?.properties(link.path, BlueZ.device)?["Paired"]?.bool != true
        else { return }
        log.info("the attributes of \(link.address) have changed unannounced: BlueZ is told to forget them")
        adapter.send(path, BlueZ.adapter, "RemoveDevice", [.path(link.path)])
    }
}
