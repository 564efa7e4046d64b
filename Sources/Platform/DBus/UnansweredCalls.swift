import Basics
import CSystemd

/// The method calls that have arrived and wait for their answer. Used on the connection's queue only: sd-bus's messages
/// must not be let go of elsewhere, so they stay here and a ``BusMethodCall`` knows its number only.
final class UnansweredCalls {
    private var messages: [UInt64: OpaquePointer] = [:]
    private static let log = Log("dbus")

    /// The call that `message` is. One that cannot be read is refused, and nil.
    func call(
        _ message: OpaquePointer, _ id: UInt64, _ types: MessageTypes, on handle: BusHandle,
        answer: @escaping @Sendable (BusAnswer) -> Void
    ) -> BusMethodCall? {
        let expectsReply = sd_bus_message_get_expect_reply(message) > 0
        if expectsReply { messages[id] = sd_bus_message_ref(message) }
        var reader = MessageReader(message, types)
        do throws(MessageReader.Fault) {
            return BusMethodCall(
                sender: String(text: sd_bus_message_get_sender(message)),
                path: String(text: sd_bus_message_get_path(message)),
                interface: String(text: sd_bus_message_get_interface(message)),
                member: String(text: sd_bus_message_get_member(message)),
                arguments: try reader.arguments(), expectsReply: expectsReply, answer: answer)
        } catch {
            self.answer(id, .error(name: BusError.invalidArguments, message: error.text), on: handle)
            return nil
        }
    }

    /// Sends the answer, the first time.
    func answer(_ id: UInt64, _ answer: BusAnswer, on handle: BusHandle) {
        guard let call = messages.removeValue(forKey: id) else { return }
        defer { sd_bus_message_unref(call) }
        var reply = answer.message(to: call)
        if case .failure(let error) = reply {
            Self.log.error("an answer cannot be sent: \(error)")
            reply = BusAnswer.error(name: BusError.failed, message: "the answer cannot be sent").message(to: call)
        }
        guard case .success(let message) = reply else { return }
        defer { sd_bus_message_unref(message) }
        let result = sd_bus_send(handle.bus, message, nil)
        if result < 0 { Self.log.warning("an answer was not sent (\(BusError.text(of: result)))") }
    }

    func removeAll() {
        for message in messages.values { sd_bus_message_unref(message) }
        messages = [:]
    }
}
