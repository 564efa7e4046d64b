import Basics
public import Foundation

/// A characteristic of a service to be added to a ``CBPeripheralManager``.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
    /// A characteristic.
    /// - Parameters:
    ///   - value: A fixed value, which the radio answers reads with by itself: the characteristic must then be readable
    ///     and nothing else. With nil the delegate is asked on every read.
    ///   - permissions: What centrals may do; a read or write it does not allow is refused without asking the delegate.
    public init(
        type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
    ) {
        super.init(uuid: UUID, properties: properties, value: value, permissions: permissions)
    }

    /// What centrals may do.
    open var permissions: CBAttributePermissions {
        get { contents.withLock { $0.permissions } }
        set { contents.withLock { $0.permissions = newValue } }
    }

    /// The centrals that have notifications or indications on.
    open var subscribedCentrals: [CBCentral]? { contents.withLock { $0.subscribedCentrals } }

    /// What can be done with it. Changes count from the next time the service is added.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { contents.withLock { $0.properties = newValue } }
    }

    /// The fixed value, or nil when the delegate answers reads.
    open override var value: Data? {
        get { super.value }
        set { contents.withLock { $0.value = newValue } }
    }

    /// The descriptors, which are ``CBMutableDescriptor``s. The one for subscriptions (2902) is added by the radio.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            contents.withLock { $0.descriptors = newValue }
            for descriptor in newValue ?? [] { descriptor.adopt(by: self) }
        }
    }

    var localID: AttributeID? { contents.withLock { $0.localID } }
}
