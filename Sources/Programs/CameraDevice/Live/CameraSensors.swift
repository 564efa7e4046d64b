import Basics

/// What a camera measures beside the picture. Called every few seconds while somebody watches, from any task.
public protocol CameraSensors: Sendable {
    /// Degrees Celsius, or nil without such a sensor.
    func temperature() async -> Int?
    /// Relative humidity in percent, 0 to 100, or nil without such a sensor.
    func humidity() async -> Int?
}

/// A camera without sensors.
public struct NoSensors: CameraSensors {
    /// Measures nothing.
    public init() {}
    /// Nil.
    public func temperature() async -> Int? { nil }
    /// Nil.
    public func humidity() async -> Int? { nil }
}

/// Sensors on a porch: values that wander by one at a time around 21 °C and 45 %. Safe from any thread.
public final class SimulatedSensors: CameraSensors {
    private struct State {
        var temperature = 21
        var humidity = 45
    }

    private let state = Locked(State())
    private let random: SharedRandom

    /// Sensors that wander by `generator`.
    public init(generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        random = SharedRandom(generator)
    }

    /// 15 to 27.
    public func temperature() async -> Int? {
        let step = self.step()
        return state.withLock { state in
            state.temperature = min(27, max(15, state.temperature + step))
            return state.temperature
        }
    }

    /// 35 to 60.
    public func humidity() async -> Int? {
        let step = self.step()
        return state.withLock { state in
            state.humidity = min(60, max(35, state.humidity + step))
            return state.humidity
        }
    }

    private func step() -> Int { Int(random.fraction(in: -1...1).rounded()) }
}
