public import Foundation

/// What services, characteristics and descriptors have in common: a UUID.
///
/// Attributes may be read from any thread; they change on the queue of the manager they belong to.
open class CBAttribute: NSObject, @unchecked Sendable {
    // Unchecked because NSObject and open classes rule out checking: here and in the subclasses every stored property is
    // immutable or inside `Locked`.

    /// What kind of service, characteristic or descriptor this is.
    public let uuid: CBUUID

    init(uuid: CBUUID) {
        self.uuid = uuid
        super.init()
    }

    /// Names the attribute for logs.
    // Here, and not in the subclasses: an override of NSObject's member in a file that imports Foundation internally
    // gives the class another vtable than its clients expect (Swift 6.3.1), and they call the wrong methods.
    open override var description: String { "\(kind) \(uuid)" }

    /// What the description calls it.
    var kind: String { "attribute" }
}

/// Names an attribute between the public classes and a radio. Remote ones are named by the radio, local ones by the
/// peripheral manager.
struct AttributeID: Hashable, Sendable, CustomStringConvertible {
    var number: UInt32
    var description: String { "attribute \(number)" }
}
