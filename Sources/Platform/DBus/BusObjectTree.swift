import Basics
import Dispatch

/// Objects of this program, with interfaces and properties, for others on the bus to see.
///
/// It answers `org.freedesktop.DBus.Properties` (Get, GetAll, and Set where an interface takes it), `org.freedesktop.DBus.Introspectable`, and
/// at the root `org.freedesktop.DBus.ObjectManager`; calls of any other interface go to the closure given with it. The
/// root need not have an interface. Used on the connection's queue only, which is also where the closures are called.
public final class BusObjectTree: @unchecked Sendable {
    // Unchecked because everything mutable is touched only on the connection's queue.
    private struct Interface {
        var properties: [String: BusValue]
        var onSet: (@Sendable (BusMethodCall, String, BusValue) -> Bool)?
        var methods: @Sendable (BusMethodCall) -> Bool
    }

    private let connection: BusConnection
    private let root: String
    private var objects: [String: [String: Interface]] = [:]
    private var subscription: BusSubscription?
    private static let log = Log("dbus")

    /// Serves an empty tree at `root`, such as `/com/example`, and all below it.
    /// - Throws: ``BusError/invalid(_:)``, ``BusError/disconnected``
    public init(_ connection: BusConnection, root: String) throws(BusError) {
        self.connection = connection
        self.root = root
        subscription = try connection.export(at: root) { [weak self] call in
            if let self { answer(call) } else { call.refuse() }
        }
    }

    /// Adds an interface to an object, and the object if it is new; announces that (`InterfacesAdded`). An interface that
    /// is there already is replaced.
    ///
    /// - Parameters:
    ///   - path: The root, or a path below it.
    ///   - methods: Called for each method call of the interface. It answers the call, now or later, and returns true; or
    ///     it returns false, and the caller is told that there is no such method.
    ///   - onSet: Called when somebody sets a property, with the call, the property and the value. It answers the call (and
    ///     uses ``set(_:_:_:_:)``, if it likes) and returns true; or it returns false, and the caller is told that the
    ///     property cannot be set. nil: none can.
    /// - Throws: ``BusError/invalid(_:)``, ``BusError/disconnected``; then nothing was added.
    public func add(
        _ path: String, _ interface: String, properties: [String: BusValue] = [:],
        methods: @escaping @Sendable (BusMethodCall) -> Bool = { _ in false },
        onSet: (@Sendable (BusMethodCall, String, BusValue) -> Bool)? = nil
    ) throws(BusError) {
        guard contains(path) else { throw .invalid("the path \(path), which is not below \(root)") }
        let added = BusValue.dictionary(
            key: "s", value: "a{sv}", [BusEntry(.string(interface), .properties(properties))])
        try connection.emit(root, BusName.objectManager, "InterfacesAdded", [.path(path), added])
        objects[path, default: [:]][interface] = Interface(properties: properties, onSet: onSet, methods: methods)
    }

    /// Changes a property and announces that (`PropertiesChanged`), unless it has the value already.
    /// - Throws: ``BusError/invalid(_:)``, also where there is no such interface; ``BusError/disconnected``
    public func set(_ path: String, _ interface: String, _ property: String, _ value: BusValue) throws(BusError) {
        if let known = objects[path]?[interface]?.properties[property], known == value { return }
        try notify(path, interface, property, value)
    }

    /// Announces a property's value although it may not have changed: the way a characteristic notifies.
    /// - Throws: ``BusError/invalid(_:)``, also where there is no such interface; ``BusError/disconnected``
    public func notify(_ path: String, _ interface: String, _ property: String, _ value: BusValue) throws(BusError) {
        guard objects[path]?[interface] != nil else {
            throw .invalid("a property of \(interface) at \(path), which was not added")
        }
        try connection.emit(
            path, BusName.properties, "PropertiesChanged",
            [.string(interface), .properties([property: value]), .strings([])])
        objects[path]?[interface]?.properties[property] = value
    }

    /// The properties that an object's interface has now; nil where it was not added.
    public func properties(_ path: String, _ interface: String) -> [String: BusValue]? {
        objects[path]?[interface]?.properties
    }

