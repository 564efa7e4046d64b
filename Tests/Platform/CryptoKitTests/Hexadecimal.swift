import Foundation

extension Data {
    /// The bytes that pairs of hexadecimal digits name; spaces are skipped.
    init(hexadecimal text: String) {
        let digits = text.filter { !$0.isWhitespace }
        precondition(digits.count.isMultiple(of: 2), "half a byte")
        self.init()
        var index = digits.startIndex
        while index < digits.endIndex {
            let next = digits.index(index, offsetBy: 2)
            guard let byte = UInt8(digits[index..<next], radix: 16) else { preconditionFailure("not hexadecimal") }
            append(byte)
            index = next
        }
    }
}
