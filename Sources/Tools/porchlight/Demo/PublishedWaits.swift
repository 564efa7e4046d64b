import Combine

extension Published.Publisher where Value: Sendable {
    /// The first value that satisfies `condition`, the present one included.
    ///
    /// - Throws: The first failure that `failures` publishes meanwhile. One that stands there already was the business
    ///   of an earlier step, and is skipped.
    func first<Failure: Error & Equatable>(
        failing failures: Published<Failure?>.Publisher, where condition: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        for await (value, failure) in combineLatest(failures).values {
            if condition(value) { return value }
            if let failure { throw failure }
        }
        throw CancellationError()
    }
}
