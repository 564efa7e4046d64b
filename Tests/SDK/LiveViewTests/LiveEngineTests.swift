import Basics
import TestSupport
import Testing
import WebRTC

@testable import LiveView

/// The wait for the media engine.
@Suite struct LiveEngineTests {
    /// What a wait throws; nil if nothing. The wait is a task of its own: one that never ends must not keep the test.
    private func failure(of wait: Task<Void, any Error>) async throws -> LiveViewError? {
        let (results, continuation) = AsyncStream<Result<Void, any Error>>.makeStream()
        Task { continuation.yield(await wait.result) }
        let ended = try await within(.seconds(10), "the end of the wait") {
            for await result in results { return result as Result<Void, any Error>? }
            return nil
        }
        guard case .failure(let error) = try #require(ended) else { return nil }
        return try #require(error as? LiveViewError)
    }

    @Test func aCancelledWaitEndsAtOnceAndTheLoadingGoesOn() async throws {
        let clock = ManualClock()
        let loading = Task<Void, any Error> { try await clock.sleep(for: .seconds(1)) }
        let wait = Task { try await LiveEngine.wait(for: loading) }
        let other = Task { try await LiveEngine.wait(for: loading) }
        await clock.sleepers(atLeast: 1)
        wait.cancel()
        #expect(try await failure(of: wait) == .cancelled)
        clock.advance(by: .seconds(1))
        #expect(try await failure(of: other) == nil)
        #expect(!loading.isCancelled)
    }

    @Test func saysWhatIsNotInstalled() async throws {
        let error = WebRTCError.missingElement(name: "webrtcbin", debianPackage: "gstreamer1.0-plugins-bad")
        let loading = Task<Void, any Error> { throw error }
        #expect(try await failure(of: Task { try await LiveEngine.wait(for: loading) }) == .media(error))
    }

    @Test func isPreparedMoreThanOnce() async throws {
        try await LiveViewModel.prepare()
        try await LiveViewModel.prepare()
    }
}
