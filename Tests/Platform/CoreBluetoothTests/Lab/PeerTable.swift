import CoreBluetooth
import Foundation

/// What the peers' attributes are called, and what stands in them at first: as in Lab/peers/table.py.
enum PeerTable {
    static let values = identifier("0001")
    static let included = identifier("0002")
    static let control = identifier("0003")
    static let later = identifier("0004")

    static let short = identifier("0101")
    static let long = identifier("0102")
    static let command = identifier("0103")
    static let both = identifier("0104")
    static let notified = identifier("0105")
    static let indicated = identifier("0106")
    static let described = identifier("0107")
    static let counted = identifier("0108")
    static let refusing = identifier("0109")
    static let inside = identifier("0201")
    static let commands = identifier("0301")
    static let afterwards = identifier("0401")
    static let descriptor = identifier("01D0")

    static let shortValue = Data("short".utf8)
    static let longValue = pattern(512)
    static let description = "a value with descriptors"

    /// Bytes 0, 1, 2 … 250, 0 …
    static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

    private static func identifier(_ digits: String) -> CBUUID {
        CBUUID(string: "0000\(digits)-1AB0-4000-8000-706565727321")
    }
}
