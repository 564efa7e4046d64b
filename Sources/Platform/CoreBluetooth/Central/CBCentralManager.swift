import Basics
public import Foundation

/// Scans for peripherals and connects to them.
///
/// Methods may be called from any thread: they are carried out in order on the manager's queue, where the delegate is
/// called as well. Anything asked for while ``CBManager/state`` is not `poweredOn` is misuse: it is logged and ignored.
/// When the manager is let go, its scans and connections end and nobody is called any more.
open class CBCentralManager: CBManager, @unchecked Sendable {
    // Unchecked because of NSObject and an open class: what changes is inside `Locked`.

    /// Abilities that not every system has.
    public struct Feature: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Takes the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Long-range and extended advertising.
        public static let extendedScanAndConnect = Feature(rawValue: 1)
    }

    private struct State {
        var scan: ScanRequest?
        /// What a scan without duplicates has reported.
        var reported: [RadioAddress: Advertisement.Contents] = [:]
        /// Those that somebody holds.
        var known: [RadioAddress: WeakReference<CBPeripheral>] = [:]
        /// Those that are connected or shall be: the manager holds them itself.
        var held: [RadioAddress: CBPeripheral] = [:]
        var wantedEvents: [CBConnectionEventMatchingOption: Set<String>]?
    }

    /// Devices that a scan remembers to have reported.
    private static let reportedLimit = 4096

    let radio: any CentralRadio
    /// What callers ask for is done in these turns of the queue, in order.
    let turns: Turns
    private let book: PeerBook
    private let clock: RadioClock
    private let manager = Locked(State())
    private let delegateReference = Locked(WeakReference<any CBCentralManagerDelegate>.empty)
    private let log = Log("bluetooth")

    /// A manager without delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager.
    /// - Parameter queue: Where the delegate is called; nil for the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager with options. `centralManagerDidUpdateState` follows.
    /// - Parameters:
    ///   - queue: Where the delegate is called; nil for the main queue.
    ///   - options: Keys that begin with `CBCentralManagerOption`, and on Linux those with `CBManagerOption`.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let options = options ?? [:]
        let selection = RadioSelection.standard
        let label = "porchlight.bluetooth.central"
        let (queue, backend) = (DispatchQueue(label: label, target: queue ?? .main), selection.radio(options: options))
        turns = Turns(of: queue)
        radio = backend.makeCentral(on: queue)
        book = PeerBook(directory: selection.stateDirectory(options: options))
        clock = options[RadioSelection.clockKey] as? RadioClock ?? RadioClock(ContinuousClock())
        super.init(queue: queue)
        self.delegate = delegate
        let deliver: @Sendable (CentralRadioEvent) -> Void = { [weak self] event in self?.handle(event) }
        turns.async { [radio] in radio.start(deliver) }
    }

    override var radioExplanation: String? { radio.explanation }

    deinit {
        for peripheral in manager.withLock({ Array($0.held.values) }) {
            peripheral.dropConnection(.silenced)
        }
        turns.async { [radio] in radio.shutdown() }
    }

    /// Hears of the radio, of discoveries and of connections. Held weakly.
    public var delegate: (any CBCentralManagerDelegate)? {
        get { delegateReference.withLock { $0 }.load() }
        set {
            let reference = WeakReference<any CBCentralManagerDelegate> { [weak newValue] in newValue }
            delegateReference.withLock { $0 = reference }
        }
    }

    /// Whether a scan is running.
    public var isScanning: Bool { manager.withLock { $0.scan != nil } }

    /// Whether this system has abilities. The radios here have none of those that can be asked for.
    open class func supports(_ features: Feature) -> Bool { features.isEmpty }

    // MARK: Scanning

    /// Looks for peripherals until ``stopScan()``; a running scan is replaced and reports everybody anew.
    /// - Parameters:
    ///   - serviceUUIDs: Only peripherals that advertise one of these; nil or empty for all.
    ///   - options: ``CBCentralManagerScanOptionAllowDuplicatesKey``,
    ///     ``CBCentralManagerScanOptionSolicitedServiceUUIDsKey``.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard isPoweredOn("scanForPeripherals") else { return }
        let request = ScanRequest(
            services: serviceUUIDs,
            solicited: options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] ?? [],
            allowsDuplicates: (options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber)?.boolValue ?? false)
        manager.withLock { state in
            state.scan = request
            state.reported = [:]
        }
        turns.async { [weak self] in
            guard let self else { return }
            // Switched off since it was asked for: then nobody scans.
            if state == .poweredOn { radio.scan(request) } else { manager.withLock { $0.scan = nil } }
        }
    }

    /// Stops looking for peripherals.
    open func stopScan() {
        guard isPoweredOn("stopScan") else { return }
        manager.withLock { $0.scan = nil }
        turns.async { [radio] in radio.stopScan() }
    }

    // MARK: Retrieval

    /// Peripherals that were seen before, also by an earlier run of this or another program of the user.
    /// - Returns: Those that are known, in the order asked for.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        identifiers.compactMap { identifier in
            guard let peer = book.peer(identifier: identifier) else { return nil }
            book.use(peer.address)
            return peripheral(peer)
        }
    }

    /// Peripherals that are connected to this machine and have one of these services, as far as their services are
    /// known. To use one, connect to it.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        let wanted = Set(serviceUUIDs)
        return radio.connectedPeripherals
            .filter { !wanted.isDisjoint(with: $0.value) }
            .sorted { $0.key.number < $1.key.number }
            .map { peripheral(book.peer(at: $0.key)) }
    }

    // MARK: Connections

    /// Connects, however long it takes, until ``cancelPeripheralConnection(_:)``. Answered by `didConnect` or
    /// `didFailToConnect`.
    /// - Parameter options: ``CBConnectPeripheralOptionEnableAutoReconnect``, ``CBConnectPeripheralOptionStartDelayKey``;
    ///   Apple's other keys have no effect.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isPoweredOn("connect"), isOwn(peripheral) else { return }
        let address = peripheral.address
        let reconnects = (options?[CBConnectPeripheralOptionEnableAutoReconnect] as? NSNumber)?.boolValue ?? false
        let delay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
        let (state, call) = peripheral.contents.withLock { contents in
            contents.reconnects = reconnects
            contents.calls += 1
            if contents.state != .connected {
                contents.state = .connecting
                contents.queuedConnects.insert(contents.calls)
            }
            return (contents.state, contents.calls)
        }
        manager.withLock { $0.held[address] = peripheral }
        guard state == .connecting else {
            return turns.async { [weak self] in
                guard let self, peripheral.state == .connected else { return }
                delegate?.centralManager(self, didConnect: peripheral)
            }
        }
        let start: @Sendable () -> Void = { [weak self, weak peripheral] in
            let isWanted = peripheral?.contents.withLock { contents in
                contents.queuedConnects.remove(call) != nil && contents.state == .connecting
            }
            guard isWanted ?? false, let self, let peripheral else { return }
            // Switched off since it was asked for: what was held then has ended without this one.
            if self.state == .poweredOn { radio.connect(address) } else { finish(peripheral, .silenced) }
        }
        if delay > 0 {
            _ = clock.after(.seconds(delay), on: queue) { [turns] in turns.async(start) }
        } else {
            turns.async(start)
        }
    }

    /// Ends a connection or an attempt. Answered by `didDisconnectPeripheral` without error.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isPoweredOn("cancelPeripheralConnection"), isOwn(peripheral) else { return }
        let call: Int? = peripheral.contents.withLock { contents in
            contents.reconnects = false
            guard contents.state == .connecting || contents.state == .connected else { return nil }
            contents.state = .disconnecting
            contents.queuedConnects = []
            contents.calls += 1
            contents.queuedCancel = contents.calls
            return contents.calls
        }
        guard let call else { return }
        turns.async { [radio, address = peripheral.address] in
            // What it was meant for may have ended by itself, and something new may have been asked for since.
            let isWanted = peripheral.contents.withLock { contents in
                guard contents.queuedCancel == call else { return false }
                contents.queuedCancel = nil
                return true
            }
            if isWanted { radio.disconnect(address) }
        }
    }

    /// Asks for `connectionEventDidOccur`. On Linux the events are those of this manager's own connections.
    /// - Parameter options: Which peripherals; nil for all.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        var wanted: [CBConnectionEventMatchingOption: Set<String>] = [:]
        if let identifiers = options?[.peripheralUUIDs] as? [UUID] {
            wanted[.peripheralUUIDs] = Set(identifiers.map(\.uuidString))
        }
        if let services = options?[.serviceUUIDs] as? [CBUUID] {
            wanted[.serviceUUIDs] = Set(services.map(\.uuidString))
        }
        manager.withLock { [wanted] state in state.wantedEvents = wanted }
    }

    private func isPoweredOn(_ what: String) -> Bool {
        let state = state
        if state != .poweredOn { log.warning("API misuse, ignored: \(what) while the manager's state is \(state)") }
        return state == .poweredOn
    }

    private func isOwn(_ peripheral: CBPeripheral) -> Bool {
        if peripheral.manager !== self { log.warning("API misuse, ignored: \(peripheral) belongs to another manager") }
        return peripheral.manager === self
    }

    /// The one object for a peripheral.
    private func peripheral(_ peer: PeerBook.Peer) -> CBPeripheral {
        manager.withLock { state in
            if let known = state.known[peer.address]?.load() { return known }
            let made = CBPeripheral(peer, manager: self)
            state.known[peer.address] = WeakReference { [weak made] in made }
            return made
        }
    }
}

