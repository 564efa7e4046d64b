/// What a wait that ran out says.
public struct DeadlinePassed: Error, CustomStringConvertible {
    /// What was waited for.
    public var what: String
    /// Names the thing that did not happen.
    public var description: String { "did not happen in time: \(what)" }
}

/// Runs `body` against a deadline on the real clock.
///
/// - Parameters:
///   - limit: How long the event may take; generous, because it is only reached on failure.
///   - what: Named in the error.
/// - Throws: ``DeadlinePassed``, or what `body` throws.
public func within<Result: Sendable>(
    _ limit: Duration = .seconds(20), _ what: String = "the expected event",
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlinePassed(what: what)
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw DeadlinePassed(what: what) }
        return result
    }
}
