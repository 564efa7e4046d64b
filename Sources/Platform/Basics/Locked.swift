#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A value behind a mutex: the one lock of the house.
///
/// The value is reached only inside ``withLock(_:)``, so it cannot leak out unguarded. The lock is not recursive: calling
/// back into the same `Locked` from inside the closure deadlocks, which is why effects (delegate calls, continuations,
/// sends) happen after the closure has returned. It is a pthread mutex, because `Synchronization.Mutex` reports false
/// races under the thread sanitizer.
public final class Locked<Value>: @unchecked Sendable {
    // Unchecked because `value` is touched only while `mutex` is held, and `mutex` has a stable heap address.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Guards `value`.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init failed: \(result)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value. Keep it short; never call out from inside.
    /// - Returns: What `body` returns.
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