// MARK: - What the radio reports, on the manager's queue

extension CBCentralManager {
    private func handle(_ event: CentralRadioEvent) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch event {
        case .state(let state): changed(to: state)
        case .discovered(let address, let advertisement, let rssi): discovered(address, advertisement, rssi)
        case .connected(let address, let mtu):
            guard let peripheral = held(address) else { return radio.disconnect(address) }
            let isWanted = peripheral.contents.withLock { contents in
                contents.mtu = mtu
                // Else it is of an attempt that was called off: what was asked for since comes after its end.
                guard contents.state == .connecting, contents.queuedCancel == nil else { return false }
                contents.state = .connected
                contents.queuedConnects = []
                return true
            }
            // Cancelled in the meantime: the disconnection is on its way.
            guard isWanted else { return }
            book.use(address)
            delegate?.centralManager(self, didConnect: peripheral)
            tellEvent(.peerConnected, peripheral)
        case .connectFailed(let address, let failure):
            guard let peripheral = held(address) else { return }
            finish(peripheral, .over)
            delegate?.centralManager(self, didFailToConnect: peripheral, error: failure.publicError)
        case .disconnected(let address, let failure): disconnected(address, failure)
        case .mtuChanged(let address, let mtu):
            held(address)?.contents.withLock { contents in
                if contents.state == .connected { contents.mtu = mtu }
            }
        case .notified(let address, let attribute, let value):
            held(address)?.received(value, for: attribute, manager: self)
        case .servicesChanged(let address, let attributes):
            guard let peripheral = held(address), peripheral.state == .connected else { return }
            let gone = peripheral.dropServices(attributes)
            peripheral.tell(self) { $0.peripheral(peripheral, didModifyServices: gone) }
        }
    }

    private func held(_ address: RadioAddress) -> CBPeripheral? { manager.withLock { $0.held[address] } }

    /// Ends a connection or an attempt. The peripheral stays held if another attempt follows.
    @discardableResult
    private func finish(_ peripheral: CBPeripheral, _ end: CBPeripheral.ConnectionEnd) -> CBPeripheral.AfterConnection {
        let next = peripheral.dropConnection(end)
        manager.withLock { state in
            // Another thread may have asked for a connection just now.
            if peripheral.state == .disconnected { state.held[peripheral.address] = nil }
        }
        return next
    }

    private func changed(to state: CBManagerState) {
        let before = radioState.withLock { current in
            defer { current = state }
            return current
        }
        if state != .poweredOn {
            let dropped = manager.withLock { manager in
                defer {
                    manager.held = [:]
                    manager.scan = nil
                    manager.reported = [:]
                }
                return Array(manager.held.values)
            }
            for peripheral in dropped { peripheral.dropConnection(.silenced) }
        }
        if state != before { delegate?.centralManagerDidUpdateState(self) }
    }

    private func discovered(_ address: RadioAddress, _ advertisement: Advertisement, _ rssi: Int?) {
        let isWanted = manager.withLock { state in
            guard let scan = state.scan,
                advertisement.matches(services: scan.services, solicited: scan.solicited)
            else { return false }
            if scan.allowsDuplicates { return true }
            // Addresses that change for ever must not fill the memory: then some are reported a second time.
            if state.reported.count >= Self.reportedLimit { state.reported = [:] }
            // A scan response may come after the advertisement; what it adds is reported as well, as Apple's systems do.
            return state.reported[address, default: .nothing].formUnion(advertisement.contents)
        }
        guard isWanted else { return }
        let peripheral = peripheral(book.peer(at: address, name: advertisement.localName))
        let isRenamed = peripheral.contents.withLock { contents in
            contents.advertisedServices = advertisement.serviceUUIDs
            guard let name = advertisement.localName, name != contents.name else { return false }
            defer { contents.name = name }
            return contents.name != nil
        }
        manager.withLock { state in
            if state.known.count > 1024 { state.known = state.known.filter { $0.value.load() != nil } }
        }
        if isRenamed { peripheral.tell(self) { $0.peripheralDidUpdateName(peripheral) } }
        delegate?.centralManager(
            self, didDiscover: peripheral, advertisementData: advertisement.dictionary,
            rssi: NSNumber(value: rssi ?? 127))
    }

    private func disconnected(_ address: RadioAddress, _ failure: RadioFailure?) {
        guard let peripheral = held(address) else { return }
        let reconnects = finish(peripheral, failure == nil ? .over : .lost) == .reconnection
        if reconnects { radio.connect(address) }
        delegate?.centralManager(
            self, didDisconnectPeripheral: peripheral, timestamp: Date.now.timeIntervalSinceReferenceDate,
            isReconnecting: reconnects, error: failure?.publicError)
        tellEvent(.peerDisconnected, peripheral)
    }

    private func tellEvent(_ event: CBConnectionEvent, _ peripheral: CBPeripheral) {
        guard let wanted = manager.withLock({ $0.wantedEvents }) else { return }
        let services = Set(peripheral.contents.withLock { $0.advertisedServices }.map(\.uuidString))
        let isWanted =
            wanted.isEmpty || wanted[.peripheralUUIDs]?.contains(peripheral.identifier.uuidString) ?? false
            || !(wanted[.serviceUUIDs]?.isDisjoint(with: services) ?? true)
        if isWanted { delegate?.centralManager(self, connectionEventDidOccur: event, for: peripheral) }
    }
}
