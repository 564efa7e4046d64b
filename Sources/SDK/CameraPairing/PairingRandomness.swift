/// Where a conversation gets what must not be guessed; tests and recorded transcripts hand in their own.
struct PairingRandomness: Sendable {
    /// Draws a conversation's number.
    var conversation: @Sendable () -> UInt16 = { .random(in: .min ... .max) }
}
