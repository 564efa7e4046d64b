import CSystemd

/// Messages that nobody answers.
extension BusConnection {
    /// Calls a method and asks for no answer. Where the bus or the other side refuses, nobody learns of it.
    /// - Throws: ``BusError/invalid(_:)``, ``BusError/disconnected``
    public func send(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws(BusError) {
        assertOnQueue()
        guard let handle = watch?.handle else { throw .disconnected }
        let message = try handle.methodCall(destination, path, interface, member, arguments)
        defer { sd_bus_message_unref(message) }
        sd_bus_message_set_expect_reply(message, 0)
        try dispatch(message, on: handle, "a call of \(interface).\(member)")
    }

    /// Emits a signal to whoever has asked for it.
    /// - Throws: ``BusError/invalid(_:)``, ``BusError/disconnected``
    public func emit(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws(BusError) {
        assertOnQueue()
        guard let handle = watch?.handle else { throw .disconnected }
        let message = try handle.signal(path, interface, member, arguments)
        defer { sd_bus_message_unref(message) }
        try dispatch(message, on: handle, "a signal \(interface).\(member)")
    }

    private func dispatch(
        _ message: OpaquePointer, on handle: BusHandle, _ what: @autoclosure () -> String
    ) throws(BusError) {
        let result = sd_bus_send(handle.bus, message, nil)
        guard result >= 0 else { throw BusError(sending: what(), result: result) }
        rearm()
    }
}
