import Basics

/// The camera's random generator, which its parts share. Safe from any thread.
final class SharedRandom: Sendable {
    private let generator: Locked<any RandomNumberGenerator & Sendable>

    /// Takes over a generator.
    init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Locked(generator) }

    /// A duration from zero to `limit`, each as likely.
    func duration(upTo limit: Duration) -> Duration {
        guard limit > .zero else { return .zero }
        return limit * fraction(in: 0...1)
    }

    /// A number in `range`, each as likely.
    func fraction(in range: ClosedRange<Double>) -> Double {
        generator.withLock { generator in Self.draw(range, &generator) }
    }

    private static func draw(
        _ range: ClosedRange<Double>, _ generator: inout any RandomNumberGenerator & Sendable
    ) -> Double {
        func opened<Generator: RandomNumberGenerator>(_ generator: inout Generator) -> Double {
            Double.random(in: range, using: &generator)
        }
        return opened(&generator)
    }
}
