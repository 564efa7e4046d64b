import Basics
public import Foundation

/// Where a connection stands.
public enum CBPeripheralState: Int, Sendable {
    /// No connection.
    case disconnected = 0
    /// Asked for; takes as long as it takes.
    case connecting
    /// The connection stands.
    case connected
    /// Cancelled, but not gone yet.
    case disconnecting
}

/// Whether a write is answered.
public enum CBCharacteristicWriteType: Int, Sendable {
    /// Answered with `didWriteValueFor`.
    case withResponse = 0
    /// Not answered; lost without notice when the link breaks.
    case withoutResponse
}

/// A device that a central manager has discovered or retrieved.
///
/// Methods may be called from any thread and are carried out in order on the manager's queue; properties may be read
/// from any thread. Requests to a peripheral that is not connected are misuse: they are logged and ignored.
public final class CBPeripheral: CBPeer, @unchecked Sendable {
    // Unchecked because of NSObject: what changes is inside `Locked`.

    struct Contents {
        var name: String?
        var state = CBPeripheralState.disconnected
        var mtu = 0
        var services: [CBService]?
        /// Everything that discovery found on this connection.
        var attributes: [AttributeID: CBAttribute] = [:]
        var advertisedServices: [CBUUID] = []
        /// Connects that were asked for and have not reached the radio yet.
        var queuedConnects: Set<Int> = []
        /// The cancellation that has not reached the radio yet.
        var queuedCancel: Int?
        /// Numbers the two.
        var calls = 0
        var reconnects = false
        /// Writes without response that the radio has not taken yet.
        var commands = 0
        var isStarved = false
    }

    /// Writes without response under way at which ``canSendWriteWithoutResponse`` turns false.
    static let commandWindow = 16
    /// Writes without response that are kept when the caller does not mind ``canSendWriteWithoutResponse``.
    static let commandLimit = 1024

    let contents: Locked<Contents>
    let log = Log("bluetooth")
    private weak var weakManager: CBCentralManager?
    private let delegateReference = Locked(WeakReference<any CBPeripheralDelegate>.empty)

    init(_ peer: PeerBook.Peer, manager: CBCentralManager) {
        weakManager = manager
        contents = Locked(Contents(name: peer.name))
        super.init(identifier: peer.identifier, address: peer.address)
    }

    /// Hears what the peripheral answers and sends. Held weakly.
    public var delegate: (any CBPeripheralDelegate)? {
        get { delegateReference.withLock { $0 }.load() }
        set {
            let reference = WeakReference<any CBPeripheralDelegate> { [weak newValue] in newValue }
            delegateReference.withLock { $0 = reference }
        }
    }

    /// The name, as far as the peripheral has told it.
    public var name: String? { contents.withLock { $0.name } }

    /// Where the connection stands.
    public var state: CBPeripheralState { contents.withLock { $0.state } }

    /// The services found on this connection; nil before, and after the connection has ended.
    public var services: [CBService]? { contents.withLock { $0.services } }

    /// Whether there is room for a write without response. When it turned false,
    /// `peripheralIsReady(toSendWriteWithoutResponse:)` tells when there is room again.
    public var canSendWriteWithoutResponse: Bool {
        contents.withLock { $0.state == .connected && $0.commands < Self.commandWindow }
    }

    /// Whether Apple's notification centre service is allowed. Never on Linux.
    public var ancsAuthorized: Bool { false }

