import Foundation
import WebRTC

/// The media engine, shared by all live views of the process.
enum LiveEngine {
    static let factory = RTCPeerConnectionFactory()

    /// Loads the engine's plugins in the background, once; starts when it is first looked at.
    static let warmth = Task { try await factory.warmUp() }

    /// Waits for the engine, or until the waiting task is cancelled; the loading goes on for the others.
    static func wait(for warmth: Task<Void, any Error> = warmth) async throws(LiveViewError) {
        // The wait for a task's value cannot be cancelled; that for a stream's can.
        let (results, continuation) = AsyncStream<Result<Void, any Error>>.makeStream()
        Task {
            continuation.yield(await warmth.result)
            continuation.finish()
        }
        var iterator = results.makeAsyncIterator()
        guard let result = await iterator.next() else { throw .cancelled }
        do {
            try result.get()
        } catch let error as WebRTCError {
            throw .media(error)
        } catch {
            throw .cancelled
        }
    }
}
