import DBus

/// The attributes of a connected device, as the daemon's objects tell them.
///
/// Object paths carry handles (`…/service0010/char0011/desc0013`), which name and order the attributes. Objects with
/// other names or without a UUID are left out.
struct GATTTable: Sendable {
    struct Service: Sendable {
        var id: AttributeID
        var path: String
        var uuid: CBUUID
        var isPrimary: Bool
        var includes: [String]
    }

    struct Characteristic: Sendable {
        var id: AttributeID
        var path: String
        var uuid: CBUUID
        var properties: CBCharacteristicProperties
    }

    struct Descriptor: Sendable {
        var id: AttributeID
        var path: String
        var uuid: CBUUID
    }

    private(set) var services: [Service] = []
    private(set) var characteristics: [AttributeID: [Characteristic]] = [:]
    private(set) var descriptors: [AttributeID: [Descriptor]] = [:]
    private var objects: [AttributeID: String] = [:]
    private var characteristicsByID: [AttributeID: Characteristic] = [:]

    /// The path of an attribute's object.
    subscript(id: AttributeID) -> String? { objects[id] }

    /// A characteristic.
    func characteristic(_ id: AttributeID) -> Characteristic? { characteristicsByID[id] }

    /// What attributes of an interface there are: paths and properties, in any order.
    typealias Objects = (_ interface: String) -> [(path: String, properties: [String: BusValue])]

    init() {}

    /// Reads the objects below a device.
    init(device: String, _ objects: Objects) {
        for (path, properties) in objects(BlueZ.gattService) {
            guard let id = AttributeID(path: path, kind: "service", below: device), let uuid = Self.uuid(properties)
            else { continue }
            services.append(
                Service(
                    id: id, path: path, uuid: uuid, isPrimary: properties["Primary"]?.bool ?? true,
                    includes: properties["Includes"]?.strings ?? []))
            self.objects[id] = path
        }
        services.sort { $0.id.number < $1.id.number }
        // After a change of services BlueZ 5.66 calls some of the primary ones secondary. A secondary service is of use only
        // to one that includes it.
        let included = Set(services.flatMap(\.includes))
        for index in services.indices where !included.contains(services[index].path) {
            services[index].isPrimary = true
        }
        let parents = Dictionary(services.map { ($0.path, $0.id) }, uniquingKeysWith: { first, _ in first })
        var owners: [String: AttributeID] = [:]
        for (path, properties) in objects(BlueZ.gattCharacteristic) {
            guard let parent = Self.parent(of: path), let service = parents[parent],
                let id = AttributeID(path: path, kind: "char", below: parent), let uuid = Self.uuid(properties)
            else { continue }
            let characteristic = Characteristic(
                id: id, path: path, uuid: uuid,
                properties: CBCharacteristicProperties(flags: properties["Flags"]?.strings ?? []))
            characteristics[service, default: []].append(characteristic)
            characteristicsByID[id] = characteristic
            owners[path] = id
            self.objects[id] = path
        }
        for (path, properties) in objects(BlueZ.gattDescriptor) {
            guard let parent = Self.parent(of: path), let characteristic = owners[parent],
                let id = AttributeID(path: path, kind: "desc", below: parent), let uuid = Self.uuid(properties)
            else { continue }
            descriptors[characteristic, default: []].append(Descriptor(id: id, path: path, uuid: uuid))
            self.objects[id] = path
        }
        for key in characteristics.keys { characteristics[key]?.sort { $0.id.number < $1.id.number } }
        for key in descriptors.keys { descriptors[key]?.sort { $0.id.number < $1.id.number } }
    }

    private static func uuid(_ properties: [String: BusValue]) -> CBUUID? {
        properties["UUID"]?.string.flatMap { CBUUID(blueZ: $0) }
    }

    private static func parent(of path: String) -> String? {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
    }
}

extension AttributeID {
    /// Reads the handle in the last part of an object's path.
    init?(path: String, kind: String, below parent: String) {
        let name = path.utf8.dropFirst(parent.utf8.count)
        guard name.count == 1 + kind.utf8.count + 4, path.hasPrefix(parent),
            name.first == UInt8(ascii: "/"), name.dropFirst().starts(with: kind.utf8),
            let handle = UInt16(Substring(name.suffix(4)), radix: 16)
        else { return nil }
        self.init(handle)
    }
}

extension CBCharacteristicProperties {
    private static let names: [String: CBCharacteristicProperties] = [
        "broadcast": .broadcast, "read": .read, "write-without-response": .writeWithoutResponse, "write": .write,
        "notify": .notify, "indicate": .indicate, "authenticated-signed-writes": .authenticatedSignedWrites,
        "extended-properties": .extendedProperties,
    ]

    /// Reads the daemon's names; others (`reliable-write` and the like) say nothing that the declaration has a bit for.
    init(flags: [String]) { self = flags.reduce(into: []) { $0.formUnion(Self.names[$1] ?? []) } }
}
