package import Foundation

extension CBManager {
    /// What carries Bluetooth in a process with an environment such as this one.
    package enum RadioKind: Sendable, Equatable {
        /// BlueZ, on the adapter with this name or address, or on any.
        case blueZ(adapter: String?)
        /// The software radio that meets others in this directory.
        case software(directory: String)
        /// None, for this reason.
        case absent(reason: String)
    }

    /// The kind of radio that a manager without options gets in an environment.
    package static func radioKind(
        environment: [String: String], hasSystemBus: @escaping @Sendable () -> Bool
    ) -> RadioKind {
        let selection = RadioSelection(
            environment: environment, hasSystemBus: hasSystemBus, blueZ: { BlueZRadio(adapter: $0) })
        return switch selection.choose(options: [:]).backend {
        case let radio as BlueZRadio: .blueZ(adapter: radio.adapter)
        case let radio as SoftwareRadio: .software(directory: radio.directory.path)
        case let other: .absent(reason: (other as? AbsentRadio)?.reason ?? "there is no radio")
        }
    }

    /// Where managers without options keep what they know of peripherals, in an environment.
    package static func stateDirectory(environment: [String: String]) -> URL {
        PeerBook.directory(environment: environment)
    }

    /// Which radio a manager without options uses on this machine, and why, in a line for a person.
    ///
    /// Linux only. Chosen anew at each call, from the environment and whether the machine has a system bus; it says nothing of
    /// the adapter's state, which managers do.
    public static var radioDescription: String { RadioSelection.standard.choose(options: [:]).reason }

    /// Why the radio cannot be used and what mends it, in a line for a person; nil while it can be, or where there is no more
    /// to say than ``state`` does. It comes before the state that it explains.
    ///
    /// Linux only. For example: bluetoothd is not on the bus, there is no adapter, the software radio's directory is
    /// somebody else's.
    public var stateReason: String? { state == .poweredOn ? nil : radioExplanation }
}
