import CSystemd
import Glibc

/// What the bus itself offers, and short questions.
extension BusConnection {
    /// Asks the bus for a well-known name, such as `org.bluez`, without waiting in line for it.
    public func requestName(
        _ name: String, _ completion: @escaping @Sendable (Result<Void, BusError>) -> Void
    ) {
        let doNotQueue: UInt32 = 4
        call(BusName.bus, BusName.busPath, BusName.bus, "RequestName", [.string(name), .uint32(doNotQueue)]) {
            outcome in
            completion(
                outcome.flatMap { values in
                    switch values.first?.int {
                    case 1, 4: .success(())
                    case 3:
                        .failure(.remote(name: BusError.failed, message: "the name \(name) belongs to another program"))
                    default: .failure(.unexpectedReply("RequestName answered \(values)"))
                    }
                })
        }
    }

    /// Makes one call on a connection of its own and blocks until the answer is there: for a short question at start, on a
    /// thread that may wait. Call it on any thread.
    ///
    /// - Parameter timeout: For connecting and the call together.
    /// - Returns: The answer's arguments.
    /// - Throws: ``BusError``
    public static func callAndWait(
        _ address: BusAddress = .system, _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ arguments: [BusValue] = [], timeout: Duration = .seconds(2)
    ) throws(BusError) -> [BusValue] {
        let end = ContinuousClock.now + timeout
        let handle = try BusHandle.open(address, within: timeout)
        let title = "\(interface).\(member) at \(destination)\(path)"
        let call = try handle.methodCall(destination, path, interface, member, arguments)
        defer { sd_bus_message_unref(call) }
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let result = sd_bus_call(handle.bus, call, (end - .now).microseconds, &error, &reply)
        defer { sd_bus_message_unref(reply) }
        if let reply { return try BusHandle.outcome(of: reply, MessageTypes(), call: title).get() }
        switch -result {
        case ETIMEDOUT: throw .timedOut(title)
        case _ where error.name != nil:
            throw .remote(name: String(text: error.name), message: String(text: error.message))
        default: throw BusError(sending: title, result: result)
        }
    }
}
