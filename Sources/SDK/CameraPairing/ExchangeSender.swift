import Foundation
import Wire

/// The client's messages on their way through an exchange, one after the other, as a value.
///
/// A frame that is not taken makes it ask for the camera's position and go on from the first missing frame. Source:
/// `docs/pairing-protocol.md`, 4.8.
struct ExchangeSender {
    /// What to do next.
    enum Step: Equatable {
        /// Write this frame; ``wrote()`` or ``failed()`` follows.
        case write(Data)
        /// Read the position; ``isAt(_:)`` or ``failed()`` follows.
        case readPosition
        /// Everything has arrived.
        case idle
        /// The camera has not taken the message in all the attempts.
        case giveUp
    }

    private static let attempts = 3

    private var waiting: [(number: UInt8, message: Data)] = []
    private var frames: [Frame] = []
    private var next = 0
    private var failures = 0
    private var nextNumber: UInt8 = 0

    /// Takes a message.
    /// - Returns: Its number, by which the camera answers.
    mutating func add(_ message: Data) -> UInt8 {
        defer { nextNumber &+= 1 }
        waiting.append((nextNumber, message))
        return nextNumber
    }

    /// Whether a step is still to be answered.
    private var isUnderWay: Bool { !frames.isEmpty }

    /// Whether none is under way and another waits.
    var canBegin: Bool { !isUnderWay && !waiting.isEmpty }

    /// Begins with the next message; ``canBegin`` must hold.
    /// - Parameter limit: The longest value on this link.
    mutating func begin(limit: Int) throws(WireError) -> Step {
        guard canBegin else { return .idle }
        let (number, message) = waiting.removeFirst()
        frames = try Frame.split(message, message: number, limit: limit)
        next = 0
        failures = 0
        return .write(frames[0].encoded)
    }

    /// The camera has taken the frame.
    mutating func wrote() -> Step {
        guard isUnderWay else { return .idle }
        next += 1
        return goOn()
    }

    /// The camera has not taken the frame, or not told its position.
    mutating func failed() -> Step {
        guard isUnderWay else { return .idle }
        failures += 1
        guard failures <= Self.attempts else {
            frames = []
            return .giveUp
        }
        return .readPosition
    }

    /// Goes on from where the camera is.
    mutating func isAt(_ position: ExchangePosition) -> Step {
        guard let number = frames.first?.message else { return .idle }
        switch position.progress {
        case .complete where position.message == number: next = frames.count
        case .underWay where position.message == number: next = position.firstMissing
        default: next = 0
        }
        return next <= frames.count ? goOn() : failed()
    }

    /// Gives up the message under way, which will not be taken.
    /// - Returns: Its number.
    mutating func abandon() -> UInt8? {
        defer { frames = [] }
        return frames.first?.message
    }

    private mutating func goOn() -> Step {
        guard next < frames.count else {
            frames = []
            return .idle
        }
        return .write(frames[next].encoded)
    }
}
