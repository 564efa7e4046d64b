import Basics
import Dispatch
import Foundation

/// What one software radio lives in: its queue, its address, the directory where radios meet, conditions, time and
/// chance.
struct SoftwareAir: Sendable {
    var queue: DispatchQueue
    var address: RadioAddress
    var directory: RadioDirectory
    var conditions: RadioConditions
    var clock: RadioClock
    var random: RadioRandom

    /// Says why there is none, and what to do.
    static func isMissing(_ error: any Error) -> String {
        "the software radio has no air: \(error); make the directory usable for this user alone, or choose another with "
            + "PORCHLIGHT_RADIO_DIR"
    }
}

/// Randomness that may be shared.
final class RadioRandom: Sendable {
    private let generator: Locked<any RandomNumberGenerator & Sendable>

    init(_ generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Locked(generator)
    }

    /// A number from 0 up to, not including, 1.
    func unit() -> Double {
        let bits = generator.withLock { $0.next() }
        return Double(bits >> 11) / Double(1 << 53)
    }

    /// A random static address.
    func address() -> RadioAddress { RadioAddress.random(from: generator.withLock { $0.next() }) }
}

/// A radio made of sockets: peripherals and centrals of this machine, in one or several processes of one user, find each
/// other through a directory. Each advertiser listens on a socket there that is named by its address.
struct SoftwareRadio: RadioBackend {
    var directory: RadioDirectory
    var conditions: RadioConditions
    var address: RadioAddress?
    var random = RadioRandom()

    func makeCentral(on queue: DispatchQueue) -> any CentralRadio { SoftwareCentral(air(on: queue)) }

    func makePeripheral(on queue: DispatchQueue) -> any PeripheralRadio { SoftwarePeripheral(air(on: queue)) }

    private func air(on queue: DispatchQueue) -> SoftwareAir {
        SoftwareAir(
            queue: queue, address: address ?? random.address(), directory: directory, conditions: conditions,
            clock: RadioClock(conditions.clock), random: random)
    }
}
