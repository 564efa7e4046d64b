import Basics

/// Tells one subscription or subscriber from another in logs.
public struct CombineIdentifier: Hashable, CustomStringConvertible, Sendable {
    private static let last = Locked<UInt>(0)

    private let value: UInt

    /// An identifier unlike any other made this way in this process.
    public init() {
        value = Self.last.withLock { last in
            last += 1
            return last
        }
    }

    /// The identifier of `object`, for as long as it lives.
    public init(_ object: AnyObject) {
        value = UInt(bitPattern: ObjectIdentifier(object))
    }

    /// The identifier in hexadecimal.
    public var description: String { "0x" + String(value, radix: 16) }
}

/// Something with a ``CombineIdentifier``; every class has one by its identity.
public protocol CustomCombineIdentifierConvertible {
    /// Tells this from others of its kind.
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    /// The identity of the object.
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
