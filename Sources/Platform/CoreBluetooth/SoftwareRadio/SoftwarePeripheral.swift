import Basics
import Dispatch
import Foundation

/// The peripheral's half of the software radio. Confined to its queue.
final class SoftwarePeripheral: PeripheralRadio, @unchecked Sendable {
    // Unchecked because the mutable state is touched on `air.queue` only.

    /// Connections of all kinds that are held at once.
    private static let connectionLimit = 512

    private struct Advertising {
        var packet: AdvertisementPacket
        var isConnectable: Bool
        var listener: RadioSocket
        var source: any DispatchSourceRead
    }

    private let air: SoftwareAir
    private let log = Log("radio")
    private var deliver: (@Sendable (PeripheralRadioEvent) -> Void)?
    private var table = AttributeTable()
    private var advertising: Advertising?
    private var ticker: RadioClock.Alarm?
    /// Connections that have not said yet what they want.
    private var arrivals: [ObjectIdentifier: FrameStream] = [:]
    private var listeners: [ObjectIdentifier: FrameStream] = [:]
    private var sessions: [RadioAddress: SoftwareSession] = [:]
    private var tickets: [RequestTicket: SoftwareSession] = [:]
    private var nextTicket: UInt64 = 1
    private var isOn = false
    /// Why there is no air.
    private let absence = Locked<String?>(nil)
    /// The outages of the radio that have been reported.
    private var outages = 0

    init(_ air: SoftwareAir) { self.air = air }

    var explanation: String? { absence.withLock { $0 } }

    // MARK: Life

    func start(_ deliver: @escaping @Sendable (PeripheralRadioEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(air.queue))
        self.deliver = deliver
        air.conditions.watch(self) { [weak self, queue = air.queue] in
            queue.async { [weak self] in self?.power() }
        }
        do {
            try air.directory.prepare()
            let conditions = air.conditions.values
            (isOn, outages) = (conditions.isPowered, conditions.outages)
            deliver(.state(isOn ? .poweredOn : .poweredOff))
        } catch {
            let what = SoftwareAir.isMissing(error)
            absence.withLock { $0 = what }
            log.error(what)
            deliver(.state(.unsupported))
        }
    }

    func shutdown() {
        dispatchPrecondition(condition: .onQueue(air.queue))
        deliver = nil
        air.conditions.unwatch(self)
        isOn = false
        silence()
    }

    /// Follows the conditions. A radio that went off and came back before this was called was off all the same.
    private func power() {
        let conditions = air.conditions.values
        guard conditions.isPowered != isOn || conditions.outages != outages, let deliver else { return }
        outages = conditions.outages
        if isOn {
            isOn = false
            silence()
            deliver(.state(.poweredOff))
        }
        if conditions.isPowered {
            isOn = true
            deliver(.state(.poweredOn))
        }
    }

    private func silence() {
        stopAdvertising()
        let open = sessions.values
        sessions = [:]
        tickets = [:]
        for session in open { session.close() }
    }

    // MARK: Database

    func add(_ service: LocalService, _ completion: @escaping RadioCompletion<Void>) {
        do throws(RadioFailure) {
            let range = try table.add(service)
            tellServicesChanged(range)
            completion(.success(()))
        } catch {
            completion(.failure(error))
        }
    }

    func remove(_ service: AttributeID) {
        guard let (range, characteristics) = table.remove(service) else { return }
        for session in sessions.values { session.forget(characteristics) }
        tellServicesChanged(range)
    }

    private func tellServicesChanged(_ range: ClosedRange<UInt16>) {
        for session in sessions.values {
            session.stream.send(.servicesChanged(first: range.lowerBound, last: range.upperBound))
        }
    }

    // MARK: Advertising

    func startAdvertising(_ advertisement: Advertisement, _ completion: @escaping RadioCompletion<Void>) {
        guard isOn else { return completion(.failure(.radio(.operationNotSupported, "the radio is switched off"))) }
        guard advertising == nil else { return completion(.failure(.radio(.alreadyAdvertising))) }
        do {
            let packet = try AdvertisementPacket(advertisement)
            let listener = try RadioSocket.listen(at: air.directory.path(of: air.address))
            let source = DispatchSource.makeReadSource(fileDescriptor: listener.descriptor, queue: air.queue)
            source.setEventHandler { [weak self] in self?.accept() }
            source.setCancelHandler { _ = listener }
            advertising = Advertising(
                packet: packet, isConnectable: advertisement.isConnectable, listener: listener, source: source)
            source.activate()
            tick()
            completion(.success(()))
        } catch let error as CBError {
            completion(.failure(.radio(error.code, error.description)))
        } catch {
            completion(.failure(.radio(.unknown, "the software radio cannot advertise: \(error)")))
        }
    }

    func stopAdvertising() {
        guard let running = advertising else { return }
        advertising = nil
        ticker?.cancel()
        // The name goes first, so that nobody who finds it meets a closed socket.
        air.directory.remove(air.address)
        running.source.cancel()
        for stream in listeners.values { stream.close() }
        for stream in arrivals.values { stream.close() }
        listeners = [:]
        arrivals = [:]
    }

