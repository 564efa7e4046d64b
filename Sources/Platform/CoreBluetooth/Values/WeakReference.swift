/// A weak reference that can be kept inside a `Locked`, also to a protocol type.
struct WeakReference<Referent>: @unchecked Sendable {
    // Unchecked because the closure only reads a weak variable that nobody writes after it was made. What it returns is
    // used on the manager's queue or handed back to the caller who stored it.
    let load: () -> Referent?

    static var empty: WeakReference { WeakReference { nil } }
}
