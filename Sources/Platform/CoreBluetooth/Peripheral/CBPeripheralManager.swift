import Basics
public import Foundation

/// How often a connection exchanges packets: how quickly data flows, and how much battery it costs.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// Quick and costly.
    case low = 0
    /// In between.
    case medium
    /// Slow and cheap.
    case high
}

/// Publishes services, advertises them and answers centrals.
///
/// Methods may be called from any thread: they are carried out in order on the manager's queue, where the delegate is
/// called as well. Anything asked for while ``CBManager/state`` is not `poweredOn` is misuse: it is logged and ignored.
/// When the radio is switched off, subscriptions end and advertising pauses until it is on again; below `poweredOff` the
/// services are gone as well. When the manager is let go, everything ends and nobody is called any more.
open class CBPeripheralManager: CBManager, @unchecked Sendable {
    // Unchecked because of NSObject and an open class: what changes is inside `Locked`.

    /// Values under way to centrals at which ``updateValue(_:for:onSubscribedCentrals:)`` begins to return false.
    static let updateWindow = 16

    struct State {
        var database = LocalDatabase()
        var centrals: [RadioAddress: CBCentral] = [:]
        var isAdvertising = false
        /// What to advertise again when the radio comes back.
        var pausedAdvertisement: Advertisement?
        var advertisement: Advertisement?
        var updates = 0
        var isStarved = false
        /// Requests that wait for an answer, and whose they are.
        var pending: [RequestTicket: RadioAddress] = [:]
    }

    let radio: any PeripheralRadio
    private let book: PeerBook
    let manager = Locked(State())
    let log = Log("bluetooth")
    private let delegateReference = Locked(WeakReference<any CBPeripheralManagerDelegate>.empty)