    /// The longest value for one write, in bytes.
    /// - Returns: 512 with response (several requests are sent when it takes them), the ATT MTU less 3 without; 0 when
    ///   not connected.
    public func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        contents.withLock { contents in
            guard contents.state == .connected else { return 0 }
            return type == .withResponse ? ATTLimit.valueBytes : min(contents.mtu - 3, ATTLimit.valueBytes)
        }
    }

    override var label: String { name.map { "peripheral \($0)" } ?? "peripheral" }

    var manager: CBCentralManager? { weakManager }

    // MARK: Discovery

    /// Finds services. Answered by `peripheral(_:didDiscoverServices:)`.
    /// - Parameter serviceUUIDs: Only these; nil for all.
    public func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        command("discoverServices") { [self] manager in
            manager.radio.discoverServices(of: address) { [self, weak manager] result in
                guard let manager else { return }
                if case .success(let found) = result { keep(found, wanted: serviceUUIDs) }
                tell(manager) { $0.peripheral(self, didDiscoverServices: result.publicError) }
            }
        }
    }

    /// Finds the services that a service includes. Answered by `peripheral(_:didDiscoverIncludedServicesFor:error:)`.
    /// - Parameter includedServiceUUIDs: Only these; nil for all.
    public func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        command("discoverIncludedServices") { [self] manager in
            let answer: RadioCompletion<[RemoteService]> = { [self, weak manager] result in
                guard let manager else { return }
                if case .success(let found) = result { keep(found, in: service, wanted: includedServiceUUIDs) }
                tell(manager) {
                    $0.peripheral(self, didDiscoverIncludedServicesFor: service, error: result.publicError)
                }
            }
            guard let id = identifier(of: service) else { return answer(.failure(.radio(.invalidHandle))) }
            manager.radio.discoverIncludedServices(of: id, at: address, answer)
        }
    }

    /// Finds characteristics. Answered by `peripheral(_:didDiscoverCharacteristicsFor:error:)`.
    /// - Parameter characteristicUUIDs: Only these; nil for all.
    public func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        command("discoverCharacteristics") { [self] manager in
            let answer: RadioCompletion<[RemoteCharacteristic]> = { [self, weak manager] result in
                guard let manager else { return }
                if case .success(let found) = result { keep(found, in: service, wanted: characteristicUUIDs) }
                tell(manager) { $0.peripheral(self, didDiscoverCharacteristicsFor: service, error: result.publicError) }
            }
            guard let id = identifier(of: service) else { return answer(.failure(.radio(.invalidHandle))) }
            manager.radio.discoverCharacteristics(of: id, at: address, answer)
        }
    }

    /// Finds descriptors. Answered by `peripheral(_:didDiscoverDescriptorsFor:error:)`.
    public func discoverDescriptors(for characteristic: CBCharacteristic) {
        command("discoverDescriptors") { [self] manager in
            let answer: RadioCompletion<[RemoteDescriptor]> = { [self, weak manager] result in
                guard let manager else { return }
                if case .success(let found) = result { keep(found, in: characteristic) }
                tell(manager) {
                    $0.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: result.publicError)
                }
            }
            guard let id = identifier(of: characteristic) else { return answer(.failure(.radio(.invalidHandle))) }
            manager.radio.discoverDescriptors(of: id, at: address, answer)
        }
    }

    // MARK: Values

    /// Reads a value. Answered by `peripheral(_:didUpdateValueFor:error:)`.
    public func readValue(for characteristic: CBCharacteristic) {
        command("readValue") { [self] manager in
            let answer: RadioCompletion<Data> = { [self, weak manager] result in
                guard let manager else { return }
                if case .success(let value) = result { characteristic.contents.withLock { $0.value = value } }
                tell(manager) { $0.peripheral(self, didUpdateValueFor: characteristic, error: result.publicError) }
            }
            guard let id = identifier(of: characteristic) else { return answer(.failure(.radio(.invalidHandle))) }
            manager.radio.read(id, at: address, answer)
        }
    }

    /// Reads a descriptor. Answered by `peripheral(_:didUpdateValueFor:error:)`.
    public func readValue(for descriptor: CBDescriptor) {
        command("readValue") { [self] manager in
            let answer: RadioCompletion<Data> = { [self, weak manager] result in
                guard let manager else { return }
                if case .success(let value) = result { descriptor.contents.withLock { $0.bytes = value } }
                tell(manager) { $0.peripheral(self, didUpdateValueFor: descriptor, error: result.publicError) }
            }
            guard let id = identifier(of: descriptor) else { return answer(.failure(.radio(.invalidHandle))) }
            manager.radio.read(id, at: address, answer)
        }
    }

    /// Writes a value.
    ///
    /// With response it is answered by `peripheral(_:didWriteValueFor:error:)`. Without, it is sent as soon as the radio
    /// has room: mind ``canSendWriteWithoutResponse``. A value longer than ``maximumWriteValueLength(for:)`` is refused:
    /// with an error, or, without response, with a line in the log.
    public func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        switch type {
        case .withResponse:
            command("writeValue") { [self] manager in
                let answer: RadioCompletion<Void> = { [self, weak manager] result in
                    guard let manager else { return }
                    tell(manager) { $0.peripheral(self, didWriteValueFor: characteristic, error: result.publicError) }
                }
                guard let id = identifier(of: characteristic) else { return answer(.failure(.radio(.invalidHandle))) }
                guard data.count <= ATTLimit.valueBytes else {
                    return answer(.failure(.att(.invalidAttributeValueLength)))
                }
                manager.radio.write(data, to: id, at: address, answer)
            }
        case .withoutResponse: writeWithoutResponse(data, for: characteristic)
        }
    }

    private func writeWithoutResponse(_ data: Data, for characteristic: CBCharacteristic) {
        guard characteristic.properties.contains(.writeWithoutResponse), let id = identifier(of: characteristic) else {
            return misuse("\(characteristic) of \(self) cannot be written without response")
        }
        let longest = maximumWriteValueLength(for: .withoutResponse)
        guard data.count <= longest else {
            return misuse("a write without response of \(data.count) bytes; at most \(longest) fit")
        }
        command("writeValue") { [self] in
            contents.withLock { contents in
                guard contents.commands < Self.commandLimit else { return false }
                contents.commands += 1
                if contents.commands >= Self.commandWindow { contents.isStarved = true }
                return true
            }
        } _: { [self] manager in
            manager.radio.writeWithoutResponse(data, to: id, at: address) { [self, weak manager] _ in
                commandSent(manager)
            }
        }
    }

    private func commandSent(_ manager: CBCentralManager?) {
        let isReady = contents.withLock { contents in
            contents.commands = max(contents.commands - 1, 0)
            guard contents.isStarved, contents.commands <= Self.commandWindow / 2, contents.state == .connected else {
                return false
            }
            contents.isStarved = false
            return true
        }
        if isReady, let manager { tell(manager) { $0.peripheralIsReady(toSendWriteWithoutResponse: self) } }
    }

    /// Writes a descriptor. Answered by `peripheral(_:didWriteValueFor:error:)`.
    ///
    /// Subscriptions (2902) are written by ``setNotifyValue(_:for:)`` only; writing that descriptor is answered with an
    /// error.
    public func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        command("writeValue") { [self] manager in
            let answer: RadioCompletion<Void> = { [self, weak manager] result in
                guard let manager else { return }
                tell(manager) { $0.peripheral(self, didWriteValueFor: descriptor, error: result.publicError) }
            }
            guard let id = identifier(of: descriptor) else { return answer(.failure(.radio(.invalidHandle))) }
            guard descriptor.uuid != GATTType.clientConfiguration else {
                return answer(
                    .failure(.radio(.uuidNotAllowed, "subscriptions are changed with setNotifyValue(_:for:)")))
            }
            manager.radio.write(data, to: id, at: address, answer)
        }
    }

    /// Turns notifications or indications on or off. Answered by `peripheral(_:didUpdateNotificationStateFor:error:)`,
    /// at once if nothing changes.
    public func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        command("setNotifyValue") { [self] manager in
            let answer: RadioCompletion<Void> = { [self, weak manager] result in
                guard let manager else { return }
                if case .success = result { characteristic.contents.withLock { $0.isNotifying = enabled } }
                tell(manager) {
                    $0.peripheral(self, didUpdateNotificationStateFor: characteristic, error: result.publicError)
                }
            }
            guard let id = identifier(of: characteristic) else { return answer(.failure(.radio(.invalidHandle))) }
            guard characteristic.properties.canNotify else { return answer(.failure(.att(.requestNotSupported))) }
            let isUnderWay = characteristic.contents.withLock { contents in
                defer { contents.subscriptionChanges += 1 }
                return contents.subscriptionChanges > 0
            }
            let counted: RadioCompletion<Void> = { result in
                characteristic.contents.withLock { $0.subscriptionChanges -= 1 }
                answer(result)
            }
            guard isUnderWay || characteristic.isNotifying != enabled else { return counted(.success(())) }
            manager.radio.setNotify(enabled, for: id, at: address, counted)
        }
    }

    /// Measures how strongly the peripheral is received. Answered by `peripheral(_:didReadRSSI:error:)`.
    public func readRSSI() {
        command("readRSSI") { [self] manager in
            manager.radio.readRSSI(of: address) { [self, weak manager] result in
                guard let manager else { return }
                let strength = (try? result.get()) ?? 127
                tell(manager) {
                    $0.peripheral(self, didReadRSSI: NSNumber(value: strength), error: result.publicError)
                }
            }
        }
    }

    // MARK: Commands

    /// Hands a request to the manager's queue if the peripheral is connected.
    /// - Parameter admit: The last word, at the caller's: false refuses.
    private func command(
        _ what: String, _ admit: () -> Bool = { true }, _ body: @escaping @Sendable (CBCentralManager) -> Void
    ) {
        guard let manager, manager.state == .poweredOn else {
            return misuse("\(what) on \(self) while its manager is not powered on")
        }
        guard state == .connected else { return misuse("\(what) on \(self), which is not connected") }
        guard admit() else { return misuse("\(what) on \(self): too much is waiting to be sent") }
        manager.turns.async { [weak manager] in
            if let manager { body(manager) }
        }
    }

    private func misuse(_ what: String) { log.warning("API misuse, ignored: \(what)") }

    /// Calls the delegate, on the manager's queue, while the manager lives.
    func tell(_ manager: CBCentralManager, _ body: (any CBPeripheralDelegate) -> Void) {
        dispatchPrecondition(condition: .onQueue(manager.queue))
        if let delegate { body(delegate) }
    }
}

extension Result where Failure == RadioFailure {
    /// The failure as the public classes give it.
    var publicError: (any Error)? {
        guard case .failure(let failure) = self else { return nil }
        return failure.publicError
    }
}
