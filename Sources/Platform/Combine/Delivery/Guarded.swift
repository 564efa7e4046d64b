import Basics

/// A value of any type behind the house's lock.
///
/// Combine's values need not be Sendable (its signatures predate the idea), while `Locked` insists on it. The same rules
/// hold: nothing is called out to from inside, and whatever is displaced is returned, so that a value's `deinit` (which
/// may run a caller's code) never runs under the lock.
struct Guarded<Value>: @unchecked Sendable {
    // Unchecked because the value is reached only under the lock; keeping what comes out of it on one thread at a time is
    // the publisher contract (calls to one subscriber never overlap).
    private let box: Locked<Unchecked<Value>>

    init(_ value: Value) { box = Locked(Unchecked(value)) }

    /// Runs `body` with exclusive access. It must not call out.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        box.withLock { Unchecked(body(&$0.value)) }.value
    }

    /// Takes the value out and leaves nil.
    func take<Wrapped>() -> Wrapped? where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// Carries a value across an isolation boundary that the type system cannot see is safe. Each use says why it is.
struct Unchecked<Value>: @unchecked Sendable {
    // Unchecked: the user's promise, see above.
    var value: Value
    init(_ value: Value) { self.value = value }
}
