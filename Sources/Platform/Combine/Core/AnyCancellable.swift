/// A token that cancels when it is released.
///
/// Safe from any thread: whoever comes first runs the action, exactly once.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    // Unchecked because the action, which need not be Sendable, is taken out under the lock and runs once.
    private let action: Guarded<(() -> Void)?>

    /// A token that runs `cancel` once, when it is cancelled or released, on whichever thread does so.
    public init(_ cancel: @escaping () -> Void) {
        action = Guarded(cancel)
    }

    /// A token that cancels `canceller`, when it is cancelled or released.
    public init<C: Cancellable>(_ canceller: C) {
        action = Guarded(canceller.cancel)
    }

    deinit { cancel() }

    /// Runs the action, unless it has run.
    public func cancel() {
        action.take()?()
    }

    /// Keeps this token alive in `collection`.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(self)
    }

    /// Keeps this token alive in `set`.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }

    /// Whether both are the same token.
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    /// Hashes the token's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
