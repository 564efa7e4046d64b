import Wire

/// How often the setup code has been tried: every fifth wrong try in a row closes pairing for a minute, the twentieth until
/// the camera is started again.
///
/// A pure value. A try is spent when the camera proves that it knows the code, since from then on the client knows whether
/// its own was right; the right code gives all of them back. It locks when a try that left none is lost.
struct SetupCodeTries: Sendable {
    /// Tries until the camera is locked, and again until it is.
    static let row = 5
    /// Tries until it stays so.
    static let total = 20
    /// How long it is locked.
    static let lockDuration: Duration = .seconds(60)

    private enum State: Sendable {
        case open, locked, over
    }

    private var state = State.open
    private var spent = 0
    private var locks = 0
    private var timer = 0

    /// Nothing tried.
    init() {}

    /// Whether the camera may be paired.
    var isOpen: Bool { state == .open }

    /// How many tries there are until it is locked.
    var left: Int { (locks + 1) * Self.row - spent }

    /// The camera shows that it knows the code.
    mutating func spend() { spent += 1 }

    /// The client has shown it, too.
    mutating func succeed() { (spent, locks) = (0, 0) }

    /// No try is left.
    /// - Returns: The number of the timer to start; nil when pairing has ended.
    mutating func lock() -> Int? {
        locks += 1
        timer += 1
        state = spent >= Self.total ? .over : .locked
        return state == .locked ? timer : nil
    }

    /// The timer of a number has ended.
    /// - Returns: Whether the camera may be paired again now, and could not before.
    mutating func unlock(_ timer: Int) -> Bool {
        guard state == .locked, timer == self.timer else { return false }
        state = .open
        return true
    }
}
