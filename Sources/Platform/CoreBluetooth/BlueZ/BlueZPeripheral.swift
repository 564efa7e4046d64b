import Basics
import DBus
import Dispatch
import Foundation

/// The peripheral's half of BlueZ: services, advertising and the requests of centrals, over D-Bus. Confined to its queue.
///
/// What the daemon does not tell or take is listed in docs/corebluetooth-coverage.md.
final class BlueZPeripheral: PeripheralRadio, @unchecked Sendable {
    // Unchecked because the mutable state is touched on the adapter's queue only.

    struct Pending {
        var call: BusMethodCall
        var central: String
    }

    let adapter: BlueZAdapter
    let log = Log("radio")
    var deliver: (@Sendable (PeripheralRadioEvent) -> Void)?
    var centrals = ConnectedCentrals()
    var pending: [RequestTicket: Pending] = [:]
    private var lastTicket: UInt64 = 0
    private var warned: Set<AttributeID> = []
    private let sharing: AdapterSharing
    /// What this manager has of the links that centrals made.
    private var shares: [RadioAddress: AdapterSharing.Share] = [:]
    let values: ValueSender
    private let services: PublishedServices
    private let advertiser: BlueZAdvertiser

    init(_ adapter: BlueZAdapter, sharing: AdapterSharing = .process) {
        self.adapter = adapter
        self.sharing = sharing
        values = ValueSender(adapter)
        // The parts are made before `self` is, and reach it through this.
        let owner = Locked(WeakReference<BlueZPeripheral>.empty)
        services = PublishedServices(adapter) { attribute, call in
            owner.withLock { $0 }.load()?.requested(attribute, call) ?? call.refuse()
        } onReset: { characteristics in
            owner.withLock { $0 }.load()?.removed(characteristics)
        }
        advertiser = BlueZAdvertiser(adapter) {
            owner.withLock { $0 }.load()?.deliver?(
                .advertisingStopped(.radio(.unknown, "the Bluetooth daemon ended the advertisement")))
        }
        owner.withLock { $0 = WeakReference { [weak self] in self } }
    }

    var explanation: String? { adapter.explanation }

    // MARK: Life

    func start(_ deliver: @escaping @Sendable (PeripheralRadioEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(adapter.queue))
        self.deliver = deliver
        adapter.start { [weak self] event in
            switch event {
            case .state(let state): self?.changed(to: state)
            case .object(let event): self?.observed(event)
            }
        }
    }

    func shutdown() {
        dispatchPrecondition(condition: .onQueue(adapter.queue))
        deliver = nil
        if adapter.state == .poweredOn {
            for share in shares.values { adapter.giveUp(share, sharing) }
            shares = [:]
        }
        services.drop()
        silence()
        advertiser.leave { [adapter] in adapter.stop() }
    }

    private func changed(to state: CBManagerState) {
        if state != .poweredOn {
            advertiser.silence()
            silence()
        }
        if state.rawValue < CBManagerState.poweredOff.rawValue {
            services.drop()
            warned = []
        }
        deliver?(.state(state))
    }

    private func silence() {
        centrals = ConnectedCentrals()
        pending = [:]
        values.reset()
        for share in shares.values { sharing.release(share) }
        shares = [:]
    }

    // MARK: Database

    func add(_ service: LocalService, _ completion: @escaping RadioCompletion<Void>) {
        services.add(service, completion)
    }

    func remove(_ service: AttributeID) { services.remove(service) }

    /// The daemon has forgotten who was subscribed to these.
    private func removed(_ gone: Set<AttributeID>) {
        for characteristic in gone { values.lostSubscriber(of: characteristic) }
        for event in centrals.removed(gone) { deliver?(event) }
    }

    // MARK: Advertising

    func startAdvertising(_ advertisement: Advertisement, _ completion: @escaping RadioCompletion<Void>) {
        guard adapter.state == .poweredOn else {
            return completion(.failure(.radio(.operationNotSupported, "the radio is switched off")))
        }
        advertiser.start(advertisement, completion)
    }

    func stopAdvertising() { advertiser.stop() }

    // MARK: Centrals

    /// A device asks for something: it is a central, if it was not one before.
    func met(_ path: String, _ address: RadioAddress, mtu: Int?) -> RemoteCentral {
        hold(address)
        return centrals.met(path, address, mtu: mtu)
    }

    private func hold(_ address: RadioAddress) {
        guard shares[address] == nil else { return }
        shares[address] = sharing.hold(adapter.identity, address)
    }

    private func observed(_ event: BusObjectMirror.Event) {
        switch event {
        case .added(let path, BlueZ.device, let properties): connection(of: path, properties["Connected"]?.bool)
        case .changed(let path, BlueZ.device, let changed, _): connection(of: path, changed["Connected"]?.bool)
        case .added(adapter.path, BlueZ.advertisingManager, _): advertiser.settle()
        case .removed(let path, BlueZ.device):
            connection(of: path, false)
            centrals.forgot(path)
        default: break
        }
    }

    private func connection(of path: String, _ isConnected: Bool?) {
        guard let isConnected, let adapterPath = adapter.path,
            let address = RadioAddress(devicePath: path, adapter: adapterPath)
        else { return }
        if isConnected {
            let events = centrals.came(path, address)
            if !events.isEmpty { hold(address) }
            for event in events { deliver?(event) }
            advertiser.connected()
        } else {
            let device = adapter.objects?.properties(path, BlueZ.device)
            let isBonded = device?["Bonded"]?.bool ?? device?["Paired"]?.bool ?? false
            if let share = shares.removeValue(forKey: address) { sharing.release(share) }
            deliverLosses(centrals.left(path, isBonded: isBonded))
            // Those who wait have gone.
            pending = pending.filter { $0.value.central != path }
            advertiser.disconnected()
        }
    }

    /// Delivers events of which some are the ends of subscriptions.
    func deliverLosses(_ events: [PeripheralRadioEvent]) {
        for event in events {
            if case .unsubscribed(_, let characteristic) = event { values.lostSubscriber(of: characteristic) }
            deliver?(event)
        }
    }

    func setLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: RadioAddress) {
        log.debug("BlueZ has no interface for a connection's latency; \(latency) for \(central) is not applied")
    }

    // MARK: Requests

    func ticket(for call: BusMethodCall, of central: String) -> RequestTicket {
        lastTicket += 1
        let ticket = RequestTicket(number: lastTicket)
        pending[ticket] = Pending(call: call, central: central)
        return ticket
    }

    func respond(to ticket: RequestTicket, _ result: RadioResult<Data>) {
        // The central may have gone in the meantime.
        guard let call = pending.removeValue(forKey: ticket)?.call else { return }
        switch result {
        case .success(let value): call.reply(call.member == "ReadValue" ? [.bytes(value)] : [])
        case .failure(.att(let code)): call.fail(code)
        case .failure(.radio): call.fail(BlueZ.ErrorName.unlikely, "the application cannot answer")
        }
    }

    func notify(
        _ value: Data, for characteristic: AttributeID, to centrals: [RadioAddress],
        _ completion: @escaping @Sendable () -> Void
    ) {
        let subscribers = self.centrals.subscribers(of: characteristic)
        guard let local = services.characteristic(characteristic), !subscribers.isDisjoint(with: centrals),
            services.notify(.bytes(value.prefix(ATTLimit.valueBytes)), for: characteristic)
        else { return completion() }
        if !subscribers.isSubset(of: centrals), warned.insert(characteristic).inserted {
            log.warning(
                "BlueZ sends a value to every subscriber: those of \(local.uuid) who were not meant get it as well")
        }
        values.sent(local, to: subscribers.count, completion)
    }
}
