import CoreBluetooth
import Foundation

/// The commands to an Improv device that still have to be written, in order, one at a time.
///
/// A command goes out as one value; what is longer than a packet CoreBluetooth writes piece by piece with an end mark
/// ('long write'). Devices without room for long writes refuse that, and take the pieces as values of their own, as the
/// standard says of them.
struct ImprovOutbox {
    private var values: [Data] = []
    private var isWriting = false

    var isEmpty: Bool { values.isEmpty }

    mutating func add(_ command: Data) { values.append(command) }

    /// Writes the first value, unless one is under way.
    mutating func writeNext(to characteristic: CBCharacteristic, of peripheral: CBPeripheral) {
        guard !isWriting, let value = values.first else { return }
        isWriting = true
        peripheral.writeValue(value, for: characteristic, type: .withResponse)
    }

    /// The first value is acknowledged.
    mutating func written() {
        isWriting = false
        if !values.isEmpty { values.removeFirst() }
    }

    /// Cuts the first value into pieces of a packet each, when that may help against `error`.
    mutating func retryInPieces(after error: any Error, of peripheral: CBPeripheral) -> Bool {
        let size = peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard let code = (error as? CBATTError)?.code, Self.refusalsOfLongWrites.contains(code), size > 0,
            let value = values.first, value.count > size
        else { return false }
        isWriting = false
        let pieces = stride(from: 0, to: value.count, by: size).map {
            Data(value.dropFirst($0).prefix(size))
        }
        values.replaceSubrange(0..<1, with: pieces)
        return true
    }

    private static let refusalsOfLongWrites: [CBATTError.Code] = [
        .requestNotSupported, .invalidOffset, .attributeNotLong, .invalidAttributeValueLength, .prepareQueueFull,
    ]
}
