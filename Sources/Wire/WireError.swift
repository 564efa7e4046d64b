/// Why bytes or values could not be turned into, or made from, a message of the protocol.
public enum WireError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A field is shorter or longer than it may be. Lengths are bytes.
    case length(field: String, actual: Int, allowed: ClosedRange<Int>)
    /// A field is not UTF-8.
    case notText(field: String)
    /// A field holds a value outside its set.
    case value(field: String, reason: String)
    /// A field that has to be there is not.
    case missing(field: String)
    /// The message or frame is of a version this side does not speak.
    case version(Int)
    /// A frame came that does not follow the one before it.
    case frameOrder(expected: Int, received: Int)
    /// The number of lines of a QR payload is not five.
    case lines(Int)

    /// The name of the field at fault, where there is one.
    public var field: String? {
        switch self {
        case .length(let field, _, _), .notText(let field), .value(let field, _), .missing(let field): field
        case .version, .frameOrder, .lines: nil
        }
    }

    /// What is wrong with what.
    public var description: String {
        switch self {
        case .length(let field, let actual, let allowed):
            "\(field) is \(actual) bytes; it must be \(allowed.lowerBound) to \(allowed.upperBound)"
        case .notText(let field): "\(field) is not valid UTF-8"
        case .value(let field, let reason): "\(field): \(reason)"
        case .missing(let field): "\(field) is missing"
        case .version(let version): "version \(version) is not supported; this side speaks version 1"
        case .frameOrder(let expected, let received): "frame \(received) came where \(expected) was due"
        case .lines(let count): "a pairing code has 5 lines; this one has \(count)"
        }
    }
}
