import CGStreamer

/// A closure connected to a signal of a GObject.
///
/// The closure is owned by the connection on the C side and freed when the signal is disconnected or its object dies,
/// whichever is first, after any running call has ended. Closures must not hold the object they are connected to.
struct SignalConnection: @unchecked Sendable {
    // Unchecked because it is two plain values; whoever holds it keeps the object alive until `disconnect()`.
    private let object: UnsafeMutableRawPointer
    private let id: gulong

    /// Breaks the connection. A call that runs on another thread at this moment ends by itself.
    func disconnect() { g_signal_handler_disconnect(object, id) }

    /// Connects to a signal without arguments.
    init(_ object: UnsafeMutableRawPointer, _ signal: String, _ handler: @escaping @Sendable () -> Void) {
        let function: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            Box<@Sendable () -> Void>.value(data)?()
        }
        self.init(object, signal, unsafeBitCast(function, to: GCallback.self), Box(handler))
    }

    /// Connects to a change of a property.
    init(_ object: UnsafeMutableRawPointer, property: String, _ handler: @escaping @Sendable () -> Void) {
        let function: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            Box<@Sendable () -> Void>.value(data)?()
        }
        self.init(object, "notify::\(property)", unsafeBitCast(function, to: GCallback.self), Box(handler))
    }

    /// Connects to a signal with one pointer, lent for the time of the call.
    init(
        _ object: UnsafeMutableRawPointer, pointer signal: String,
        _ handler: @escaping @Sendable (UnsafeMutableRawPointer?) -> Void
    ) {
        let function: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, argument, data in
            Box<@Sendable (UnsafeMutableRawPointer?) -> Void>.value(data)?(argument)
        }
        self.init(object, signal, unsafeBitCast(function, to: GCallback.self), Box(handler))
    }

    /// Connects to a signal with a pointer, lent for the time of the call, and a flag.
    init(
        _ object: UnsafeMutableRawPointer, pointerAndFlag signal: String,
        _ handler: @escaping @Sendable (UnsafeMutableRawPointer?, Bool) -> Void
    ) {
        let function: @convention(c) (gpointer?, gpointer?, gboolean, gpointer?) -> Void = { _, argument, flag, data in
            Box<@Sendable (UnsafeMutableRawPointer?, Bool) -> Void>.value(data)?(argument, flag != 0)
        }
        self.init(object, signal, unsafeBitCast(function, to: GCallback.self), Box(handler))
    }

    /// Connects to a signal with a number and a text.
    init(
        _ object: UnsafeMutableRawPointer, numberAndText signal: String,
        _ handler: @escaping @Sendable (UInt32, String) -> Void
    ) {
        let function: @convention(c) (gpointer?, guint, UnsafePointer<gchar>?, gpointer?) -> Void = {
            _, number, text, data in
            guard let text else { return }
            Box<@Sendable (UInt32, String) -> Void>.value(data)?(number, String(cString: text))
        }
        self.init(object, signal, unsafeBitCast(function, to: GCallback.self), Box(handler))
    }

    private init<Value>(_ object: UnsafeMutableRawPointer, _ signal: String, _ callback: GCallback?, _ box: Box<Value>)
    {
        self.object = object
        let release: GClosureNotify = { data, _ in
            if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
        }
        id = g_signal_connect_data(
            object, signal, callback, Unmanaged.passRetained(box as AnyObject).toOpaque(), release,
            GConnectFlags(rawValue: 0))
    }
}

/// A value behind the untyped pointer of a C callback, held by one retain that the C side gives back.
final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }

    /// The value behind `data`, whose retain stays with the C side.
    static func value(_ data: UnsafeMutableRawPointer?) -> Value? {
        data.map { Unmanaged<Box<Value>>.fromOpaque($0).takeUnretainedValue().value }
    }
}
