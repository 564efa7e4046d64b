import Basics

/// A method call that somebody made on an exported object.
///
/// It is answered once, with ``reply(_:)``, ``fail(_:_:)`` or ``refuse()``, at once or later, on the connection's queue.
/// If it goes away unanswered, the caller gets `org.freedesktop.DBus.Error.NoReply`.
public final class BusMethodCall: Sendable {
    /// The unique name of the caller.
    public let sender: String
    /// The object that is called.
    public let path: String
    /// The interface; empty where the caller named none.
    public let interface: String
    /// The method.
    public let member: String
    /// What the caller gave.
    public let arguments: [BusValue]
    /// Whether the caller waits for an answer. Answering is harmless where not.
    public let expectsReply: Bool

    private let answered: Locked<Bool>
    private let answer: @Sendable (BusAnswer) -> Void

    /// `answer` is called once: by the caller of an answering method, or by whoever lets go of the unanswered call.
    init(
        sender: String, path: String, interface: String, member: String, arguments: [BusValue], expectsReply: Bool,
        answer: @escaping @Sendable (BusAnswer) -> Void
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.expectsReply = expectsReply
        self.answered = Locked(false)
        self.answer = answer
    }

    deinit { send(.dropped) }

    /// Answers with values. Values that D-Bus does not allow are logged, and the caller gets an error.
    public func reply(_ values: [BusValue] = []) { send(.values(values)) }

    /// Answers with an error: a name such as `org.bluez.Error.Failed` and a text.
    public func fail(_ name: String, _ message: String) { send(.error(name: name, message: message)) }

    /// Answers that there is no such method.
    public func refuse() {
        fail(BusError.unknownMethod, "no method \(member) in the interface '\(interface)' of \(path)")
    }

    private func send(_ answer: BusAnswer) {
        let isFirst = answered.withLock { answered in
            defer { answered = true }
            return !answered
        }
        if isFirst { self.answer(answer) }
    }
}