    /// A manager without delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager.
    /// - Parameter queue: Where the delegate is called; nil for the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager with options. `peripheralManagerDidUpdateState` follows.
    /// - Parameters:
    ///   - queue: Where the delegate is called; nil for the main queue.
    ///   - options: Keys that begin with `CBPeripheralManagerOption`, and on Linux those with `CBManagerOption`.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let options = options ?? [:]
        let selection = RadioSelection.standard
        let target = DispatchQueue(label: "porchlight.bluetooth.peripheral", target: queue ?? .main)
        radio = selection.radio(options: options).makePeripheral(on: target)
        book = PeerBook(directory: selection.stateDirectory(options: options))
        super.init(queue: target)
        self.delegate = delegate
        let deliver: @Sendable (PeripheralRadioEvent) -> Void = { [weak self] event in self?.handle(event) }
        self.queue.async { [radio] in radio.start(deliver) }
    }

    override var radioExplanation: String? { radio.explanation }

    deinit {
        queue.async { [radio] in radio.shutdown() }
    }

    /// Hears of the radio and of centrals. Held weakly.
    public var delegate: (any CBPeripheralManagerDelegate)? {
        get { delegateReference.withLock { $0 }.load() }
        set {
            let reference = WeakReference<any CBPeripheralManagerDelegate> { [weak newValue] in newValue }
            delegateReference.withLock { $0 = reference }
        }
    }

    /// Whether the peripheral is being advertised.
    public var isAdvertising: Bool { manager.withLock { $0.isAdvertising } }

    // MARK: Services

    /// Publishes a service. Answered by `peripheralManager(_:didAdd:error:)`.
    open func add(_ service: CBMutableService) {
        guard isPoweredOn("add") else { return }
        let prepared: Result<LocalService, CBError> = manager.withLock { state in
            do throws(CBError) {
                return .success(try state.database.add(service))
            } catch {
                return .failure(error)
            }
        }
        queue.async { [weak self, radio] in
            switch prepared {
            case .failure(let error): self?.added(service, error)
            case .success(let local):
                radio.add(local) { [weak self] result in
                    if case .failure = result { self?.manager.withLock { $0.database.remove(local.id) } }
                    self?.added(service, result.publicError)
                }
            }
        }
    }

    private func added(_ service: CBMutableService, _ error: (any Error)?) {
        delegate?.peripheralManager(self, didAdd: service, error: error)
    }

    /// Takes a service away. Connected centrals are told; their subscriptions to it end.
    open func remove(_ service: CBMutableService) {
        guard isPoweredOn("remove"), let id = manager.withLock({ $0.database.remove(service) }) else { return }
        queue.async { [radio] in radio.remove(id) }
    }

    /// Takes all services away.
    open func removeAllServices() {
        guard isPoweredOn("removeAllServices") else { return }
        for service in manager.withLock({ $0.database.services }) { remove(service) }
    }

    // MARK: Advertising

    /// Advertises. Answered by `peripheralManagerDidStartAdvertising(_:error:)`.
    /// - Parameter advertisementData: ``CBAdvertisementDataLocalNameKey`` and ``CBAdvertisementDataServiceUUIDsKey``; on
    ///   Linux also manufacturer data, service data, solicited services, transmit power and
    ///   ``CBAdvertisementDataIsConnectable``. A name that does not fit is shortened; anything else that does not fit is
    ///   an error.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard isPoweredOn("startAdvertising") else { return }
        do throws(CBError) {
            let advertisement = try Advertisement(advertisementData ?? [:])
            queue.async { [weak self] in self?.advertise(advertisement, isResumed: false) }
        } catch {
            queue.async { [weak self] in
                guard let self else { return }
                delegate?.peripheralManagerDidStartAdvertising(self, error: error)
            }
        }
    }

    private func advertise(_ advertisement: Advertisement, isResumed: Bool) {
        radio.startAdvertising(advertisement) { [weak self] result in
            guard let self else { return }
            if case .success = result {
                manager.withLock { state in
                    state.isAdvertising = true
                    state.advertisement = advertisement
                }
            }
            let error = result.publicError
            // Nobody asked for advertising to go on, so only its failure is news.
            if !isResumed || error != nil { delegate?.peripheralManagerDidStartAdvertising(self, error: error) }
        }
    }

    /// Stops advertising. Connections stay.
    open func stopAdvertising() {
        guard isPoweredOn("stopAdvertising") else { return }
        queue.async { [weak self, radio] in
            radio.stopAdvertising()
            self?.manager.withLock { state in
                state.isAdvertising = false
                state.advertisement = nil
            }
        }
    }

    // MARK: Centrals

    /// Asks for a connection latency, which the system may not grant.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        guard isPoweredOn("setDesiredConnectionLatency") else { return }
        queue.async { [radio, address = central.address] in radio.setLatency(latency, for: address) }
    }

    /// Answers a request, once. For several requests that came together, answer the first.
    /// - Parameter result: ``CBATTError/Code/success``, or why not; 0x80 to 0x9F for the application's own reasons.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        // A write without response has nobody who waits.
        guard let ticket = request.ticket else { return }
        let isPending = manager.withLock { $0.pending.removeValue(forKey: ticket) != nil }
        guard isPending else { return log.warning("API misuse, ignored: a second answer to one request") }
        let answer: RadioResult<Data> =
            result == .success
            ? .success(request.isRead ? request.value ?? Data() : Data()) : .failure(.att(result))
        queue.async { [radio] in radio.respond(to: ticket, answer) }
    }

    /// Sends a value to centrals that subscribed to a characteristic.
    /// - Parameters:
    ///   - value: Cut to each central's ``CBCentral/maximumUpdateValueLength``.
    ///   - centrals: Only these; nil for all.
    /// - Returns: False when there is no room: try again after `peripheralManagerIsReady(toUpdateSubscribers:)`.
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        guard isPoweredOn("updateValue") else { return false }
        guard let id = characteristic.localID else {
            log.warning("API misuse, ignored: a value for \(characteristic), which was not added")
            return false
        }
        let subscribed = characteristic.subscribedCentrals ?? []
        let targets = (centrals.map { wanted in subscribed.filter { wanted.contains($0) } } ?? subscribed).map(
            \.address)
        guard !targets.isEmpty else { return true }
        let hasRoom = manager.withLock { state in
            guard state.updates < Self.updateWindow else {
                state.isStarved = true
                return false
            }
            state.updates += 1
            return true
        }
        guard hasRoom else { return false }
        queue.async { [weak self, radio] in
            radio.notify(value, for: id, to: targets) { [weak self] in self?.updateSent() }
        }
        return true
    }

    private func updateSent() {
        let isReady = manager.withLock { state in
            state.updates = max(state.updates - 1, 0)
            guard state.isStarved, state.updates <= Self.updateWindow / 2 else { return false }
            state.isStarved = false
            return true
        }
        if isReady, state == .poweredOn { delegate?.peripheralManagerIsReady(toUpdateSubscribers: self) }
    }

    private func isPoweredOn(_ what: String) -> Bool {
        let state = state
        if state != .poweredOn { log.warning("API misuse, ignored: \(what) while the manager's state is \(state)") }
        return state == .poweredOn
    }
}

// MARK: - What the radio reports, on the manager's queue

