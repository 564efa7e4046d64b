import Foundation
import Wire

/// The standard layout: one characteristic for each field, whose last one applies them all.
///
/// A pure value that turns writes into what the machine is asked for. What a client has staged is here until the machine
/// says that it is to be wiped.
struct StandardLayout: Sendable {
    typealias Refusal = PairingService.WriteRefusal

    /// What a write asks for, once it is checked.
    enum Request: Sendable, Equatable {
        /// Scan for networks.
        case scan
        /// A field was staged.
        case hold
        /// All fields are there.
        case apply(PairingCredentials)
    }

    private var staged = StagedFields()

    /// Nothing staged.
    init() {}

    /// Takes a value of a client that was admitted.
    /// - Throws: What to answer instead of success; then nothing has changed.
    mutating func take(
        _ value: Data, _ characteristic: PairingService.Characteristic
    ) throws(Refusal) -> Request {
        switch characteristic {
        case .networks:
            guard value.count == 1, let byte = value.first else { throw .length }
            guard NetworkScanCommand(rawValue: byte) == .scan else { throw .unknownCommand }
            return .scan
        case .environment:
            return .apply(try staged.applied(with: value))
        case .ssid, .security, .password, .sessionKey, .region, .info, .deviceID, .status:
            try staged.take(value, characteristic)
            return .hold
        }
    }

    /// Forgets what was staged.
    mutating func wipe() { staged = StagedFields() }
}
