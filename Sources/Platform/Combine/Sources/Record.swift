/// A publisher that plays a recording to each subscriber.
public struct Record<Output, Failure: Error>: Publisher {
    /// Values and how they end.
    public struct Recording {
        /// What is recorded.
        public typealias Input = Output

        /// The values.
        public private(set) var output: [Output]
        /// The ending.
        public private(set) var completion: Subscribers.Completion<Failure>
        private var isOver: Bool

        /// An empty recording, which finishes.
        public init() { self.init(output: []) }

        /// A recording of `output` that ends with `completion`.
        public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
            self.output = output
            self.completion = completion
            isOver = false
        }

        /// Adds a value.
        /// - Precondition: No ending was recorded.
        public mutating func receive(_ input: Output) {
            precondition(!isOver, "a recording takes no value after its ending")
            output.append(input)
        }

        /// Sets the ending.
        /// - Precondition: No ending was recorded.
        public mutating func receive(completion: Subscribers.Completion<Failure>) {
            precondition(!isOver, "a recording takes one ending")
            self.completion = completion
            isOver = true
        }
    }

    /// What is played.
    public let recording: Recording

    /// Plays what `record` records.
    public init(record: (inout Recording) -> Void) {
        var recording = Recording()
        record(&recording)
        self.init(recording: recording)
    }

    /// Plays `recording`.
    public init(recording: Recording) { self.recording = recording }

    /// Plays `output` and ends with `completion`.
    public init(output: [Output], completion: Subscribers.Completion<Failure>) {
        self.init(recording: Recording(output: output, completion: completion))
    }

    /// Attaches `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let values = Publishers.Sequence<[Output], Failure>(sequence: recording.output)
        switch recording.completion {
        case .finished: values.subscribe(subscriber)
        case .failure(let error): values.append(Fail(error: error)).subscribe(subscriber)
        }
    }
}

extension Record: Sendable where Output: Sendable {}
extension Record.Recording: Sendable where Output: Sendable {}
