import Basics
import CoreBluetooth
import Dispatch
import Foundation
import Wire

/// What a radio tells of its life and of its clients; called on the radio's queue.
protocol PairingRadioHandler: AnyObject {
    /// The services can be found, for the first time or again: say what to advertise.
    func radioIsReady()
    /// The name is on the air, for the first time.
    func radioAdvertises()
    /// The radio is off: nobody is connected any more.
    func radioLostItsLinks()
    /// There is room for notifications again.
    func radioHasRoom()
    /// A client reads. Answer by ``PairingRadio/respond(to:with:)``.
    func radio(didReceiveRead request: CBATTRequest)
    /// A client writes. Answer the first by ``PairingRadio/respond(to:with:)``.
    func radio(didReceiveWrite requests: [CBATTRequest])
    /// A client takes notifications.
    func radio(client: UUID, didSubscribeTo attribute: PairingAttribute)
    /// A client takes them no more, or is gone.
    func radio(client: UUID, didUnsubscribeFrom attribute: PairingAttribute)
}

/// The camera's Bluetooth radio: waits for it, offers the services of the layouts, advertises, notifies.
///
/// All state is confined to the queue that it is given, which is the peripheral manager's queue too. Methods are called
/// there, except where they say otherwise.
final class PairingRadio: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    // Unchecked because the mutable properties are touched on `queue` only.

    /// How long ``start()`` waits for an adapter that is not there or not on: at the start of a machine the daemon comes
    /// after the camera, and switches its adapters on after that.
    static let patience: Duration = .seconds(30)

    private let queue: DispatchQueue
    private let name: String
    private let layouts: PairingInfo.Layouts
    private let clock: any Clock<Duration>
    private let options: [String: any Sendable]
    private let log = Log("pairing")
    private weak var handler: (any PairingRadioHandler)?

    private var manager: CBPeripheralManager?
    private var characteristics: [PairingAttribute: CBMutableCharacteristic] = [:]
    private var services: [CBMutableService] = []
    private var starting: CheckedContinuation<Result<Void, CameraError>, Never>?
    private var timer: Task<Void, Never>?
    /// Why the radio that is waited for is not there.
    private var reason = ""
    private var isOver = false
    private var advertised: PairingAdvertisement?

    /// A radio that is not taken yet.
    /// - Parameters:
    ///   - name: The name to advertise.
    ///   - options: For the peripheral manager.
    init(
        on queue: DispatchQueue, name: String, layouts: PairingInfo.Layouts, clock: any Clock<Duration>,
        options: [String: any Sendable]
    ) {
        (self.queue, self.name, self.layouts, self.clock, self.options) = (queue, name, layouts, clock, options)
    }

    /// Takes the radio, waits for it if it is not on yet, and offers the services. Returns once they are advertised. From
    /// any task.
    /// - Parameter handler: Kept weakly.
    /// - Throws: ``CameraError``: `stopped` when the task is cancelled or ``stop()`` is called meanwhile.
    func start(_ handler: any PairingRadioHandler & Sendable) async throws(CameraError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, CameraError>, Never>) in
                queue.async { [self] in
                    guard !isOver else { return continuation.resume(returning: .failure(.stopped)) }
                    self.handler = handler
                    starting = continuation
                    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
                }
            }
        } onCancel: {
            queue.async { [self] in
                isOver = true
                finishStarting(.failure(.stopped))
            }
        }
        try result.get()
    }

    /// Gives the radio back: the services are gone, and nobody is told anything any more.
    func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        isOver = true
        finishStarting(.failure(.stopped))
        if let manager, manager.state == .poweredOn {
            manager.stopAdvertising()
            manager.removeAllServices()
        }
        manager?.delegate = nil
        (manager, handler) = (nil, nil)
        (characteristics, services) = ([:], [])
    }

    /// Starts or stops advertising, or renews it with what is to be said now.
    /// - Parameter state: Where the camera stands; nil when it is not to be found.
    func advertise(_ state: PairingState?) {
        guard let manager, manager.state == .poweredOn, let layout = layouts.advertised else { return }
        let wanted = state.map { PairingAdvertisement(state: $0, layouts: layouts) }
        guard wanted != advertised else { return }
        // After a power cut the manager resumes what it advertised, which may be out of date.
        if advertised != nil || manager.isAdvertising { manager.stopAdvertising() }
        advertised = wanted
        guard let wanted else { return }
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: name,
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: layout.service)],
            CBAdvertisementDataManufacturerDataKey: wanted.manufacturerData,
        ])
    }

    /// Answers a request.
    func respond(to request: CBATTRequest, with result: CBATTError.Code) {
        manager?.respond(to: request, withResult: result)
    }

    /// Notifies a client, or all subscribers (nil).
    /// - Returns: False when there is no room: try again after ``PairingRadioHandler/radioHasRoom()``.
    func notify(_ bytes: Data, _ attribute: PairingAttribute, to client: UUID?) -> Bool {
        guard let manager, manager.state == .poweredOn else { return false }
        guard let characteristic = characteristics[attribute] else { return true }
        let centrals = client.map { client in self.centrals(attribute).filter { $0.identifier == client } }
        return manager.updateValue(bytes, for: characteristic, onSubscribedCentrals: centrals)
    }

    /// Whether a client takes an attribute's notifications.
    func isSubscribed(_ client: UUID, to attribute: PairingAttribute) -> Bool {
        centrals(attribute).contains { $0.identifier == client }
    }

    /// Whether a client takes notifications of anything, so that its leaving is seen.
    func isSubscribed(_ client: UUID) -> Bool {
        characteristics.keys.contains { isSubscribed(client, to: $0) }
    }

    /// The longest notification of an attribute that a client takes; nil when it takes none.
    func limit(of attribute: PairingAttribute, for client: UUID) -> Int? {
        centrals(attribute).first { $0.identifier == client }?.maximumUpdateValueLength
    }

    private func centrals(_ attribute: PairingAttribute) -> [CBCentral] {
        characteristics[attribute]?.subscribedCentrals ?? []
    }

    // MARK: Life

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch peripheral.state {
        case .poweredOn:
            timer?.cancel()
            timer = nil
            offerServices(peripheral)
        case .poweredOff:
            waitForRadio(peripheral.stateReason ?? "Bluetooth is switched off")
            linksAreLost()
        case .unsupported:
            waitForRadio(peripheral.stateReason ?? "this machine has no radio")
            linksAreLost()
        case .unauthorized:
            finishStarting(.failure(.noRadio(reason: peripheral.stateReason ?? "this account may not use Bluetooth")))
            linksAreLost()
        case .unknown, .resetting:
            linksAreLost()
        @unknown default:
            break
        }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error {
            log.error("a pairing service was refused by the radio: \(error)")
            finishStarting(.failure(.noRadio(reason: "it refused the pairing service: \(error)")))
        } else {
            services.removeAll { $0.uuid == service.uuid }
            if services.isEmpty { handler?.radioIsReady() }
        }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            log.error("advertising failed: \(error)")
            advertised = nil
            finishStarting(.failure(.noRadio(reason: "advertising failed: \(error)")))
        } else {
            if starting != nil { handler?.radioAdvertises() }
            finishStarting(.success(()))
        }
    }

    private func waitForRadio(_ reason: String) {
        guard starting != nil else { return }
        log.warning("\(reason): waiting up to \(Self.patience) for it")
        self.reason = reason
        guard timer == nil else { return }
        timer = Task { [weak self, clock, queue] in
            guard (try? await clock.sleep(for: Self.patience)) != nil, !Task.isCancelled else { return }
            queue.async { [weak self] in
                guard let self, timer != nil else { return }
                finishStarting(.failure(.noRadio(reason: self.reason)))
            }
        }
    }

    private func finishStarting(_ result: Result<Void, CameraError>) {
        timer?.cancel()
        timer = nil
        starting?.resume(returning: result)
        starting = nil
    }

    private func offerServices(_ manager: CBPeripheralManager) {
        manager.removeAllServices()
        characteristics = [:]
        services = layouts.known.map { layout in
            let attributes = PairingAttribute.all(of: layout)
            for attribute in attributes { characteristics[attribute] = attribute.characteristic }
            let service = CBMutableService(type: CBUUID(string: layout.service), primary: true)
            service.characteristics = attributes.compactMap { characteristics[$0] }
            return service
        }
        for service in services { manager.add(service) }
    }

    private func linksAreLost() {
        advertised = nil
        handler?.radioLostItsLinks()
    }

    // MARK: Clients

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        handler?.radio(didReceiveRead: request)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        handler?.radio(didReceiveWrite: requests)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard let attribute = PairingAttribute(uuid: characteristic.uuid) else { return }
        handler?.radio(client: central.identifier, didSubscribeTo: attribute)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard let attribute = PairingAttribute(uuid: characteristic.uuid) else { return }
        handler?.radio(client: central.identifier, didUnsubscribeFrom: attribute)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { handler?.radioHasRoom() }
}
