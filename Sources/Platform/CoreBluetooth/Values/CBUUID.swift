public import Foundation

/// A Bluetooth UUID of 16, 32 or 128 bits.
///
/// Two values are equal when they name the same UUID, whatever their width: `180D` equals
/// `0000180D-0000-1000-8000-00805F9B34FB`. The width that a value was made with is kept in ``data`` and ``uuidString``.
/// Immutable, so it may be used from any thread. (Bluetooth Core Specification, volume 3, part B, 2.5.1.)
public final class CBUUID: NSObject, Sendable {
    /// The UUID's bytes, most significant first: 2, 4 or 16 of them.
    public let data: Data

    /// What the UUID stands for, whatever its width: the halves of ``fullBytes`` as numbers.
    private let halves: (high: UInt64, low: UInt64)

    /// `xxxxxxxx-0000-1000-8000-00805F9B34FB` without its first four bytes.
    private static let baseTail: [UInt8] = [0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]

    /// Reads `180D`, `0000180D` or a full UUID string, in either case.
    ///
    /// A string of any other form is a programmer's error and stops the program, as it does on Apple's systems. For
    /// text from outside, check it with `UUID(uuidString:)` first.
    public convenience init(string theString: String) {
        guard let bytes = Self.bytes(of: theString) else {
            preconditionFailure("'\(theString)' is no Bluetooth UUID: give 4, 8 or 32 hexadecimal digits")
        }
        self.init(verified: bytes)
    }

    /// Takes 2, 4 or 16 bytes, most significant first. Any other count stops the program, as on Apple's systems.
    public convenience init(data theData: Data) {
        guard let uuid = CBUUID(bigEndian: theData) else {
            preconditionFailure("a Bluetooth UUID has 2, 4 or 16 bytes, not \(theData.count)")
        }
        self.init(verified: [UInt8](uuid.data))
    }

    /// Takes a 128-bit UUID.
    public convenience init(nsuuid theUUID: UUID) {
        self.init(verified: octets(theUUID))
    }

    /// Bytes from outside: nil when their count is not 2, 4 or 16.
    convenience init?(bigEndian bytes: some Collection<UInt8>) {
        guard [2, 4, 16].contains(bytes.count) else { return nil }
        self.init(verified: [UInt8](bytes))
    }

    /// Bytes in the order of the air (least significant first): nil when their count is not 2, 4 or 16.
    convenience init?(littleEndian bytes: some BidirectionalCollection<UInt8>) {
        self.init(bigEndian: bytes.reversed())
    }

    /// Takes 16 bytes, most significant first, and keeps the shortest form that names the same UUID, as it goes over the
    /// air: nil for another count.
    convenience init?(shortening bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        guard bytes[4...].elementsEqual(Self.baseTail) else {
            self.init(verified: bytes)
            return
        }
        self.init(verified: [UInt8](bytes[(bytes[0] == 0 && bytes[1] == 0 ? 2 : 0)..<4]))
    }

    private init(verified bytes: [UInt8]) {
        data = Data(bytes)
        let full = Self.fullBytes(of: bytes)
        halves = (Self.number(full[..<8]), Self.number(full[8...]))
        super.init()
    }

    /// `180D`, `12345678` or the full form with dashes, in upper case.
    public var uuidString: String {
        let digits = data.map { Self.hexadecimal($0) }
        guard data.count == 16 else { return digits.joined() }
        var text = ""
        for (index, pair) in digits.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += pair
        }
        return text
    }

    /// The same as ``uuidString``.
    public override var description: String { uuidString }

    /// The 16 bytes that the UUID stands for, most significant first.
    var fullBytes: [UInt8] { Self.fullBytes(of: [UInt8](data)) }

    private static func fullBytes(of bytes: [UInt8]) -> [UInt8] {
        switch bytes.count {
        case 2: [0, 0] + bytes + baseTail
        case 4: bytes + baseTail
        default: bytes
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The form that ATT knows: 2 bytes where the UUID has a 16-bit form, else 16; least significant first.
    var attBytes: [UInt8] { (shortForm.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? fullBytes).reversed() }

    /// The 16-bit form, when there is one.
    var shortForm: UInt16? {
        let bytes = fullBytes
        guard bytes[0] == 0, bytes[1] == 0, Array(bytes[4...]) == Self.baseTail else { return nil }
        return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// Compares what the UUIDs stand for, not their widths.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CBUUID else { return false }
        return other.halves == halves
    }

    /// The same for every width of one UUID.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(halves.high)
        hasher.combine(halves.low)
        return hasher.finalize()
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + text : text
    }

    private static func bytes(of text: String) -> [UInt8]? {
        if text.utf8.count == 36 {
            return UUID(uuidString: text).map(octets)
        }
        let digits = text.compactMap(\.hexDigitValue)
        guard [4, 8, 32].contains(digits.count), digits.count == text.utf8.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

private func octets(_ uuid: UUID) -> [UInt8] {
    let (b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15) = uuid.uuid
    return [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15]
}
