/// A generator that gives one byte over and over, led by a word of zeros where a handshake asks for five words.
public struct RepeatedByte: RandomNumberGenerator {
    private let byte: UInt8
    private var count = 0

    /// Gives this byte.
    public init(_ byte: UInt8) { self.byte = byte }

    /// The next word.
    public mutating func next() -> UInt64 {
        defer { count = (count + 1) % 5 }
        return count == 0 ? 0 : UInt64(byte) * 0x0101_0101_0101_0101
    }
}
