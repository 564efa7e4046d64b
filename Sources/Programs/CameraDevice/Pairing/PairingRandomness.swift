import Foundation
import Wire

/// Where the camera gets what must not be guessed; recorded transcripts hand in their own.
struct PairingRandomness: Sendable {
    /// Answers a client's share: from the hello, the welcome, the share and what the password is verified by.
    var handshake:
        @Sendable (Data, Data, Data, PasswordVerifier) throws(ProtectedPairingError) -> ProtectedCameraHandshake = {
            hello, welcome, share, verifier throws(ProtectedPairingError) in
            try ProtectedCameraHandshake(hello: hello, welcome: welcome, share: share, verifier: verifier)
        }
}
