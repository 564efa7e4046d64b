import CSystemd

// What sd-bus calls, always from inside of `sd_bus_process` on the connection's queue. The pointer that comes back is the
// call, observer or object that the slot was made for: its connection holds it for as long as it holds the slot.

func answerArrived(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    let call = Unmanaged<BusPendingCall>.fromOpaque(context).takeUnretainedValue()
    call.connection?.answered(call, message)
    return 1
}

func signalArrived(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    let observer = Unmanaged<SignalObserver>.fromOpaque(context).takeUnretainedValue()
    observer.connection.received(message, for: observer)
    // 0: other observers may want it, too.
    return 0
}

func matchAdded(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context, let error = sd_bus_message_get_error(message) else { return 1 }
    let observer = Unmanaged<SignalObserver>.fromOpaque(context).takeUnretainedValue()
    observer.connection.matchRefused("\(String(text: error.pointee.message)) (\(String(text: error.pointee.name)))")
    return 1
}

func callArrived(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    let object = Unmanaged<ExportedObject>.fromOpaque(context).takeUnretainedValue()
    object.connection.received(message, for: object)
    return 1
}

extension String {
    /// A copy of C's text; empty for none.
    init(text: UnsafePointer<CChar>?) {
        if let text { self.init(cString: text) } else { self.init() }
    }
}
