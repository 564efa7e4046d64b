import CSystemd

/// Which signals to receive. What is nil may be anything; the bus filters, so that nothing else wakes this process.
public struct BusMatch: Sendable, Equatable {
    /// The sender's name. With a well-known name, such as `org.bluez`, only signals of the connection that owns the name
    /// at the time are delivered: anybody may send a signal, and one that only looks like the service's is dropped.
    public var sender: String?
    /// The object that the signal comes from.
    public var path: String?
    /// The object, or any below it.
    public var pathNamespace: String?
    /// The interface.
    public var interface: String?
    /// The signal's name.
    public var member: String?
    /// The first argument, a string.
    public var argument0: String?

    /// A match of signals with these properties.
    public init(
        sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil,
        member: String? = nil, argument0: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.argument0 = argument0
    }

    /// The match rule (D-Bus Specification, 'Match Rules'); nil where a value cannot stand in one. sd-bus passes anything
    /// on to the bus, which would then refuse the match.
    var rule: String? {
        var rule = "type='signal'"
        func add(_ key: String, _ value: String?, _ isValid: (String) -> Bool) -> Bool {
            guard let value else { return true }
            guard isValid(value) else { return false }
            rule += ",\(key)='\(value)'"
            return true
        }
        // How to write these in an argument is not agreed between sd-bus and dbus-daemon.
        let unsafe: Set<UInt8> = [UInt8(ascii: "'"), UInt8(ascii: "\\"), 0]
        guard add("sender", sender, { sd_bus_service_name_is_valid($0) > 0 }),
            add("path", path, { sd_bus_object_path_is_valid($0) > 0 }),
            add("path_namespace", pathNamespace, { sd_bus_object_path_is_valid($0) > 0 }),
            add("interface", interface, { sd_bus_interface_name_is_valid($0) > 0 }),
            add("member", member, { sd_bus_member_name_is_valid($0) > 0 }),
            add("arg0", argument0, { $0.utf8.allSatisfy { !unsafe.contains($0) } })
        else { return nil }
        return rule
    }

    /// The well-known name to follow, if the sender is one. The bus itself and unique names need no following: nobody
    /// else can send in their name.
    var followedName: String? {
        guard let sender, !sender.hasPrefix(":"), sender != BusName.bus else { return nil }
        return sender
    }
}
