import Dispatch
import Foundation

/// A kind of radio: makes the half that a manager works with.
///
/// This is the seam between the public classes and what carries their wishes: ``SoftwareRadio`` and (over D-Bus) BlueZ.
/// It speaks of addresses, advertisements and attributes; queues, delegates, permissions and Apple's rules are above it.
protocol RadioBackend: Sendable {
    /// A central's radio. All its work and events happen on `queue`.
    func makeCentral(on queue: DispatchQueue) -> any CentralRadio
    /// A peripheral's radio. All its work and events happen on `queue`.
    func makePeripheral(on queue: DispatchQueue) -> any PeripheralRadio
}

/// Why a radio did not do what it was asked.
enum RadioFailure: Error, Equatable, Sendable {
    /// The other side's attribute server refused with this code.
    case att(CBATTError.Code)
    /// The radio or the connection failed.
    case radio(CBError.Code, String? = nil)

    /// The error that Apple's interface gives.
    var publicError: any Error {
        switch self {
        case .att(let code): CBATTError(code)
        case .radio(let code, let reason?): CBError(code, because: reason)
        case .radio(let code, nil): CBError(code)
        }
    }
}

/// How one operation ended.
typealias RadioResult<Value: Sendable> = Result<Value, RadioFailure>

/// Called exactly once, on the radio's queue, whatever happens to the connection.
typealias RadioCompletion<Value: Sendable> = @Sendable (RadioResult<Value>) -> Void
