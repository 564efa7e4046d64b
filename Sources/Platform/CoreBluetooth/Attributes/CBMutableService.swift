import Basics
import Foundation

/// A service to be added to a ``CBPeripheralManager``.
///
/// Fill it before it is added; what changes afterwards has no effect until it is removed and added again.
open class CBMutableService: CBService, @unchecked Sendable {
    /// A service without characteristics.
    /// - Parameter isPrimary: False for a service that only exists to be included by others.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(uuid: UUID, isPrimary: isPrimary)
    }

    /// Services that this one includes. They must have been added before.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { contents.withLock { $0.includedServices = newValue } }
    }

    /// The characteristics, which are ``CBMutableCharacteristic``s.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            contents.withLock { $0.characteristics = newValue }
            for characteristic in newValue ?? [] { characteristic.adopt(by: self) }
        }
    }
}
