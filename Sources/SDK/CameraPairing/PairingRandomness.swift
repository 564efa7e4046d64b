import Foundation
import Wire

/// Where a conversation gets what must not be guessed; tests and recorded transcripts hand in their own.
struct PairingRandomness: Sendable {
    /// Draws a conversation's number.
    var conversation: @Sendable () -> UInt16 = { .random(in: .min ... .max) }
    /// Begins the handshake of the protected layout: from the hello, the welcome and the setup code.
    var handshake: @Sendable (Data, Data, SetupCode?) throws -> ProtectedClientHandshake = {
        try ProtectedClientHandshake(hello: $0, welcome: $1, code: $2)
    }
}
