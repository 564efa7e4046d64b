public import Foundation

/// A remote device.
open class CBPeer: NSObject, @unchecked Sendable {
    // Unchecked because NSObject and an open class rule out checking: this part is immutable.

    /// Names the device on this machine. A peripheral keeps its identifier when the program starts again.
    public let identifier: UUID

    let address: RadioAddress

    init(identifier: UUID, address: RadioAddress) {
        self.identifier = identifier
        self.address = address
        super.init()
    }

    /// Names the device for logs.
    open override var description: String { "\(label) \(identifier)" }

    /// What the description calls it.
    var label: String { "peer" }
}
