import Foundation

/// The attributes of a peripheral, as a server lays them out: services one after the other, handles going up, never used
/// twice. (Core Specification, volume 3, part G, 3.)
struct AttributeTable: Sendable {
    /// What stands under a handle.
    enum Content: Equatable, Sendable {
        /// Structure that anybody may read.
        case fixed(Data)
        /// A characteristic's value.
        case value(AttributeID, CBAttributePermissions, CBCharacteristicProperties)
        /// A descriptor's value.
        case descriptor(AttributeID)
        /// The subscription to a characteristic.
        case subscription(AttributeID, CBCharacteristicProperties)
    }

    /// One attribute.
    struct Entry: Equatable, Sendable {
        var handle: UInt16
        var type: CBUUID
        var content: Content
        /// For a service's declaration: the service's last handle.
        var groupEnd: UInt16?
    }

    /// The entries in the order of their handles.
    private(set) var entries: [Entry] = []
    private var nextHandle = 1
    private var services: [AttributeID: (range: ClosedRange<UInt16>, uuid: CBUUID)] = [:]
    private var valueHandles: [AttributeID: UInt16] = [:]

    /// Lays out a service.
    /// - Returns: Its handles.
    /// - Throws: ``RadioFailure`` when the handles run out, the service is in the table already, or an included service
    ///   is not.
    mutating func add(_ service: LocalService) throws(RadioFailure) -> ClosedRange<UInt16> {
        guard services[service.id] == nil else {
            throw .radio(.invalidParameters, "service \(service.uuid) is already in the database")
        }
        let count =
            1 + service.includes.count
            + service.characteristics.reduce(0) { sum, characteristic in
                sum + 2 + characteristic.descriptors.count + (characteristic.properties.canNotify ? 1 : 0)
            }
        guard nextHandle + count - 1 <= Int(UInt16.max) else {
            throw .radio(.outOfSpace, "no attribute handles are left for service \(service.uuid)")
        }
        let start = UInt16(nextHandle)
        let end = UInt16(nextHandle + count - 1)
        var added: [Entry] = []
        func append(_ type: CBUUID, _ content: Content, groupEnd: UInt16? = nil) {
            added.append(
                Entry(handle: start + UInt16(added.count), type: type, content: content, groupEnd: groupEnd))
        }
        append(
            service.isPrimary ? GATTType.primaryService : GATTType.secondaryService,
            .fixed(Data(service.uuid.attBytes)), groupEnd: end)
        for include in service.includes {
            guard let target = services[include] else {
                throw .radio(
                    .invalidParameters, "service \(service.uuid) includes a service that was not added before it")
            }
            let short = target.uuid.shortForm.map(\.littleEndianBytes) ?? []
            let range = target.range.lowerBound.littleEndianBytes + target.range.upperBound.littleEndianBytes
            append(GATTType.include, .fixed(Data(range + short)))
        }
        for characteristic in service.characteristics {
            let valueHandle = start + UInt16(added.count) + 1
            append(
                GATTType.characteristic,
                .fixed(
                    Data(
                        [UInt8(truncatingIfNeeded: characteristic.properties.onAir)] + valueHandle.littleEndianBytes
                            + characteristic.uuid.attBytes)))
            append(
                characteristic.uuid,
                .value(characteristic.id, characteristic.permissions, characteristic.properties))
            valueHandles[characteristic.id] = valueHandle
            if characteristic.properties.canNotify {
                append(GATTType.clientConfiguration, .subscription(characteristic.id, characteristic.properties))
            }
            for descriptor in characteristic.descriptors { append(descriptor.uuid, .descriptor(descriptor.id)) }
        }
        entries += added
        nextHandle += count
        services[service.id] = (start...end, service.uuid)
        return start...end
    }

    /// Takes a service out.
    /// - Returns: The handles it had, and the characteristics; nil when it is not there.
    mutating func remove(_ id: AttributeID) -> (range: ClosedRange<UInt16>, characteristics: Set<AttributeID>)? {
        guard let range = services.removeValue(forKey: id)?.range else { return nil }
        var characteristics: Set<AttributeID> = []
        for entry in entries where range.contains(entry.handle) {
            if case .value(let characteristic, _, _) = entry.content { characteristics.insert(characteristic) }
        }
        for characteristic in characteristics { valueHandles[characteristic] = nil }
        entries.removeAll { range.contains($0.handle) }
        return (range, characteristics)
    }

    /// The handle of a characteristic's value.
    func valueHandle(of characteristic: AttributeID) -> UInt16? { valueHandles[characteristic] }

    /// The attribute under a handle.
    subscript(handle: UInt16) -> Entry? {
        entries.first { $0.handle == handle }
    }

    /// The attributes of a range of handles.
    func entries(in range: ClosedRange<UInt16>) -> [Entry] { entries.filter { range.contains($0.handle) } }
}

extension CBCharacteristicProperties {
    /// The properties as a declaration has them: one byte, with Apple's demands for encryption as plain properties.
    var onAir: UInt {
        var bits = rawValue & 0xFF
        if contains(.notifyEncryptionRequired) { bits |= Self.notify.rawValue }
        if contains(.indicateEncryptionRequired) { bits |= Self.indicate.rawValue }
        return bits
    }
}
