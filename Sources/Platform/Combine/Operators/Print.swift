extension Publishers {
    /// Writes a line for each event.
    public struct Print<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Begins each line.
        public let prefix: String
        /// Where the lines go; nil for standard output.
        public let stream: (any TextOutputStream)?

        /// Writes the events of `upstream` to `stream`.
        public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
            self.upstream = upstream
            self.prefix = prefix
            self.stream = stream
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let printer = EventPrinter(prefix: prefix, stream: stream)
            upstream.handleEvents(
                receiveSubscription: { printer.write("receive subscription: (\($0))") },
                receiveOutput: { printer.write("receive value: (\($0))") },
                receiveCompletion: { completion in
                    switch completion {
                    case .finished: printer.write("receive finished")
                    case .failure(let error): printer.write("receive error: (\(error))")
                    }
                },
                receiveCancel: { printer.write("receive cancel") },
                receiveRequest: { demand in
                    printer.write("request \(demand.max.map { "max: (\($0))" } ?? "unlimited")")
                }
            ).subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Writes a line for each event, beginning with `prefix`, to `stream` or standard output.
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
        Publishers.Print(upstream: self, prefix: prefix, to: stream)
    }
}

/// Writes lines one at a time.
private struct EventPrinter {
    private let prefix: String
    private let stream: Guarded<(any TextOutputStream)?>

    init(prefix: String, stream: (any TextOutputStream)?) {
        self.prefix = prefix.isEmpty ? "" : prefix + ": "
        self.stream = Guarded(stream)
    }

    func write(_ event: String) {
        let line = prefix + event
        // The caller's stream is called under the lock, which is what keeps its lines apart; it is this operator's own
        // copy and has no way back here.
        let isWritten = stream.withLock { stream in
            stream?.write(line + "\n")
            return stream != nil
        }
        if !isWritten { Swift.print(line) }
    }
}
