import Basics
import Dispatch
import Foundation

/// The central's half of the software radio. Confined to its queue.
final class SoftwareCentral: CentralRadio, @unchecked Sendable {
    // Unchecked because the mutable state is touched on `air.queue` only, but for `connected`, which is locked.

    /// Before a busy or vanished peripheral is tried again.
    private static let retryDelay = Duration.milliseconds(100)

    private let air: SoftwareAir
    private let log = Log("radio")
    private var deliver: (@Sendable (CentralRadioEvent) -> Void)?
    private var watch: RadioDirectoryWatch?
    private var scan: ScanRequest?
    private var listening: [RadioAddress: FrameStream] = [:]
    private var links: [RadioAddress: SoftwareLink] = [:]
    private var waiting: Set<RadioAddress> = []
    private var retry: RadioClock.Alarm?
    private var isOn = false
    /// Why there is no air.
    private let absence = Locked<String?>(nil)
    /// The outages of the radio that have been reported.
    private var outages = 0
    private let connected = Locked<[RadioAddress: [CBUUID]]>([:])

    init(_ air: SoftwareAir) { self.air = air }

    var connectedPeripherals: [RadioAddress: [CBUUID]] { connected.withLock { $0 } }

    var explanation: String? { absence.withLock { $0 } }

    // MARK: Life

    func start(_ deliver: @escaping @Sendable (CentralRadioEvent) -> Void) {
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
        silence(.radio(.operationCancelled))
    }

    /// Follows the conditions. A radio that went off and came back before this was called was off all the same.
    private func power() {
        let conditions = air.conditions.values
        guard conditions.isPowered != isOn || conditions.outages != outages, let deliver else { return }
        outages = conditions.outages
        if isOn {
            isOn = false
            silence(.radio(.notConnected, "the radio was switched off"))
            deliver(.state(.poweredOff))
        }
        if conditions.isPowered {
            isOn = true
            deliver(.state(.poweredOn))
        }
    }

    private func silence(_ failure: RadioFailure) {
        scan = nil
        waiting = []
        retry?.cancel()
        watch = nil
        for stream in listening.values { stream.close() }
        listening = [:]
        let open = links.values
        links = [:]
        connected.withLock { $0 = [:] }
        for link in open { link.close(failure) }
    }

    // MARK: Scanning

    func scan(_ request: ScanRequest) {
        guard isOn else { return }
        let isNew = scan == nil
        scan = request
        if isNew { look() }
    }

    func stopScan() {
        scan = nil
        for stream in listening.values { stream.close() }
        listening = [:]
        rest()
    }

    /// Follows the directory while something is looked for.
    private func look() {
        guard isOn, scan != nil || !waiting.isEmpty else { return }
        if watch == nil { watch = RadioDirectoryWatch(air) { [weak self] in self?.look() } }
        let addresses = air.directory.addresses()
        if scan != nil {
            for address in addresses where listening[address] == nil && address != air.address { listen(to: address) }
        }
        for address in waiting where addresses.contains(address) { open(address) }
    }

    private func rest() {
        if scan == nil, waiting.isEmpty {
            watch = nil
            retry?.cancel()
        }
    }

    private func lookAgainSoon() {
        retry?.cancel()
        retry = air.clock.after(Self.retryDelay, on: air.queue) { [weak self] in self?.look() }
    }

    private func listen(to address: RadioAddress) {
        switch air.directory.reach(address) {
        case .absent: return
        case .busy: lookAgainSoon()
        case .reached(let socket):
            let stream = FrameStream(socket, on: air)
            listening[address] = stream
            stream.start { [weak self] frame in
                self?.heard(frame, from: address)
            } onEnd: { [weak self, weak stream] reason in
                guard let self, let stream, listening[address] === stream else { return }
                listening[address] = nil
                report(reason, of: address)
                // It may advertise again under the same name, which came before this news.
                lookAgainSoon()
            }
            stream.sendNow(.listen(air.address))
        }
    }

    private func heard(_ frame: RadioFrame, from address: RadioAddress) {
        guard scan != nil, case .advertisement(let packet, let isConnectable, let rssi) = frame else { return }
        deliver?(
            .discovered(
                address, packet.advertisement(isConnectable: isConnectable),
                rssi: rssi == 127 ? nil : max(Int(rssi) - air.conditions.attenuation, -127)))
    }

    // MARK: Connections

    func connect(_ address: RadioAddress) {
        guard isOn, links[address] == nil else { return }
        waiting.insert(address)
        look()
    }

    private func open(_ address: RadioAddress) {
        guard links[address] == nil else { return }
        switch air.directory.reach(address) {
        case .absent: return
        case .busy: lookAgainSoon()
        case .reached(let socket):
            let link = SoftwareLink(to: address, over: FrameStream(socket, on: air), air: air) {
                [weak self] link, event in
                self?.link(link, event)
            }
            links[address] = link
            link.open()
        }
    }

    private func link(_ link: SoftwareLink, _ event: SoftwareLink.Event) {
        let address = link.address
        guard links[address] === link else { return }
        switch event {
        case .opened(let mtu):
            waiting.remove(address)
            rest()
            connected.withLock { $0[address] = [] }
            deliver?(.connected(address, mtu: mtu))
        case .refused:
            waiting.remove(address)
            links[address] = nil
            rest()
            deliver?(.connectFailed(address, .radio(.connectionFailed)))
        case .neverOpened:
            // It went away before it answered: an attempt has no time limit, so it is tried again.
            links[address] = nil
            lookAgainSoon()
        case .closed(let failure):
            links[address] = nil
            connected.withLock { $0[address] = nil }
            deliver?(.disconnected(address, failure))
        case .services(let uuids):
            connected.withLock { if $0[address] != nil { $0[address] = uuids } }
        case .notified(let attribute, let value): deliver?(.notified(address, attribute, value))
        case .servicesChanged(let services): deliver?(.servicesChanged(address, services))
        }
    }

    func disconnect(_ address: RadioAddress) {
        waiting.remove(address)
        let link = links.removeValue(forKey: address)
        connected.withLock { $0[address] = nil }
        rest()
        link?.close(.radio(.operationCancelled))
        deliver?(.disconnected(address, nil))
    }

    func link(to address: RadioAddress) -> (any AttributeLink)? {
        dispatchPrecondition(condition: .onQueue(air.queue))
        guard let link = links[address], link.isOpen else { return nil }
        return link
    }

    private func report(_ reason: FrameStream.End, of address: RadioAddress) {
        if case .garbage(let what) = reason { log.warning("\(address) sent \(what); not listening to it any more") }
    }
}
