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
    // Unchecked because the value is touched only while `mutex` is held, and both have stable heap addresses.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// On the heap because the lock is all the exclusivity it needs: a stored property would be checked at run time again.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Guards `value`.
    public init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init failed: \(result)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with exclusive access to the value. Keep it short; never call out from inside.
    /// - Returns: What `body` returns.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
}
