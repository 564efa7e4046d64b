/// Names that the D-Bus specification gives: of the bus itself, and of the interfaces that objects of all kinds have.
public enum BusName {
    /// The bus: its name, and its interface.
    public static let bus = "org.freedesktop.DBus"
    /// The bus's object.
    public static let busPath = "/org/freedesktop/DBus"
    /// Properties: `Get`, `GetAll`, `Set`, and the signal `PropertiesChanged`.
    public static let properties = bus + ".Properties"
    /// A list of objects: `GetManagedObjects`, and the signals `InterfacesAdded` and `InterfacesRemoved`.
    public static let objectManager = bus + ".ObjectManager"
    /// An object's own description: `Introspect`.
    public static let introspectable = bus + ".Introspectable"
    /// What every program answers: `Ping` and `GetMachineId`.
    public static let peer = bus + ".Peer"
}