    private func tick() {
        guard advertising != nil else { return }
        let values = air.conditions.values
        for stream in listeners.values { advertise(to: stream, values) }
        ticker = air.clock.after(values.advertisingInterval, on: air.queue) { [weak self] in self?.tick() }
    }

    private func advertise(to stream: FrameStream, _ values: RadioConditions.Values) {
        // What a slow scanner does not take is lost, as on the air.
        guard let advertising, stream.isIdle, air.random.unit() >= values.loss else { return }
        let rssi = Int8(clamping: values.signalStrength)
        stream.sendNow(.advertisement(advertising.packet, isConnectable: advertising.isConnectable, rssi: rssi))
    }

    private func accept() {
        do {
            while let advertising, let socket = try advertising.listener.accept() {
                guard arrivals.count + listeners.count + sessions.count < Self.connectionLimit else { continue }
                welcome(FrameStream(socket, on: air))
            }
        } catch {
            log.error("\(air.address) stops advertising: \(error)")
            stopAdvertising()
            deliver?(.advertisingStopped(.radio(.unknown, "the software radio cannot accept connections: \(error)")))
        }
    }

    private func welcome(_ stream: FrameStream) {
        let key = ObjectIdentifier(stream)
        arrivals[key] = stream
        stream.start { [weak self, weak stream] frame in
            guard let self, let stream else { return }
            if let session = sessions.values.first(where: { $0.stream === stream }) {
                session.receive(frame, in: table)
            } else {
                greeted(frame, by: stream)
            }
        } onEnd: { [weak self] reason in
            guard let self else { return }
            if case .garbage(let what) = reason { log.warning("a central sent \(what); connection closed") }
            arrivals[key] = nil
            listeners[key] = nil
            if let session = sessions.values.first(where: { ObjectIdentifier($0.stream) == key }) { ended(session) }
        }
    }

    private func greeted(_ frame: RadioFrame, by stream: FrameStream) {
        let key = ObjectIdentifier(stream)
        guard arrivals.removeValue(forKey: key) != nil else { return stream.close() }
        switch frame {
        case .listen:
            listeners[key] = stream
            advertise(to: stream, air.conditions.values)
        case .connect(let address, let mtu):
            guard let advertising, advertising.isConnectable, sessions[address] == nil else {
                return stream.close(farewell: .refused)
            }
            let offered = air.conditions.mtu
            let central = RemoteCentral(address: address, mtu: min(max(Int(mtu), 23), offered))
            let session = SoftwareSession(central, over: stream, air: air) { [weak self] session, event in
                self?.session(session, event)
            }
            sessions[address] = session
            stream.send(.accepted(mtu: UInt16(offered)))
        default:
            stream.close()
        }
    }

    // MARK: Connections

    private func session(_ session: SoftwareSession, _ event: SoftwareSession.Event) {
        guard sessions[session.central.address] === session else { return }
        let central = session.central
        switch event {
        case .read(let attribute, let offset):
            deliver?(.read(central, attribute, offset: offset, ticket(for: session)))
        case .write(let pieces, let needsAnswer):
            deliver?(.write(central, pieces, needsAnswer ? ticket(for: session) : nil))
        case .subscribed(let attribute): deliver?(.subscribed(central, attribute))
        case .unsubscribed(let attribute): deliver?(.unsubscribed(central, attribute))
        case .hungUp(let why):
            if let why { log.warning("hung up on central \(central.address): \(why)") }
            ended(session)
        }
    }

    private func ticket(for session: SoftwareSession) -> RequestTicket {
        let ticket = RequestTicket(number: nextTicket)
        nextTicket += 1
        tickets[ticket] = session
        return ticket
    }

    private func ended(_ session: SoftwareSession) {
        sessions[session.central.address] = nil
        for (ticket, owner) in tickets where owner === session { tickets[ticket] = nil }
        let subscriptions = session.subscriptions
        session.close()
        for attribute in subscriptions.sorted(by: { $0.number < $1.number }) {
            deliver?(.unsubscribed(session.central, attribute))
        }
        deliver?(.disconnected(session.central))
    }

    func respond(to ticket: RequestTicket, _ result: RadioResult<Data>) {
        // The central may have gone in the meantime.
        tickets.removeValue(forKey: ticket)?.answer(result)
    }

    func notify(
        _ value: Data, for characteristic: AttributeID, to centrals: [RadioAddress],
        _ completion: @escaping @Sendable () -> Void
    ) {
        guard let handle = table.valueHandle(of: characteristic) else { return completion() }
        let targets = centrals.compactMap { sessions[$0] }.filter { $0.subscriptions.contains(characteristic) }
        guard !targets.isEmpty else { return completion() }
        let remaining = Locked(targets.count)
        for session in targets {
            session.notify(value, handle: handle, characteristic) {
                let isLast = remaining.withLock { count in
                    count -= 1
                    return count == 0
                }
                if isLast { completion() }
            }
        }
    }

    func setLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: RadioAddress) {
        log.debug("the software radio's latency is set by its conditions; \(latency) for \(central) is not applied")
    }
}
