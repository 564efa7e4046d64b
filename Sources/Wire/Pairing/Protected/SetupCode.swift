/// The code that is printed on a camera and proves that whoever pairs it has it at hand: eight decimal digits.
///
/// Printing, interpolating, dumping and debugging show `<redacted>`.
public struct SetupCode: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of digits.
    public static let digitCount = 8

    private let digits: Secret

    /// Reads what a person typed: eight ASCII digits, with any white space and dashes between them.
    /// - Throws: ``WireError/value(field:reason:)``, which repeats nothing of the text.
    public init(_ text: String) throws(WireError) {
        let digits = text.filter { !$0.isWhitespace && !Self.dashes.contains($0) }
        guard digits.count == Self.digitCount, digits.allSatisfy({ ("0"..."9").contains($0) && $0.isASCII }) else {
            throw .value(field: "setup code", reason: "it is the eight digits that are printed on the camera")
        }
        self.digits = Secret(digits)
    }

    /// Reads what a person typed and what was kept as a secret since.
    /// - Throws: As ``init(_:)-(String)``.
    public init(_ text: Secret) throws(WireError) { try self.init(text.revealed) }

    /// A new code from the system's random source.
    public static func random() -> SetupCode {
        var random = SystemRandomNumberGenerator()
        return .random(using: &random)
    }

    /// A new code from `generator`, never a trivial one.
    public static func random(using generator: inout some RandomNumberGenerator) -> SetupCode {
        while true {
            let digits = String(UInt32.random(in: 0..<100_000_000, using: &generator))
            let code = SetupCode(digits: String(repeating: "0", count: digitCount - digits.count) + digits)
            if !code.isTrivial { return code }
        }
    }

    private init(digits: String) { self.digits = Secret(digits) }

    /// The eight digits. Name it only where they leave for the label or the screen that a person reads them from.
    public var revealed: String { digits.revealed }

    /// The eight digits as they are printed: `1234-5678`. Name it only there.
    public var printed: String { "\(digits.revealed.prefix(4))-\(digits.revealed.suffix(4))" }

    /// Whether this is a code that a stranger tries first: equal steps from digit to digit (11111111, 12345678, 86420864),
    /// or the same four digits twice. A camera is not given one.
    public var isTrivial: Bool {
        let values = digits.revealed.utf8.map(Int.init)
        let steps = zip(values.dropFirst(), values).map { ($0 - $1 + 10) % 10 }
        return Set(steps).count == 1 || values.prefix(4) == values.suffix(4)
    }

    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }
    /// Shows nothing of the digits to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["digits": "<redacted>"]) }

    /// What keyboards and labels have for a dash: hyphen-minus, hyphens, figure, en and em dash, bar, minus.
    private static let dashes: Set<Character> = [
        "-", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2015}", "\u{2212}",
    ]
}
