import Basics
public import Foundation

/// A read or a write that a central asks for. Answer it with ``CBPeripheralManager/respond(to:withResult:)``.
public final class CBATTRequest: NSObject, @unchecked Sendable {
    // Unchecked because of NSObject: what changes is inside `Locked`.

    /// Who asks.
    public let central: CBCentral
    /// What is to be read or written.
    public let characteristic: CBCharacteristic
    /// The first byte that is meant.
    public let offset: Int
    /// For a read, to be set by you: the value from ``offset`` on. For a write: what to write there.
    public var value: Data? {
        get { bytes.withLock { $0 } }
        set { bytes.withLock { $0 = newValue } }
    }

    private let bytes: Locked<Data?>
    /// Nil when the central wants no answer. All requests of one prepared write share it.
    let ticket: RequestTicket?
    let isRead: Bool

    init(
        central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?, ticket: RequestTicket?,
        isRead: Bool
    ) {
        self.central = central
        self.characteristic = characteristic
        self.offset = offset
        self.ticket = ticket
        self.isRead = isRead
        bytes = Locked(value)
        super.init()
    }
}
