internal import Basics

/// Runs the steps of a negotiation one after the other, in the order of the calls (RFC 8829 calls this the operations
/// chain).
final class OperationChain: Sendable {
    private let tail = Locked<Task<Void, Never>?>(nil)

    /// Runs `body` when everything before it has ended.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(WebRTCError) -> Value
    ) async throws(WebRTCError) -> Value {
        let task = tail.withLock { tail -> Task<Result<Value, WebRTCError>, Never> in
            let previous = tail
            let task = Task { () -> Result<Value, WebRTCError> in
                await previous?.value
                do throws(WebRTCError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            tail = Task { _ = await task.value }
            return task
        }
        return try await task.value.get()
    }
}
