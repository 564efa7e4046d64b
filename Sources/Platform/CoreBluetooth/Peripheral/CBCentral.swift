import Basics
import Foundation

/// A central that is connected to this machine's peripheral manager.
public final class CBCentral: CBPeer, @unchecked Sendable {
    // Unchecked because of NSObject: what changes is inside `Locked`.
    private let mtu: Locked<Int>

    init(identifier: UUID, central: RemoteCentral) {
        mtu = Locked(central.mtu)
        super.init(identifier: identifier, address: central.address)
    }

    /// The longest value that one notification or indication carries to this central, in bytes. Longer ones are cut.
    public var maximumUpdateValueLength: Int { min(mtu.withLock { $0 } - 3, ATTLimit.valueBytes) }

    func update(_ central: RemoteCentral) { mtu.withLock { $0 = central.mtu } }

    override var label: String { "central" }
}
