internal import Basics
import CGStreamer

/// The bridge from a `GstPromise` to `await`.
enum Promise {
    /// Starts an operation and waits for the reply.
    /// - Parameters:
    ///   - start: Hands the promise to the media engine, which keeps a reference of its own.
    ///   - read: Takes what is wanted out of the reply, on the engine's thread. `nil` stands for an empty reply.
    /// - Throws: ``WebRTCError/closed`` when the engine went away, or let the promise go, before it answered,
    ///   ``WebRTCError/negotiationFailed(reason:)`` with the engine's own error.
    static func reply<Value: Sendable>(
        _ start: (UnsafeMutablePointer<GstPromise>) -> Void,
        _ read: @escaping @Sendable (UnsafePointer<GstStructure>?) -> Value
    ) async throws(WebRTCError) -> Value {
        let result: Result<Value, WebRTCError> = await withCheckedContinuation { continuation in
            let waiting = Locked<CheckedContinuation<Result<Value, WebRTCError>, Never>?>(continuation)
            let finish = Box<(UnsafeMutablePointer<GstPromise>?) -> Void> { promise in
                let waiter = waiting.withLock { waiter in
                    defer { waiter = nil }
                    return waiter
                }
                waiter?.resume(returning: promise.map { outcome(of: $0, read) } ?? .failure(.closed))
            }
            // The first function is called when the promise leaves its pending state, once: replied, interrupted or expired.
            // A promise that is dropped while it is pending changes nothing and is only freed, which the second one hears.
            let promise = gst_promise_new_with_change_func(
                { promise, data in
                    guard let promise else { return }
                    Box<(UnsafeMutablePointer<GstPromise>?) -> Void>.value(data)?(promise)
                }, Unmanaged.passRetained(finish).toOpaque(),
                { data in
                    guard let data else { return }
                    let finish = Unmanaged<Box<(UnsafeMutablePointer<GstPromise>?) -> Void>>.fromOpaque(data)
                    finish.takeRetainedValue().value(nil)
                })!
            start(promise)
            gst_mini_object_unref(cast(promise))
        }
        return try result.get()
    }

    private static func outcome<Value>(
        of promise: UnsafeMutablePointer<GstPromise>, _ read: (UnsafePointer<GstStructure>?) -> Value
    ) -> Result<Value, WebRTCError> {
        guard gst_promise_wait(promise) == GST_PROMISE_RESULT_REPLIED else { return .failure(.closed) }
        let reply = gst_promise_get_reply(promise)
        if let reply, let value = gst_structure_get_value(reply, "error"), let error = g_value_get_boxed(value) {
            let message = error.assumingMemoryBound(to: GError.self).pointee.message
            return .failure(.negotiationFailed(reason: message.map { String(cString: $0) } ?? "no reason given"))
        }
        return .success(read(reply))
    }
}
