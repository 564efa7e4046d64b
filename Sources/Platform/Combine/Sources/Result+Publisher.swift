extension Result {
    /// Publishes the value and finishes, or fails.
    public struct Publisher: Combine.Publisher {
        /// The value's type.
        public typealias Output = Success

        /// What is published.
        public let result: Result

        /// Publishes `result`.
        public init(_ result: Result) { self.result = result }

        /// Publishes `output`.
        public init(_ output: Success) { result = .success(output) }

        /// Fails with `failure`.
        public init(_ failure: Failure) { result = .failure(failure) }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            let outlet = Outlet(subscriber, surplus: .keep)
            outlet.enqueue(result)
            outlet.start()
        }
    }

    /// A publisher of the value or error.
    public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
extension Result.Publisher: Sendable where Success: Sendable {}

extension Outlet {
    /// Queues a value and its ending, or a failure.
    func enqueue(_ result: Result<Value, Fault>) {
        switch result {
        case .success(let value):
            enqueue(value)
            enqueue(completion: .finished)
        case .failure(let error): enqueue(completion: .failure(error))
        }
    }
}
