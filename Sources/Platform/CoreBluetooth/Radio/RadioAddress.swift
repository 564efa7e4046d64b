import Foundation

/// A device address: 48 bits, written `C0:12:34:56:78:9A`.
struct RadioAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in the low 48 bits, first written byte highest.
    let number: UInt64

    init(number: UInt64) { self.number = number & 0xFFFF_FFFF_FFFF }

    /// Six bytes in written order: nil for another count.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 6 else { return nil }
        number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads six pairs of hexadecimal digits with `:` between them or nothing.
    init?(_ text: some StringProtocol) {
        let digits = text.filter { $0 != ":" }.compactMap(\.hexDigitValue)
        guard digits.count == 12, text.count == 12 || text.count == 17 else { return nil }
        number = digits.reduce(0) { $0 << 4 | UInt64($1) }
    }

    /// A random static address (its two highest bits set: Core Specification, volume 6, part B, 1.3.2.1).
    static func random(from bits: UInt64) -> RadioAddress { RadioAddress(number: bits | 0xC000_0000_0000) }

    var bytes: [UInt8] { (0..<6).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

    /// Twelve hexadecimal digits.
    var compact: String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 12 - text.count) + text
    }

    var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
