import Foundation

/// A descriptor of a characteristic to be added to a ``CBPeripheralManager``. Its value is fixed.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
    /// A descriptor.
    /// - Parameter value: A `String`, a `Data`, or an `NSNumber` (sent as two bytes). Other values, and nil, make the
    ///   service that holds it fail to be added with ``CBError/Code/invalidParameters``.
    public init(type UUID: CBUUID, value: Any?) {
        let bytes: Data? =
            switch value {
            case let text as String: Data(text.utf8)
            case let data as Data: data
            case let number as NSNumber:
                Data([UInt8(truncatingIfNeeded: number.intValue), UInt8(truncatingIfNeeded: number.intValue >> 8)])
            default: nil
            }
        super.init(uuid: UUID, bytes: bytes)
    }
}
