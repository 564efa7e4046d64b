import Basics
import Foundation

/// A service of a peripheral: what discovery found, or one's own as ``CBMutableService``.
open class CBService: CBAttribute, @unchecked Sendable {
    struct Contents {
        var peripheral = WeakReference<CBPeripheral>.empty
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
    }

    let contents: Locked<Contents>
    let attributeID: AttributeID?

    /// Whether the service stands for itself, rather than only inside others.
    public let isPrimary: Bool

    init(uuid: CBUUID, isPrimary: Bool, peripheral: CBPeripheral? = nil, attributeID: AttributeID? = nil) {
        self.isPrimary = isPrimary
        self.attributeID = attributeID
        contents = Locked(Contents(peripheral: WeakReference { [weak peripheral] in peripheral }))
        super.init(uuid: uuid)
    }

    /// The peripheral it was found on; nil for one's own services.
    public var peripheral: CBPeripheral? { contents.withLock { $0.peripheral }.load() }

    /// Services that this one includes; nil until they were discovered.
    open var includedServices: [CBService]? { contents.withLock { $0.includedServices } }

    /// The service's characteristics; nil until they were discovered.
    open var characteristics: [CBCharacteristic]? { contents.withLock { $0.characteristics } }

    override var kind: String { isPrimary ? "service" : "secondary service" }
}
