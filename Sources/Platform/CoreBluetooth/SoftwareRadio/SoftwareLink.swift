import Basics
import Dispatch
import Foundation

/// A connection as the software radio's central has it: the stream, the ATT client, and what discovery found.
///
/// Confined to the radio's queue.
final class SoftwareLink: AttributeLink, @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    enum Event: Sendable {
        case opened(mtu: Int)
        case refused
        /// The peripheral went away before it answered.
        case neverOpened
        /// The connection ended by itself.
        case closed(RadioFailure)
        case services([CBUUID])
        case notified(AttributeID, Data)
        case servicesChanged([AttributeID]?)
    }

    private struct Characteristic {
        var properties: CBCharacteristicProperties
        /// Descriptors stand between the value and this handle.
        var last: UInt16
        var subscription: UInt16?
    }

    let address: RadioAddress
    private let stream: FrameStream
    private let air: SoftwareAir
    private let deliver: @Sendable (SoftwareLink, Event) -> Void
    private var client: ATTClient?
    private var services: [UInt16: UInt16] = [:]
    private var characteristics: [UInt16: Characteristic] = [:]
    private var unacknowledged: [RadioCompletion<Void>] = []
    private var signalRequests: [RadioCompletion<Int>] = []
    private var isClosed = false

    init(
        to address: RadioAddress, over stream: FrameStream, air: SoftwareAir,
        deliver: @escaping @Sendable (SoftwareLink, Event) -> Void
    ) {
        self.address = address
        self.stream = stream
        self.air = air
        self.deliver = deliver
    }

    var isOpen: Bool { client != nil && !isClosed }

    // MARK: Life

    func open() {
        stream.start { [weak self] frame in
            self?.receive(frame)
        } onEnd: { [weak self] reason in
            self?.ended(reason)
        }
        stream.send(.connect(air.address, mtu: UInt16(air.conditions.mtu)))
    }

    /// Ends the link from this side, without an event. What waits is completed with `failure`.
    func close(_ failure: RadioFailure) {
        guard !isClosed else { return }
        isClosed = true
        stream.close(farewell: .terminate)
        failAll(failure)
    }

    private func ended(_ reason: FrameStream.End) {
        switch reason {
        case .closed: lose(.radio(.connectionTimeout))
        case .garbage(let what): lose(.radio(.connectionFailed, "\(address) sent \(what)"))
        case .overflow: lose(.radio(.connectionTimeout, "\(address) does not read what is sent to it"))
        }
    }

    private func lose(_ failure: RadioFailure) {
        guard !isClosed else { return }
        isClosed = true
        stream.close()
        let wasOpen = client != nil
        failAll(failure)
        deliver(self, wasOpen ? .closed(failure) : .neverOpened)
    }

    private func failAll(_ failure: RadioFailure) {
        client?.fail(failure)
        let commands = unacknowledged
        unacknowledged = []
        for completion in commands { completion(.failure(failure)) }
        let requests = signalRequests
        signalRequests = []
        for completion in requests { completion(.failure(failure)) }
    }

    // MARK: Frames

    private func receive(_ frame: RadioFrame) {
        switch frame {
        case .accepted(let mtu) where client == nil:
            let agreed = min(max(Int(mtu), 23), air.conditions.mtu)
            client = ATTClient(mtu: agreed, air: air) { [weak self] packet in
                self?.stream.send(.att(packet.encoded))
            } onTimeout: { [weak self] in
                self?.stream.close(farewell: .terminate)
                self?.lose(.radio(.connectionTimeout, "the peripheral did not answer a request within 30 s"))
            }
            deliver(self, .opened(mtu: agreed))
        case .refused where client == nil:
            isClosed = true
            stream.close()
            deliver(self, .refused)
        case .terminate: lose(.radio(.peripheralDisconnected))
        case .att(let data) where client != nil: receive(data)
        case .acknowledged(let count):
            for _ in 0..<min(Int(count), unacknowledged.count) { unacknowledged.removeFirst()(.success(())) }
        case .signal(let rssi):
            guard !signalRequests.isEmpty else { return }
            let strength = max(Int(rssi) - air.conditions.attenuation, -127)
            signalRequests.removeFirst()(.success(strength))
        case .servicesChanged(let first, let last) where first <= last: servicesChanged(first...last)
        default: lose(.radio(.connectionFailed, "\(address) sent a frame that has no place here"))
        }
    }

    private func receive(_ data: Data) {
        let packet: ATTPacket
        do {
            packet = try ATTPacket(data)
        } catch {
            return lose(.radio(.connectionFailed, "\(address) sent \(error)"))
        }
        switch packet {
        case .notification(let handle, let value):
            stream.send(.acknowledged(1))
            deliver(self, .notified(AttributeID(handle), value))
        case .indication(let handle, let value):
            deliver(self, .notified(AttributeID(handle), value))
            stream.send(.att(ATTPacket.confirmation.encoded))
        default:
            guard packet.isResponse, client?.receive(packet) == true else {
                return lose(.radio(.connectionFailed, "\(address) answered what was not asked"))
            }
        }
    }

    private func servicesChanged(_ range: ClosedRange<UInt16>) {
        let gone = services.filter { range.overlaps($0.key...$0.value) }
        for (first, last) in gone {
            services[first] = nil
            for handle in characteristics.keys where (first...last).contains(handle) { characteristics[handle] = nil }
        }
        // A new service is news as well, although nothing that was known is gone.
        deliver(self, .servicesChanged(gone.keys.sorted().map { AttributeID($0) }))
    }

    // MARK: Discovery

    func discoverServices(_ completion: @escaping RadioCompletion<[RemoteService]>) {
        client?.collect(1...0xFFFF) { first, last in
            .readByGroupTypeRequest(first: first, last: last, type: GATTType.primaryService)
        } _: { [self] (result: RadioResult<[ATTPacket.Group]>) in
            completion(
                result.flatMap { groups in
                    var found: [RemoteService] = []
                    for group in groups {
                        guard let uuid = CBUUID(littleEndian: group.value) else {
                            return .failure(.att(.invalidPdu))
                        }
                        services[group.first] = group.last
                        found.append(RemoteService(id: AttributeID(group.first), uuid: uuid, isPrimary: true))
                    }
                    deliver(self, .services(found.map(\.uuid)))
                    return .success(found)
                })
        } _: { packet in
            guard case .readByGroupTypeResponse(let groups) = packet, groups.allSatisfy({ $0.first <= $0.last }) else {
                return nil
            }
            return groups.map { .init(handles: $0.first...$0.last, content: $0) }
        }
    }

    func discoverIncludedServices(
        of service: AttributeID, _ completion: @escaping RadioCompletion<[RemoteService]>
    ) {
        guard let range = range(of: service) else { return completion(.failure(.radio(.invalidHandle))) }
        attributes(range, type: GATTType.include) { [self] result in
            switch result {
            case .failure(let failure): completion(.failure(failure))
            case .success(let lines):
                var found: [RemoteService] = []
                var unnamed: [Int] = []
                for line in lines {
                    let bytes = [UInt8](line.value)
                    guard bytes.count == 4 || bytes.count == 6 else { return completion(.failure(.att(.invalidPdu))) }
                    let first = UInt16(littleEndian: bytes, at: 0)
                    let last = UInt16(littleEndian: bytes, at: 2)
                    guard first > 0, first <= last else { return completion(.failure(.att(.invalidPdu))) }
                    services[first] = last
                    let uuid = CBUUID(littleEndian: bytes[4...])
                    if uuid == nil { unnamed.append(found.count) }
                    found.append(
                        RemoteService(
                            id: AttributeID(first), uuid: uuid ?? GATTType.primaryService, isPrimary: true))
                }
                name(unnamed[...], in: found, completion)
            }
        }
    }

    /// Reads the 128-bit UUIDs, which do not stand in an include's declaration. (Volume 3, part G, 4.5.1.)
    private func name(
        _ unnamed: ArraySlice<Int>, in found: [RemoteService], _ completion: @escaping RadioCompletion<[RemoteService]>
    ) {
        guard let index = unnamed.first else { return completion(.success(found)) }
        client?.read(found[index].id.handle) { [self] result in
            switch result {
            case .failure(let failure): completion(.failure(failure))
            case .success(let bytes):
                guard let uuid = CBUUID(littleEndian: bytes) else { return completion(.failure(.att(.invalidPdu))) }
                var named = found
                named[index].uuid = uuid
                name(unnamed.dropFirst(), in: named, completion)
            }
        }
    }

    func discoverCharacteristics(
        of service: AttributeID, _ completion: @escaping RadioCompletion<[RemoteCharacteristic]>
    ) {
        guard let range = range(of: service) else { return completion(.failure(.radio(.invalidHandle))) }
        attributes(range, type: GATTType.characteristic) { [self] result in
            completion(
                result.flatMap { lines in
                    var found: [RemoteCharacteristic] = []
                    for (index, line) in lines.enumerated() {
                        let bytes = [UInt8](line.value)
                        guard bytes.count == 5 || bytes.count == 19, let uuid = CBUUID(littleEndian: bytes[3...]) else {
                            return .failure(.att(.invalidPdu))
                        }
                        let handle = UInt16(littleEndian: bytes, at: 1)
                        let next = index + 1 < lines.count ? lines[index + 1].handle - 1 : range.upperBound
                        guard handle > line.handle, handle <= next else { return .failure(.att(.invalidPdu)) }
                        let properties = CBCharacteristicProperties(rawValue: UInt(bytes[0]))
                        characteristics[handle] = Characteristic(properties: properties, last: next)
                        found.append(
                            RemoteCharacteristic(id: AttributeID(handle), uuid: uuid, properties: properties))
                    }
                    return .success(found)
                })
        }
    }

    func discoverDescriptors(
        of characteristic: AttributeID, _ completion: @escaping RadioCompletion<[RemoteDescriptor]>
    ) {
        guard let known = characteristics[characteristic.handle] else {
            return completion(.failure(.radio(.invalidHandle)))
        }
        guard characteristic.handle < known.last else { return completion(.success([])) }
        client?.collect((characteristic.handle + 1)...known.last) { first, last in
            .findInformationRequest(first: first, last: last)
        } _: { [self] (result: RadioResult<[ATTPacket.Information]>) in
            completion(
                result.map { lines in
                    let subscription = lines.first { $0.uuid == GATTType.clientConfiguration }?.handle
                    characteristics[characteristic.handle]?.subscription = subscription
                    return lines.map { RemoteDescriptor(id: AttributeID($0.handle), uuid: $0.uuid) }
                })
        } _: { packet in
            guard case .findInformationResponse(let lines) = packet else { return nil }
            return lines.map { .init(handles: $0.handle...$0.handle, content: $0) }
        }
    }

    private func range(of service: AttributeID) -> ClosedRange<UInt16>? {
        services[service.handle].map { service.handle...$0 }
    }

    private func attributes(
        _ range: ClosedRange<UInt16>, type: CBUUID, _ completion: @escaping RadioCompletion<[ATTPacket.Attribute]>
    ) {
        client?.collect(range) { first, last in
            .readByTypeRequest(first: first, last: last, type: type)
        } _: { result in
            completion(result)
        } _: { packet in
            guard case .readByTypeResponse(let lines) = packet else { return nil }
            return lines.map { .init(handles: $0.handle...$0.handle, content: $0) }
        }
    }

    // MARK: Values

    func read(_ attribute: AttributeID, _ completion: @escaping RadioCompletion<Data>) {
        client?.read(attribute.handle, completion)
    }

    func write(_ value: Data, to attribute: AttributeID, _ completion: @escaping RadioCompletion<Void>) {
        client?.write(value, to: attribute.handle, completion)
    }

    func writeWithoutResponse(
        _ value: Data, to attribute: AttributeID, _ completion: @escaping RadioCompletion<Void>
    ) {
        guard let client else { return completion(.failure(.radio(.notConnected))) }
        unacknowledged.append(completion)
        // What does not fit one packet is cut, as on the air.
        let packet = ATTPacket.writeCommand(handle: attribute.handle, value: value.prefix(client.mtu - 3))
        stream.send(.att(packet.encoded))
    }

    func setNotify(_ enabled: Bool, for id: AttributeID, _ completion: @escaping RadioCompletion<Void>) {
        guard let characteristic = characteristics[id.handle] else {
            return completion(.failure(.radio(.invalidHandle)))
        }
        guard let subscription = characteristic.subscription else {
            return discoverDescriptors(of: id) { [self] result in
                switch result {
                case .failure(let failure): completion(.failure(failure))
                case .success where characteristics[id.handle]?.subscription == nil:
                    completion(.failure(.att(.attributeNotFound)))
                case .success: setNotify(enabled, for: id, completion)
                }
            }
        }
        let bits: UInt8 = !enabled ? 0 : characteristic.properties.contains(.notify) ? 1 : 2
        client?.write(Data([bits, 0]), to: subscription, completion)
    }

    func readRSSI(_ completion: @escaping RadioCompletion<Int>) {
        signalRequests.append(completion)
        stream.send(.signalRequest)
    }
}

extension AttributeID {
    /// Handles name attributes on the software radio.
    init(_ handle: UInt16) { self.init(number: UInt32(handle)) }

    var handle: UInt16 { UInt16(truncatingIfNeeded: number) }
}
