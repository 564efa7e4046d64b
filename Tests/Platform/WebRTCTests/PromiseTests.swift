import CGStreamer
import TestSupport
import Testing

@testable import WebRTC

@Suite("A promise to the media engine")
struct PromiseTests {
    /// What becomes of a promise. The wait is a task of its own: one that never ends must not keep the test.
    private func outcome(
        of start: @escaping @Sendable (UnsafeMutablePointer<GstPromise>) -> Void
    ) async throws -> Result<Bool, WebRTCError> {
        try await Engine.factory.warmUp()
        let (results, continuation) = AsyncStream<Result<Bool, WebRTCError>>.makeStream()
        Task {
            do throws(WebRTCError) {
                continuation.yield(.success(try await Promise.reply(start) { $0 != nil }))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let result = try await within(.seconds(10), "the promise's end") {
            for await result in results { return result as Result<Bool, WebRTCError>? }
            return nil
        }
        return try #require(result)
    }

    @Test("that is replied to gives the reply")
    func replied() async throws {
        #expect(try await outcome { gst_promise_reply($0, gst_structure_new_empty("reply")) } == .success(true))
        #expect(try await outcome { gst_promise_reply($0, nil) } == .success(false))
    }

    @Test("that is dropped while it is pending says that the engine is gone")
    func dropped() async throws {
        #expect(try await outcome { _ in } == .failure(.closed))
    }

    @Test("that expires or is interrupted says that the engine is gone")
    func ended() async throws {
        #expect(try await outcome { gst_promise_expire($0) } == .failure(.closed))
        #expect(try await outcome { gst_promise_interrupt($0) } == .failure(.closed))
    }

    @Test("that is replied to after its interruption is heard once")
    func twice() async throws {
        let result = try await outcome { promise in
            gst_promise_interrupt(promise)
            gst_promise_reply(promise, gst_structure_new_empty("late"))
            gst_promise_expire(promise)
        }
        #expect(result == .failure(.closed))
    }
}
