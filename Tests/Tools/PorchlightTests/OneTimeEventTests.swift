import TestSupport
import Testing

@testable import porchlight

@Suite("Something that happens once")
struct OneTimeEventTests {
    @Test("Everybody who waits gets the first value, also who comes later")
    func everybody() async throws {
        let event = OneTimeEvent<Int>()
        try await within(.seconds(20), "three waiters") {
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<3 { group.addTask { await event.wait() } }
                event.happen(1)
                event.happen(2)
                for await value in group { #expect(value == 1) }
            }
        }
        #expect(await event.wait() == 1)
        #expect(event.hasHappened)
    }

    @Test("Cancelling one waiter leaves the event to the others")
    func cancelled() async throws {
        let event = OneTimeEvent<Int>()
        let given = Task { await event.wait() }
        given.cancel()
        #expect(try await within(.seconds(20), "the cancelled one") { await given.value } == nil)
        let patient = Task { await event.wait() }
        event.happen(7)
        #expect(try await within(.seconds(20), "the patient one") { await patient.value } == 7)
    }
}
