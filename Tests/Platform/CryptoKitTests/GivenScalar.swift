import Foundation

/// A generator that gives one 32-byte number over and over, in the five words in which ``SPAKE2Plus`` asks for it.
struct GivenScalar: RandomNumberGenerator {
    private let words: [UInt64]
    private var index = 0

    init(_ hexadecimal: String) {
        let bytes = Data(hexadecimal: hexadecimal)
        precondition(bytes.count == 32, "a scalar has 32 bytes")
        words =
            [0]
            + stride(from: 0, to: 32, by: 8).map { offset in
                bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
    }

    mutating func next() -> UInt64 {
        defer { index = (index + 1) % words.count }
        return words[index]
    }
}
