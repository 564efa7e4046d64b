import CSystemd
import Glibc

/// How a method call ends.
enum BusAnswer: Sendable {
    case values([BusValue])
    case error(name: String, message: String)
    /// Nobody answered.
    case dropped

    /// The answer to `call`, complete but not sent. The caller lets go of it with `sd_bus_message_unref`.
    func message(to call: OpaquePointer) -> Result<OpaquePointer, BusError> {
        switch self {
        case .values(let values): return Self.reply(to: call, values)
        case .error(let name, let message): return Self.failure(of: call, name, message)
        case .dropped:
            return Self.failure(of: call, BusError.noReply, "the service has dropped the call unanswered")
        }
    }

    private static func reply(to call: OpaquePointer, _ values: [BusValue]) -> Result<OpaquePointer, BusError> {
        var reply: OpaquePointer?
        let result = sd_bus_message_new_method_return(call, &reply)
        guard result >= 0, let reply else { return .failure(BusError(sending: "an answer", result: result)) }
        do throws(BusError) {
            try MessageWriter.append(values, to: reply)
            return .success(reply)
        } catch {
            sd_bus_message_unref(reply)
            return .failure(error)
        }
    }

    private static func failure(
        of call: OpaquePointer, _ name: String, _ message: String
    ) -> Result<OpaquePointer, BusError> {
        // An error's name has the form of an interface's (D-Bus Specification, 'Valid Names').
        guard sd_bus_interface_name_is_valid(name) > 0 else { return .failure(.invalid("the error name '\(name)'")) }
        var reply: OpaquePointer?
        let result = name.withCString { name in
            message.withCString { message in
                var error = sd_bus_error(name: name, message: message, _need_free: 0)
                return sd_bus_message_new_method_error(call, &reply, &error)
            }
        }
        guard result >= 0, let reply else { return .failure(BusError(sending: "an error", result: result)) }
        return .success(reply)
    }
}
