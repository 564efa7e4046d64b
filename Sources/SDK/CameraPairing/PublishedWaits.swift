import Combine

extension Published.Publisher where Value: Sendable {
    /// The first value that satisfies `condition`, the present one included.
    ///
    /// - Throws: The failure that `failures` holds or comes to hold before; `CancellationError`.
    func first<Failure: Error>(
        failing failures: Published<Failure?>.Publisher, where condition: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        for await (value, failure) in combineLatest(failures).values {
            if let failure { throw failure }
            if condition(value) { return value }
        }
        throw CancellationError()
    }
}
