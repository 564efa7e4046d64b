import Basics
import Foundation

/// A descriptor of a characteristic: what discovery found, or one's own as ``CBMutableDescriptor``.
open class CBDescriptor: CBAttribute, @unchecked Sendable {
    struct Contents {
        var characteristic: WeakReference<CBCharacteristic>
        var bytes: Data?
    }

    let contents: Locked<Contents>
    let attributeID: AttributeID?

    init(
        uuid: CBUUID, bytes: Data? = nil, characteristic: CBCharacteristic? = nil, attributeID: AttributeID? = nil
    ) {
        self.attributeID = attributeID
        contents = Locked(
            Contents(characteristic: WeakReference { [weak characteristic] in characteristic }, bytes: bytes))
        super.init(uuid: uuid)
    }

    /// The characteristic it describes; nil when that is gone.
    public var characteristic: CBCharacteristic? { contents.withLock { $0.characteristic }.load() }

    /// The last value that was read: a `String` for 2901, an `NSNumber` for 2900, 2902 and 2903, else a `Data`.
    open var value: Any? {
        guard let bytes = contents.withLock({ $0.bytes }) else { return nil }
        switch uuid.shortForm {
        case 0x2901: return String(bytes: bytes, encoding: .utf8) ?? bytes
        case 0x2900, 0x2902, 0x2903:
            guard bytes.count == 2 else { return bytes }
            return NSNumber(value: UInt16(bytes[bytes.startIndex]) | UInt16(bytes[bytes.startIndex + 1]) << 8)
        default: return bytes
        }
    }

    override var kind: String { "descriptor" }

    func adopt(by characteristic: CBCharacteristic) {
        contents.withLock { $0.characteristic = WeakReference { [weak characteristic] in characteristic } }
    }
}
