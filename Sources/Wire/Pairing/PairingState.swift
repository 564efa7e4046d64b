public import Foundation

/// Where a camera stands on its way into a space, and why the last attempt failed.
///
/// Two bytes on the status characteristic: phase, failure (0 for none).
public struct PairingState: Sendable, Hashable {
    /// The steps in their order.
    public enum Phase: UInt8, Sendable, CaseIterable {
        /// Waiting for a client.
        case waiting = 0
        /// A client is writing fields.
        case receiving = 1
        /// The fields were applied; the camera joins the network.
        case joining = 2
        /// On the network; the camera registers with the cloud.
        case registering = 3
        /// In the cloud.
        case done = 4
        /// The attempt failed; ``PairingState/failure`` says why, and the camera waits again.
        case failed = 5
    }

    /// The step.
    public var phase: Phase
    /// Why the last attempt failed; stays until the next one begins.
    public var failure: PairingFailure?

    /// Describes a state.
    public init(phase: Phase, failure: PairingFailure? = nil) {
        self.phase = phase
        self.failure = failure
    }

    /// Reads the characteristic's value.
    public init(decoding data: Data) throws(WireError) {
        guard data.count == 2 else { throw .length(field: "status", actual: data.count, allowed: 2...2) }
        let bytes = Array(data)
        guard let phase = Phase(rawValue: bytes[0]) else {
            throw .value(field: "phase", reason: "code \(bytes[0]) is not known")
        }
        if bytes[1] == 0 {
            self.init(phase: phase)
        } else if let failure = PairingFailure(code: bytes[1]) {
            self.init(phase: phase, failure: failure)
        } else {
            throw .value(field: "failure", reason: "code \(bytes[1]) is not known")
        }
    }

    /// The characteristic's value.
    public func encoded() -> Data { Data([phase.rawValue, failure?.code ?? 0]) }
}