extension CBPeripheralManager {
    private func handle(_ event: PeripheralRadioEvent) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch event {
        case .state(let state): changed(to: state)
        case .read(let remote, let id, let offset, let ticket): read(remote, id, offset, ticket)
        case .write(let remote, let pieces, let ticket): write(remote, pieces, ticket)
        case .subscribed(let remote, let id):
            guard let characteristic = manager.withLock({ $0.database.characteristic(id) }) else { return }
            let central = central(remote)
            characteristic.contents.withLock { $0.subscribedCentrals.append(central) }
            delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
        case .unsubscribed(let remote, let id):
            guard let characteristic = manager.withLock({ $0.database.characteristic(id) }) else { return }
            let central = central(remote)
            characteristic.contents.withLock { $0.subscribedCentrals.removeAll { $0 === central } }
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        case .disconnected(let remote):
            manager.withLock { state in
                state.centrals[remote.address] = nil
                state.pending = state.pending.filter { $0.value != remote.address }
            }
        case .advertisingStopped(let failure):
            manager.withLock { $0.isAdvertising = false }
            delegate?.peripheralManagerDidStartAdvertising(self, error: failure.publicError)
        }
    }

    private func changed(to state: CBManagerState) {
        let before = radioState.withLock { current in
            defer { current = state }
            return current
        }
        guard state != before else { return }
        var resumed: Advertisement?
        if state == .poweredOn {
            resumed = manager.withLock { manager in
                defer { manager.pausedAdvertisement = nil }
                return manager.pausedAdvertisement
            }
        } else {
            silence(keepsServices: state == .poweredOff)
        }
        delegate?.peripheralManagerDidUpdateState(self)
        if let resumed, !isAdvertising { advertise(resumed, isResumed: true) }
    }

    private func silence(keepsServices: Bool) {
        let services = manager.withLock { manager in
            manager.pausedAdvertisement =
                keepsServices ? manager.advertisement ?? manager.pausedAdvertisement : nil
            manager.advertisement = nil
            manager.isAdvertising = false
            manager.pending = [:]
            manager.centrals = [:]
            manager.updates = 0
            manager.isStarved = false
            return manager.database.services
        }
        for service in services {
            for characteristic in service.characteristics ?? [] {
                characteristic.contents.withLock { $0.subscribedCentrals = [] }
            }
            if !keepsServices { manager.withLock { _ = $0.database.remove(service) } }
        }
    }

    private func central(_ remote: RemoteCentral) -> CBCentral {
        if let known = manager.withLock({ $0.centrals[remote.address] }) {
            known.update(remote)
            return known
        }
        let made = CBCentral(identifier: book.peer(at: remote.address).identifier, central: remote)
        manager.withLock { $0.centrals[remote.address] = made }
        return made
    }

    private func read(_ remote: RemoteCentral, _ id: AttributeID, _ offset: Int, _ ticket: RequestTicket) {
        switch manager.withLock({ $0.database[id] }) {
        case nil: radio.respond(to: ticket, .failure(.att(.invalidHandle)))
        case .fixed(let value):
            let rest: RadioResult<Data> =
                offset <= value.count ? .success(value.dropFirst(offset)) : .failure(.att(.invalidOffset))
            radio.respond(to: ticket, rest)
        case .characteristic(let characteristic):
            guard let delegate else { return radio.respond(to: ticket, .failure(.att(.requestNotSupported))) }
            let request = CBATTRequest(
                central: central(remote), characteristic: characteristic, offset: offset, value: nil, ticket: ticket,
                isRead: true)
            manager.withLock { $0.pending[ticket] = remote.address }
            delegate.peripheralManager(self, didReceiveRead: request)
        }
    }

    private func write(_ remote: RemoteCentral, _ pieces: [WritePiece], _ ticket: RequestTicket?) {
        let central = central(remote)
        let requests: [CBATTRequest] = manager.withLock { state in
            pieces.compactMap { piece in
                state.database.characteristic(piece.attribute).map { characteristic in
                    CBATTRequest(
                        central: central, characteristic: characteristic, offset: piece.offset, value: piece.value,
                        ticket: ticket, isRead: false)
                }
            }
        }
        guard let delegate, !requests.isEmpty, requests.count == pieces.count else {
            let code: CBATTError.Code = requests.count == pieces.count ? .requestNotSupported : .invalidHandle
            if let ticket { radio.respond(to: ticket, .failure(.att(code))) }
            return
        }
        if let ticket { manager.withLock { $0.pending[ticket] = remote.address } }
        delegate.peripheralManager(self, didReceiveWrite: requests)
    }
}
