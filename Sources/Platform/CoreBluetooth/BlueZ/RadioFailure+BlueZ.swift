import DBus
import Foundation

extension RadioFailure {
    /// What an error of `ReadValue`, `WriteValue`, `StartNotify` and their kin means.
    ///
    /// The daemon turns ATT codes into names and texts (`create_gatt_dbus_error` of its src/gatt-client.c); this is the
    /// way back. Where several codes share a text, the most frequent is taken.
    init(gatt error: BusError) {
        switch error {
        case .remote(let name, let message):
            self = Self.gatt(name, message)
        case .timedOut: self = .radio(.connectionTimeout, "the other device did not answer in time")
        case .disconnected: self = .radio(.notConnected, "the connection to the message bus was lost")
        case .unreachable, .unexpectedReply, .invalid: self = .radio(.unknown, error.description)
        }
    }

    private static func gatt(_ name: String, _ message: String) -> RadioFailure {
        switch name {
        case BlueZ.ErrorName.notPermitted:
            switch message {
            case "Read not permitted": .att(.readNotPermitted)
            case "Write not permitted": .att(.writeNotPermitted)
            case "Not paired": .att(.insufficientAuthentication)
            default:
                .radio(
                    .operationNotSupported,
                    "another program of this machine holds the characteristic (\(message)); end it or wait for it")
            }
        case BlueZ.ErrorName.invalidArguments:
            switch message {
            case "Invalid offset": .att(.invalidOffset)
            case "Invalid Length": .att(.invalidAttributeValueLength)
            default: .radio(.invalidParameters, message)
            }
        case BlueZ.ErrorName.inProgress:
            .radio(
                .operationNotSupported,
                "another program of this machine has kept the attribute busy for long; end it or wait for it")
        case BlueZ.ErrorName.notAuthorized: .att(.insufficientAuthorization)
        case BlueZ.ErrorName.notSupported: .att(.requestNotSupported)
        case BlueZ.ErrorName.notConnected: .radio(.notConnected)
        case BlueZ.ErrorName.failed: failed(message)
        case BusError.unknownObject, BusError.unknownMethod: .radio(.invalidHandle)
        case BusError.noReply, BusError.serviceUnknown:
            .radio(.notConnected, "the Bluetooth daemon went away")
        case BusError.accessDenied:
            .radio(.operationNotSupported, BusError.remote(name: name, message: message).description)
        default: .radio(.unknown, "\(message) (\(name))")
        }
    }

    private static func failed(_ message: String) -> RadioFailure {
        if message == "Not connected" { return .radio(.notConnected) }
        if let range = message.range(of: "ATT error: 0x"), let code = UInt8(message[range.upperBound...], radix: 16) {
            return .att(CBATTError.Code(code))
        }
        return .radio(.unknown, "the Bluetooth daemon refused: \(message)")
    }
}

extension BusError {
    /// A moment's trouble of an attribute: the same request is on its way already, or a socket is being given back.
    var isPassingGATTError: Bool {
        guard case .remote(let name, let message) = self else { return false }
        return name == BlueZ.ErrorName.inProgress
            || (name == BlueZ.ErrorName.notPermitted && message == "Write acquired")
    }
}
