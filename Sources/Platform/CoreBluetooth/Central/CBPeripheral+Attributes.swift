import Basics
import Foundation

/// The peripheral's tree of attributes: what discovery adds and what changes and disconnections take away.
extension CBPeripheral {
    /// The radio's name for an attribute, if it belongs to the current connection.
    func identifier(of attribute: CBAttribute) -> AttributeID? {
        let id: AttributeID? =
            switch attribute {
            case let service as CBService: service.attributeID
            case let characteristic as CBCharacteristic: characteristic.attributeID
            case let descriptor as CBDescriptor: descriptor.attributeID
            default: nil
            }
        guard let id, contents.withLock({ $0.attributes[id] }) === attribute else { return nil }
        return id
    }

    func keep(_ found: [RemoteService], wanted: [CBUUID]?) {
        let services = found.filter { wanted?.contains($0.uuid) ?? true }.map(service)
        contents.withLock { contents in
            contents.services = Self.merge(services, into: contents.services, keepsOthers: wanted != nil)
        }
    }

    func keep(_ found: [RemoteService], in service: CBService, wanted: [CBUUID]?) {
        let services = found.filter { wanted?.contains($0.uuid) ?? true }.map(self.service)
        service.contents.withLock { contents in
            contents.includedServices = Self.merge(
                services, into: contents.includedServices, keepsOthers: wanted != nil)
        }
    }

    func keep(_ found: [RemoteCharacteristic], in service: CBService, wanted: [CBUUID]?) {
        let characteristics = found.filter { wanted?.contains($0.uuid) ?? true }.map { remote in
            attribute(remote.id, remote.uuid) {
                CBCharacteristic(
                    uuid: remote.uuid, properties: remote.properties, service: service, attributeID: remote.id)
            }
        }
        service.contents.withLock { contents in
            contents.characteristics = Self.merge(
                characteristics, into: contents.characteristics, keepsOthers: wanted != nil)
        }
    }

    func keep(_ found: [RemoteDescriptor], in characteristic: CBCharacteristic) {
        let descriptors = found.map { remote in
            attribute(remote.id, remote.uuid) {
                CBDescriptor(uuid: remote.uuid, characteristic: characteristic, attributeID: remote.id)
            }
        }
        characteristic.contents.withLock { $0.descriptors = descriptors }
    }

    /// A notification or indication.
    func received(_ value: Data, for id: AttributeID, manager: CBCentralManager) {
        guard let characteristic = contents.withLock({ $0.attributes[id] }) as? CBCharacteristic else {
            return log.debug("a value for \(id) of \(self), which was not discovered")
        }
        characteristic.contents.withLock { $0.value = value }
        tell(manager) { $0.peripheral(self, didUpdateValueFor: characteristic, error: nil) }
    }

    /// Takes services away because they changed.
    /// - Parameter ids: Nil for all.
    /// - Returns: The objects that are of no use any more.
    func dropServices(_ ids: [AttributeID]?) -> [CBService] {
        let gone: [CBService] = contents.withLock { contents in
            let services = contents.attributes.values.compactMap { $0 as? CBService }
            let gone = services.filter { service in
                guard let ids else { return true }
                return service.attributeID.map(ids.contains) ?? false
            }
            contents.services?.removeAll { service in gone.contains { $0 === service } }
            for service in gone {
                for id in service.attributeIDs { contents.attributes[id] = nil }
            }
            return gone
        }
        for characteristic in gone.flatMap({ $0.characteristics ?? [] }) {
            characteristic.contents.withLock { $0.isNotifying = false }
        }
        return gone.sorted { ($0.attributeID?.number ?? 0) < ($1.attributeID?.number ?? 0) }
    }

    /// How a connection or an attempt ends.
    enum ConnectionEnd {
        /// It was called off, or the other side refused.
        case over
        /// It broke, and may come back by itself.
        case lost
        /// With the radio, or with the manager.
        case silenced
    }

    /// What comes after it.
    enum AfterConnection {
        case nothing
        /// A connect that was asked for meanwhile and has not reached the radio yet.
        case anotherAttempt
        /// What the connect's options asked for.
        case reconnection
    }

    /// The connection or the attempt has ended: everything that belonged to it goes, also a cancellation of it that has
    /// not reached the radio yet.
    @discardableResult
    func dropConnection(_ end: ConnectionEnd) -> AfterConnection {
        let (next, attributes) = contents.withLock { contents in
            if end == .silenced { contents.queuedConnects = [] }
            let next: AfterConnection =
                if end == .lost, contents.reconnects {
                    .reconnection
                } else {
                    contents.queuedConnects.isEmpty ? .nothing : .anotherAttempt
                }
            contents.state = next == .nothing ? .disconnected : .connecting
            contents.queuedCancel = nil
            defer {
                contents.mtu = 0
                contents.services = nil
                contents.attributes = [:]
                contents.commands = 0
                contents.isStarved = false
            }
            return (next, Array(contents.attributes.values))
        }
        for case let characteristic as CBCharacteristic in attributes {
            characteristic.contents.withLock { $0.isNotifying = false }
        }
        return next
    }

    private func service(_ remote: RemoteService) -> CBService {
        attribute(remote.id, remote.uuid) {
            CBService(uuid: remote.uuid, isPrimary: remote.isPrimary, peripheral: self, attributeID: remote.id)
        }
    }

    /// The object that stands for an attribute: the same one each time it is found.
    private func attribute<Attribute: CBAttribute>(
        _ id: AttributeID, _ uuid: CBUUID, _ make: () -> Attribute
    ) -> Attribute {
        let known = contents.withLock { $0.attributes[id] }
        if let known = known as? Attribute, known.uuid == uuid { return known }
        let made = make()
        contents.withLock { $0.attributes[id] = made }
        return made
    }

    private static func merge<Attribute: CBAttribute>(
        _ found: [Attribute], into before: [Attribute]?, keepsOthers: Bool
    ) -> [Attribute] {
        guard keepsOthers, let before else { return found }
        return before + found.filter { new in !before.contains { $0 === new } }
    }
}

extension CBService {
    /// The service's own name on the radio and those of all that it holds.
    fileprivate var attributeIDs: [AttributeID] {
        var ids = [attributeID]
        for characteristic in characteristics ?? [] {
            ids.append(characteristic.attributeID)
            ids += (characteristic.descriptors ?? []).map(\.attributeID)
        }
        return ids.compactMap { $0 }
    }
}
