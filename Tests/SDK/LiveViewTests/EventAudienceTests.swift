import Basics
import TestSupport
import Testing

@testable import LiveView

/// Who waits, and what of all that is told late is meant for them.
@Suite struct EventAudienceTests {
    private let audience = EventAudience()

    /// Begins to wait after a step, while a connection is being made.
    private func wait(after step: Int) async -> Task<Void, any Error> {
        let (looked, continuation) = AsyncStream<Void>.makeStream()
        let waiter = Task { [audience] in
            try await audience.connected {
                // The audience's lock is held here, so whatever is sent after this finds the waiter.
                continuation.finish()
                return LiveViewMachine.Standing(step: step, outcome: nil)
            }
        }
        for await _ in looked {}
        return waiter
    }

    private func outcome(of waiter: Task<Void, any Error>) async throws -> LiveViewError? {
        let result = try await within(.seconds(20), "the end of the wait") { await waiter.result }
        guard case .failure(let error) = result else { return nil }
        return try #require(error as? LiveViewError)
    }

    @Test(arguments: [LiveViewEvent.terminated, .error(.privacy), .connected])
    func whatHappenedBeforeTheWaitDoesNotEndIt(_ old: LiveViewEvent) async throws {
        let waiter = await wait(after: 5)
        audience.send(old, step: 4)
        audience.send(old, step: 5)
        audience.send(.error(.cameraOffline), step: 6)
        #expect(try await outcome(of: waiter) == .cameraOffline)
    }

    @Test func whatHappensDuringTheWaitEndsIt() async throws {
        let waiters = (await wait(after: 5), await wait(after: 7))
        audience.send(.terminated, step: 6)
        audience.send(.connected, step: 8)
        #expect(try await outcome(of: waiters.0) == .disconnected)
        #expect(try await outcome(of: waiters.1) == nil)
    }

    @Test func aCancelledWaitEnds() async throws {
        let waiter = await wait(after: 1)
        waiter.cancel()
        #expect(try await outcome(of: waiter) == .cancelled)
    }

    @Test func theEndOfAllEndsEveryWait() async throws {
        let waiter = await wait(after: 1)
        let events = audience.stream()
        audience.finish(.disconnected)
        #expect(try await outcome(of: waiter) == .disconnected)
        for await event in events { Issue.record("\(event)") }
    }
}
