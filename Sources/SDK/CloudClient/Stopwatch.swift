/// Measures time on any clock.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    /// Starts at zero.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
    }

    /// The time since the start.
    package var elapsed: Duration { read() }
}
