import CoreBluetooth
import Foundation
import Wire

/// A characteristic's value as a client wrote it, put together from the pieces of a prepared write.
struct WrittenValue: Sendable, Equatable {
    /// The longest value of an attribute (Bluetooth Core Specification, volume 3, part F, 3.2.9).
    static let maximumBytes = 512

    var characteristic: PairingService.Characteristic
    var bytes: Data

    /// Puts the requests of one delivery together. Pieces of a value must follow each other without a gap.
    static func assembled(from requests: [CBATTRequest]) -> Result<[WrittenValue], CBATTError> {
        var values: [WrittenValue] = []
        for request in requests {
            guard let characteristic = PairingService.Characteristic(uuid: request.characteristic.uuid) else {
                return .failure(CBATTError(.attributeNotFound))
            }
            let piece = request.value ?? Data()
            if request.offset == 0 {
                values.append(WrittenValue(characteristic: characteristic, bytes: piece))
            } else if let last = values.indices.last, values[last].characteristic == characteristic,
                values[last].bytes.count == request.offset
            {
                values[last].bytes += piece
            } else {
                return .failure(CBATTError(.invalidOffset))
            }
            guard let value = values.last, value.bytes.count <= maximumBytes else {
                return .failure(CBATTError(.invalidAttributeValueLength))
            }
        }
        return .success(values)
    }
}

extension PairingService.Characteristic {
    /// The characteristic of a UUID; nil for one that is not of the standard layout.
    init?(uuid: CBUUID) { self.init(rawValue: uuid.uuidString) }
}
