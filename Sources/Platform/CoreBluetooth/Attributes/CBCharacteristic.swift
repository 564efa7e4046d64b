import Basics
public import Foundation

/// What can be done with a characteristic. (Core Specification, volume 3, part G, 3.3.1.1.)
public struct CBCharacteristicProperties: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Takes the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Sent in advertisements.
    public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
    /// Can be read.
    public static let read = CBCharacteristicProperties(rawValue: 0x02)
    /// Can be written without an answer.
    public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
    /// Can be written.
    public static let write = CBCharacteristicProperties(rawValue: 0x08)
    /// Sends notifications.
    public static let notify = CBCharacteristicProperties(rawValue: 0x10)
    /// Sends indications, which are confirmed one by one.
    public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
    /// Can be written with a signature.
    public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
    /// Has more properties in a descriptor.
    public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
    /// Notifies over encrypted links only.
    public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
    /// Indicates over encrypted links only.
    public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)

    /// Whether subscriptions are possible.
    var canNotify: Bool {
        !isDisjoint(with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])
    }
}

/// What centrals may do with a local attribute.
public struct CBAttributePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Takes the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// May be read.
    public static let readable = CBAttributePermissions(rawValue: 0x01)
    /// May be written.
    public static let writeable = CBAttributePermissions(rawValue: 0x02)
    /// May be read over an encrypted link.
    public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
    /// May be written over an encrypted link.
    public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)

    var allowsReading: Bool { !isDisjoint(with: [.readable, .readEncryptionRequired]) }
    var allowsWriting: Bool { !isDisjoint(with: [.writeable, .writeEncryptionRequired]) }
}

/// A characteristic: what discovery found, or one's own as ``CBMutableCharacteristic``.
open class CBCharacteristic: CBAttribute, @unchecked Sendable {
    struct Contents {
        var service: WeakReference<CBService>
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
        var isNotifying = false
        /// Changes of the subscription that were asked for and not answered yet.
        var subscriptionChanges = 0
        // The rest belongs to local characteristics.
        var permissions: CBAttributePermissions = []
        var subscribedCentrals: [CBCentral] = []
        var localID: AttributeID?
    }

    let contents: Locked<Contents>
    let attributeID: AttributeID?

    init(
        uuid: CBUUID, properties: CBCharacteristicProperties, value: Data? = nil,
        permissions: CBAttributePermissions = [], service: CBService? = nil, attributeID: AttributeID? = nil
    ) {
        self.attributeID = attributeID
        contents = Locked(
            Contents(
                service: WeakReference { [weak service] in service }, properties: properties, value: value,
                permissions: permissions))
        super.init(uuid: uuid)
    }

    /// The service that holds it; nil when that is gone.
    public var service: CBService? { contents.withLock { $0.service }.load() }

    /// What can be done with it.
    open var properties: CBCharacteristicProperties { contents.withLock { $0.properties } }

    /// The last value that was read or notified; for one's own, the fixed value given at creation.
    open var value: Data? { contents.withLock { $0.value } }

    /// The descriptors; nil until they were discovered.
    open var descriptors: [CBDescriptor]? { contents.withLock { $0.descriptors } }

    /// Whether notifications or indications are on.
    open var isNotifying: Bool { contents.withLock { $0.isNotifying } }

    override var kind: String { "characteristic" }

    func adopt(by service: CBService) {
        contents.withLock { $0.service = WeakReference { [weak service] in service } }
    }
}
