import CSystemd
import Foundation
import Glibc

/// Owns an sd-bus connection and closes it with the last reference.
///
/// sd-bus counts its references without locks. So only the owner of a handle touches what hangs on it (messages, slots),
/// and lets go of all that first; what others may hold is the handle.
final class BusHandle: @unchecked Sendable {
    // Unchecked because the pointer never changes; who may use it, and when, is said above.
    let bus: OpaquePointer

    private init(_ bus: OpaquePointer) { self.bus = bus }

    deinit {
        let socket = sd_bus_get_fd(bus)
        if socket >= 0 { BusFarewell.begin(socket) }
        sd_bus_close_unref(bus)
    }

    /// Connects, authenticates and says Hello. Blocks until that is done, at most for `limit`.
    /// - Throws: ``BusError/unreachable(_:)``
    static func open(_ address: BusAddress, within limit: Duration) throws(BusError) -> BusHandle {
        guard let text = address.resolved() else {
            throw .unreachable("cannot find \(address.title): \(address.remedy)")
        }
        func unreachable(_ why: String) -> BusError {
            .unreachable("cannot reach \(address.title) at \(text) (\(why)): \(address.remedy)")
        }
        var bus: OpaquePointer?
        let made = sd_bus_new(&bus)
        guard made >= 0, let bus else { throw unreachable(BusError.text(of: made)) }
        let handle = BusHandle(bus)
        let steps: [() -> Int32] = [
            { sd_bus_set_address(bus, text) },
            { sd_bus_set_bus_client(bus, 1) },
            { sd_bus_negotiate_fds(bus, 1) },
            // A missing socket is an error now, and nobody is asked for a password on our behalf.
            { sd_bus_set_watch_bind(bus, 0) },
            { sd_bus_set_allow_interactive_authorization(bus, 0) },
            { sd_bus_set_method_call_timeout(bus, limit.microseconds) },
            { sd_bus_start(bus) },
        ]
        for step in steps {
            let result = step()
            guard result >= 0 else { throw unreachable(BusError.text(of: result)) }
        }
        let deadline = ContinuousClock.now + limit
        while sd_bus_is_ready(bus) <= 0 {
            let result = sd_bus_process(bus, nil)
            guard result >= 0 else { throw unreachable(BusError.text(of: result)) }
            guard sd_bus_is_open(bus) > 0 else { throw unreachable("it closed the connection") }
            guard result == 0 else { continue }
            let left = deadline - .now
            guard left > .zero else { throw unreachable("no answer within \(limit)") }
            sd_bus_wait(bus, left.microseconds)
        }
        return handle
    }

    /// The name that the bus gave this connection, such as `:1.42`.
    var uniqueName: String {
        var name: UnsafePointer<CChar>?
        guard sd_bus_get_unique_name(bus, &name) >= 0, let name else { return "" }
        return String(cString: name)
    }

    /// A method call, complete but not sent. The caller lets go of it with `sd_bus_message_unref`.
    func methodCall(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) throws(BusError) -> OpaquePointer {
        var message: OpaquePointer?
        let result = sd_bus_message_new_method_call(bus, &message, destination, path, interface, member)
        guard result >= 0, let message else {
            throw BusError(sending: "a call of \(interface).\(member) at \(destination)\(path)", result: result)
        }
        return try complete(message, arguments)
    }

    /// A signal, complete but not sent. The caller lets go of it with `sd_bus_message_unref`.
    func signal(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) throws(BusError) -> OpaquePointer {
        var message: OpaquePointer?
        let result = sd_bus_message_new_signal(bus, &message, path, interface, member)
        guard result >= 0, let message else {
            throw BusError(sending: "a signal \(interface).\(member) of \(path)", result: result)
        }
        return try complete(message, arguments)
    }

    private func complete(_ message: OpaquePointer, _ arguments: [BusValue]) throws(BusError) -> OpaquePointer {
        do throws(BusError) {
            try MessageWriter.append(arguments, to: message)
        } catch {
            sd_bus_message_unref(message)
            throw error
        }
        return message
    }

    /// What an answer says: its arguments, or the error that it is.
    static func outcome(
        of message: OpaquePointer, _ types: MessageTypes, call: @autoclosure () -> String
    ) -> Result<[BusValue], BusError> {
        if let error = sd_bus_message_get_error(message) {
            return .failure(self.error(error.pointee, of: message, call: call()))
        }
        do throws(MessageReader.Fault) {
            var reader = MessageReader(message, types)
            return .success(try reader.arguments())
        } catch {
            return .failure(.unexpectedReply("cannot read the answer to \(call()): \(error.text)"))
        }
    }

    private static func error(
        _ error: sd_bus_error, of message: OpaquePointer, call: @autoclosure () -> String
    ) -> BusError {
        let name = error.name.map { String(cString: $0) } ?? BusError.failed
        var cookie: UInt64 = 0
        // sd-bus makes up the answer to a call that nobody answered in time, and gives it this cookie.
        if name == BusError.noReply, sd_bus_message_get_cookie(message, &cookie) >= 0, cookie == 0xFFFF_FFFF {
            return .timedOut(call())
        }
        return .remote(name: name, message: error.message.map { String(cString: $0) } ?? "")
    }
}

extension Duration {
    /// Microseconds as sd-bus takes them: at least 1, since 0 stands for its default.
    var microseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        guard seconds < 1 << 40 else { return UInt64.max }
        return max(1, UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000))
    }
}
