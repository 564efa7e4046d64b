/// A property of a class that publishes its new value before it changes.
///
/// `$name` is a publisher that starts with the current value. Setting the property first signals the owner's default
/// `objectWillChange`, then publishes the new value, then stores it: a subscriber that reads the property finds the old
/// value. Reading and setting are safe from any thread. Of several sets at a time, or a set from inside a
/// subscriber, the one published last is the one that stays.
@propertyWrapper
public struct Published<Value> {
    private var box: Box

    /// A property that starts as `initialValue`.
    public init(initialValue: Value) { box = Box(initialValue) }

    /// A property that starts as `wrappedValue`.
    public init(wrappedValue: Value) { box = Box(wrappedValue) }

    /// Not for use: the wrapper works in classes only, through its subscript.
    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    /// The publisher of the property's values.
    public var projectedValue: Publisher {
        get { Publisher(box: box) }
        set { if newValue.box !== box { box = newValue.box } }
    }

    /// Reads and sets the property of `object`.
    public static subscript<EnclosingSelf: AnyObject>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].box.value }
        set { object[keyPath: storageKeyPath].box.set(newValue, in: object) }
    }

    /// Reads and sets the publisher of the property of `object`.
    public static subscript<EnclosingSelf: AnyObject>(
        _enclosingInstance object: EnclosingSelf,
        projected projectedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Publisher>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
    ) -> Publisher {
        get {
            let box = object[keyPath: storageKeyPath].box
            box.adopt(owner: object)
            return Publisher(box: box)
        }
        set {
            if newValue.box !== object[keyPath: storageKeyPath].box {
                object[keyPath: storageKeyPath].box = newValue.box
            }
        }
    }

    /// The values of a ``Published`` property: the current one, then each new one before it is stored. It never ends.
    public struct Publisher: Combine.Publisher {
        /// The property's type.
        public typealias Output = Value
        /// Nothing can fail here.
        public typealias Failure = Never

        fileprivate let box: Box

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
            box.audience.join(subscriber)
        }

        /// Sets the property, as an assignment to it would.
        func assign(_ value: Value) { box.set(value, in: box.owner) }

        /// Ends `subscription` when the property's storage is released.
        func keep(_ subscription: AnyCancellable) { box.keep(subscription) }

        /// Whether the storage still exists is the question of an assignment that must not keep it alive.
        var storage: WeakStorage { WeakStorage(box) }
    }

    /// A hold on the property's storage that does not keep it alive.
    struct WeakStorage {
        private weak var box: Box?
        fileprivate init(_ box: Box) { self.box = box }
        func assign(_ value: Value) { box.map { $0.set(value, in: $0.owner) } }
    }

    /// The property's storage, shared by the wrapper and its publishers.
    fileprivate final class Box: @unchecked Sendable {
        // Unchecked because all state is in `state` and in the audience.
        private struct State {
            /// What a reader finds: behind the audience's newest value while that is being published.
            var value: Value
            var stored: UInt64 = 0
            var published: UInt64 = 0
            weak var owner: AnyObject?
            var kept: [AnyCancellable] = []
        }

        let audience: Audience<Value, Never>
        private let state: Guarded<State>

        init(_ value: Value) {
            audience = Audience(replaying: value)
            state = Guarded(State(value: value))
        }

        var value: Value { state.withLock { $0.value } }

        var owner: AnyObject? { state.withLock { $0.owner } }

        func adopt(owner: AnyObject) {
            state.withLock { $0.owner = owner }
        }

        func keep(_ subscription: AnyCancellable) { state.withLock { $0.kept.append(subscription) } }

        func set(_ value: Value, in owner: AnyObject?) {
            if let owner { ChangePublishers.existing(of: owner)?.send() }
            let (members, number, displaced) = state.withLock { state in
                let (members, displaced) = audience.enqueue(value)
                state.published += 1
                return (members, state.published, displaced)
            }
            withExtendedLifetime(displaced) {}
            for member in members { member.deliver() }
            let old = state.withLock { state -> Value? in
                guard number > state.stored else { return nil }
                defer {
                    state.value = value
                    state.stored = number
                }
                return state.value
            }
            withExtendedLifetime(old) {}
        }
    }
}

// Unchecked because the box guards its own state; values cross threads, hence the condition.
extension Published: @unchecked Sendable where Value: Sendable {}
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}

extension Publisher where Failure == Never {
    /// Sets a ``Published`` property to each value, for as long as the property's storage lives.
    ///
    /// The property is not kept alive by this.
    public func assign(to published: inout Published<Output>.Publisher) {
        let storage = published.storage
        published.keep(sink { storage.assign($0) })
    }
}
