/// How long to wait before the next try.
enum Backoff {
    private static let delays: [Duration] = [.milliseconds(100), .milliseconds(250), .seconds(1)]
    /// Every later delay; also what a radio without a free slot needs.
    static let longest = Duration.seconds(4)

    /// The delay after a number of failures in a row, at least one.
    static func delay(after failures: Int) -> Duration {
        delays.indices.contains(failures - 1) ? delays[failures - 1] : longest
    }
}
