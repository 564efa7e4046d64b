import Foundation
import WebRTC

/// The media engine, shared by all live views of the process.
enum LiveEngine {
    static let factory = RTCPeerConnectionFactory()

    /// Loads the engine's plugins in the background, once; starts when it is first looked at.
    static let warmth = Task { try await factory.warmUp() }
}
