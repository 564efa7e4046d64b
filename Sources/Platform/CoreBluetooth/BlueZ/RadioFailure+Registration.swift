import DBus

extension RadioFailure {
    /// Why the daemon did not take an advertisement.
    init(advertising error: BusError) {
        let what = "the advertisement"
        switch error.name {
        case BlueZ.ErrorName.notPermitted:
            self = .radio(
                .outOfSpace, "\(what) was refused, the adapter has no room left: end what other programs advertise")
        case BlueZ.ErrorName.alreadyExists: self = .radio(.alreadyAdvertising, "\(what) is registered already")
        default: self = Self.refused(what, error, otherwise: "shorten it, or see what bluetoothd logs")
        }
    }

    /// Why the daemon did not take services.
    /// - Parameter names: The services' UUIDs.
    init(publishing names: String, _ error: BusError) {
        self = Self.refused(
            "service \(names)", error,
            otherwise: "bluetoothd's log (journalctl -u bluetooth) names the attribute; handles may be used up")
    }

    private static func refused(_ what: String, _ error: BusError, otherwise advice: String) -> RadioFailure {
        switch error.name {
        case BlueZ.ErrorName.invalidArguments:
            .radio(.invalidParameters, "\(what) was refused by the Bluetooth daemon: \(error)")
        case BusError.unknownObject, BusError.unknownMethod:
            .radio(.operationNotSupported, "\(what) was refused: this adapter cannot be a peripheral (\(error))")
        case BusError.accessDenied: .radio(.operationNotSupported, "\(what) was refused: \(error)")
        case BusError.noReply, BusError.serviceUnknown:
            .radio(.unknown, "\(what) was not registered: the Bluetooth daemon went away")
        default: .radio(.unknown, "\(what) was refused by the Bluetooth daemon: \(error); \(advice)")
        }
    }
}
