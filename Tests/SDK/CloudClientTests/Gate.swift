import Basics

/// Holds a scripted answer back until its request is given up, and says when that happens.
final class Gate: Sendable {
    private let arrivals: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let departures: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    init() {
        arrivals = AsyncStream.makeStream()
        departures = AsyncStream.makeStream()
    }

    /// Suspends until the task is cancelled, as the server does when the client goes away.
    func wait() async {
        arrivals.continuation.yield()
        for await _ in AsyncStream<Void>.makeStream().stream {}
        departures.continuation.yield()
    }

    /// Waits for a request.
    func arrival() async { for await _ in arrivals.stream { return } }
    /// Waits until a request has been given up.
    func departure() async { for await _ in departures.stream { return } }
}
