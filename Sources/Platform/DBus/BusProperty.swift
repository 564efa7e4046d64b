/// A property's name, with the interface that it belongs to.
public struct BusProperty: Sendable, Equatable {
    /// The interface.
    public var interface: String
    /// The property's name in it.
    public var name: String

    /// Names a property.
    public init(_ interface: String, _ name: String) {
        self.interface = interface
        self.name = name
    }
}
