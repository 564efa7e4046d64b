/// A signal that arrived.
public struct BusSignal: Sendable, Equatable {
    /// The unique name of the connection that sent it.
    public var sender: String
    /// The object that it comes from.
    public var path: String
    /// The interface.
    public var interface: String
    /// The signal's name.
    public var member: String
    /// What it says.
    public var arguments: [BusValue]

    /// A signal as it would arrive, for tests.
    public init(sender: String, path: String, interface: String, member: String, arguments: [BusValue] = []) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}
