/// A publisher of one value.
public struct Just<Output>: Publisher {
    /// Nothing can fail here.
    public typealias Failure = Never

    /// The value.
    public let output: Output

    /// Publishes `output` once to each subscriber.
    public init(_ output: Output) { self.output = output }

    /// Attaches `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let outlet = Outlet(subscriber, surplus: .keep)
        outlet.enqueue(output)
        outlet.enqueue(completion: .finished)
        outlet.start()
    }
}

extension Just: Equatable where Output: Equatable {}
extension Just: Sendable where Output: Sendable {}
