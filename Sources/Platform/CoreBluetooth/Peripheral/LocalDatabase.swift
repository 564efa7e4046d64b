import Basics
import Foundation

/// The services of a peripheral manager: which object stands for which attribute, and what of them has a fixed value.
struct LocalDatabase {
    /// What stands behind an attribute that is read or written.
    enum Target {
        case characteristic(CBMutableCharacteristic)
        case fixed(Data)
    }

    private struct Entry {
        var id: AttributeID
        var service: CBMutableService
        /// What the service holds.
        var attributes: [AttributeID]
    }

    private var entries: [Entry] = []
    private var targets: [AttributeID: Target] = [:]
    private var nextID: UInt32 = 1

    /// The services, in the order in which they were added.
    var services: [CBMutableService] { entries.map(\.service) }

    /// Gives identifiers to a service and what it holds.
    /// - Throws: ``CBError`` (`invalidParameters`) saying what is wrong with the service.
    mutating func add(_ service: CBMutableService) throws(CBError) -> LocalService {
        func wrong(_ what: String) -> CBError { CBError(.invalidParameters, because: "\(service): \(what)") }
        guard !entries.contains(where: { $0.service === service }) else { throw wrong("it was added before") }
        var local = LocalService(id: takeID(), uuid: service.uuid, isPrimary: service.isPrimary)
        for included in service.includedServices ?? [] {
            guard let known = entries.first(where: { $0.service === included }) else {
                throw wrong("it includes \(included), which was not added before")
            }
            local.includes.append(known.id)
        }
        var added: [AttributeID: Target] = [:]
        var identified: [(CBMutableCharacteristic, AttributeID)] = []
        for characteristic in service.characteristics ?? [] {
            guard let characteristic = characteristic as? CBMutableCharacteristic else {
                throw wrong("\(characteristic) is not a CBMutableCharacteristic")
            }
            let id = takeID()
            identified.append((characteristic, id))
            if let value = characteristic.value {
                guard characteristic.properties == .read, !characteristic.permissions.allowsWriting else {
                    throw wrong("\(characteristic) has a fixed value, so it must be readable and nothing else")
                }
                guard value.count <= ATTLimit.valueBytes else {
                    throw wrong("the value of \(characteristic) has \(value.count) bytes; at most 512 are allowed")
                }
                added[id] = .fixed(value)
            } else {
                added[id] = .characteristic(characteristic)
            }
            var descriptors: [LocalDescriptor] = []
            for descriptor in characteristic.descriptors ?? [] {
                guard descriptor.uuid != GATTType.clientConfiguration else {
                    throw wrong("the descriptor 2902 of \(characteristic) is made by the radio")
                }
                guard let bytes = descriptor.contents.withLock({ $0.bytes }) else {
                    throw wrong("\(descriptor) of \(characteristic) needs a String, Data or NSNumber as its value")
                }
                let descriptorID = takeID()
                added[descriptorID] = .fixed(bytes)
                descriptors.append(LocalDescriptor(id: descriptorID, uuid: descriptor.uuid))
            }
            local.characteristics.append(
                LocalCharacteristic(
                    id: id, uuid: characteristic.uuid, properties: characteristic.properties,
                    permissions: characteristic.permissions, descriptors: descriptors))
        }
        for (characteristic, id) in identified { characteristic.contents.withLock { $0.localID = id } }
        targets.merge(added) { _, new in new }
        entries.append(Entry(id: local.id, service: service, attributes: Array(added.keys)))
        return local
    }

    /// Forgets a service.
    /// - Returns: Its identifier; nil when it is not there.
    mutating func remove(_ service: CBMutableService) -> AttributeID? {
        guard let entry = entries.first(where: { $0.service === service }) else { return nil }
        remove(entry.id)
        return entry.id
    }

    /// Forgets the service of an identifier, if it is there.
    mutating func remove(_ id: AttributeID) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        let entry = entries.remove(at: index)
        for id in entry.attributes {
            if case .characteristic(let characteristic)? = targets.removeValue(forKey: id) {
                characteristic.contents.withLock { contents in
                    contents.localID = nil
                    contents.subscribedCentrals = []
                }
            }
        }
    }

    /// What stands behind an attribute.
    subscript(id: AttributeID) -> Target? { targets[id] }

    /// The characteristic behind an attribute.
    func characteristic(_ id: AttributeID) -> CBMutableCharacteristic? {
        guard case .characteristic(let characteristic)? = targets[id] else { return nil }
        return characteristic
    }

    private mutating func takeID() -> AttributeID {
        defer { nextID += 1 }
        return AttributeID(number: nextID)
    }
}