    /// Removes an object with all its interfaces, or one interface; announces that (`InterfacesRemoved`). Objects below it
    /// stay. Removing what is not there does nothing.
    public func remove(_ path: String, _ interface: String? = nil) {
        guard let interfaces = objects[path] else { return }
        let removed = interface.map { interfaces[$0] == nil ? [] : [$0] } ?? interfaces.keys.sorted()
        guard !removed.isEmpty else { return }
        for interface in removed { objects[path]?[interface] = nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        do throws(BusError) {
            try connection.emit(root, BusName.objectManager, "InterfacesRemoved", [.path(path), .strings(removed)])
        } catch {
            // The path was valid when it was added, so the connection is gone, and with it whoever would listen.
            Self.log.debug("removal of \(path) not announced: \(error)")
        }
    }

    /// Takes the tree off the bus, without a word to anybody. A second call does nothing.
    public func close() {
        subscription?.cancel()
        subscription = nil
        objects = [:]
    }

    // MARK: Answers

    private func contains(_ path: String) -> Bool { path == root || path.hasPrefix(prefix) }

    private var prefix: String { root == "/" ? "/" : root + "/" }

    private func answer(_ call: BusMethodCall) {
        switch call.interface {
        case BusName.properties: answerProperties(call)
        case BusName.objectManager where call.path == root && call.member == "GetManagedObjects":
            call.reply([managedObjects()])
        case BusName.introspectable where call.member == "Introspect": introspect(call)
        case "":
            // The interface may be left out; then any that knows the method will do.
            for interface in objects[call.path, default: [:]].values where interface.methods(call) { return }
            refuse(call)
        case let name:
            guard let interface = objects[call.path]?[name] else { return refuse(call) }
            if !interface.methods(call) { call.refuse() }
        }
    }

    private func refuse(_ call: BusMethodCall) {
        if objects[call.path] == nil, call.path != root {
            call.fail(BusError.unknownObject, "no object at \(call.path)")
        } else {
            call.refuse()
        }
    }

    private func answerProperties(_ call: BusMethodCall) {
        let arguments = call.arguments.map { $0.string ?? "" }
        guard let object = objects[call.path] else {
            return call.fail(BusError.unknownObject, "no object at \(call.path)")
        }
        guard let name = arguments.first, !name.isEmpty else {
            return call.fail(BusError.invalidArguments, "\(call.member) needs an interface")
        }
        guard let interface = object[name] else {
            return call.fail(BusError.unknownInterface, "no interface \(name) at \(call.path)")
        }
        switch (call.member, arguments.count) {
        case ("GetAll", 1): call.reply([.properties(interface.properties)])
        case ("Get", 2):
            guard let value = interface.properties[arguments[1]] else {
                return call.fail(
                    BusError.unknownProperty, "no property \(arguments[1]) in \(name) at \(call.path)")
            }
            call.reply([.variant(value)])
        case ("Set", 3):
            guard case .variant(let value) = call.arguments[2], interface.onSet?(call, arguments[1], value) == true
            else {
                return call.fail(BusError.propertyReadOnly, "\(name).\(arguments[1]) cannot be set")
            }
        default: call.refuse()
        }
    }

    private func managedObjects() -> BusValue {
        let entries = objects.sorted { $0.key < $1.key }.map { path, interfaces in
            let interfaces = interfaces.sorted { $0.key < $1.key }.map { name, interface in
                BusEntry(.string(name), .properties(interface.properties))
            }
            return BusEntry(.path(path), .dictionary(key: "s", value: "a{sv}", interfaces))
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", entries)
    }

    /// What there is, for people who look around with `busctl` or `d-feet`: interfaces with their properties, and the next
    /// level of paths. Methods are not declared anywhere, so they are not listed.
    private func introspect(_ call: BusMethodCall) {
        let below = call.path == "/" ? "/" : call.path + "/"
        let children = Set(
            objects.keys.filter { $0.hasPrefix(below) && $0 != call.path }.compactMap {
                $0.dropFirst(below.count).split(separator: "/").first.map(String.init)
            })
        guard objects[call.path] != nil || !children.isEmpty || call.path == root else { return refuse(call) }
        var lines = ["<node>"]
        for (name, interface) in objects[call.path, default: [:]].sorted(by: { $0.key < $1.key }) {
            lines.append("  <interface name=\"\(name)\">")
            for (property, value) in interface.properties.sorted(by: { $0.key < $1.key }) {
                lines.append("    <property name=\"\(property)\" type=\"\(value.typeSignature)\" access=\"read\"/>")
            }
            lines.append("  </interface>")
        }
        lines += children.sorted().map { "  <node name=\"\($0)\"/>" }
        lines.append("</node>")
        call.reply([.string(lines.joined(separator: "\n"))])
    }
}
