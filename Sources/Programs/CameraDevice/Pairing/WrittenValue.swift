import CoreBluetooth
import Foundation

/// An attribute's value as a client wrote it, put together from the pieces of a prepared write.
struct WrittenValue: Sendable, Equatable {
    /// The longest value of an attribute (Bluetooth Core Specification, volume 3, part F, 3.2.9).
    static let maximumBytes = 512

    var attribute: PairingAttribute
    var bytes: Data

    /// Puts the requests of one delivery together. Pieces of a value must follow each other without a gap.
    static func assembled(from requests: [CBATTRequest]) -> Result<[WrittenValue], CBATTError> {
        var values: [WrittenValue] = []
        for request in requests {
            guard let attribute = PairingAttribute(uuid: request.characteristic.uuid) else {
                return .failure(CBATTError(.attributeNotFound))
            }
            let piece = request.value ?? Data()
            if request.offset == 0 {
                values.append(WrittenValue(attribute: attribute, bytes: piece))
            } else if let last = values.indices.last, values[last].attribute == attribute,
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
