public import Foundation

/// Puts the pieces of an Improv result together.
///
/// The standard says nothing of results that are longer than a notification may be: some devices send the rest in further
/// notifications, others let it be cut off and expect the client to read the characteristic. Both fit here: a value that
/// was read in whole is passed to ``receive(_:)`` after ``reset()``.
///
/// Takes hostile bytes: what it keeps never exceeds one frame, 258 bytes. After an error it has forgotten the pieces.
public struct ImprovResultAssembler: Sendable {
    private var pieces = Data()

    /// Waits for the first piece.
    public init() {}

    /// Whether the last frame still lacks bytes.
    public var isIncomplete: Bool { !pieces.isEmpty }

    /// Forgets the pieces.
    public mutating func reset() { pieces = Data() }

    /// Takes one characteristic value.
    /// - Returns: The result, when this was its last piece.
    public mutating func receive(_ piece: Data) throws(WireError) -> ImprovResult? {
        let earlier = pieces
        pieces = Data()
        do {
            return try add(earlier + piece)
        } catch {
            // The frame before was cut off and never continued: this may be the start of another.
            guard !earlier.isEmpty else { throw error }
            return try add(piece)
        }
    }

    private mutating func add(_ bytes: Data) throws(WireError) -> ImprovResult? {
        guard let length = bytes.dropFirst().first else {
            guard !bytes.isEmpty else {
                throw .length(field: "frame", actual: 0, allowed: ImprovFrame.overhead...258)
            }
            pieces = bytes
            return nil
        }
        if bytes.count < Int(length) + ImprovFrame.overhead {
            pieces = bytes
            return nil
        }
        return try ImprovResult(decoding: bytes)
    }
}
