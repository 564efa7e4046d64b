import DBus

extension RadioFailure {
    /// Why the daemon did not take a registration.
    /// - Parameter what: What was to be registered.
    init(registering what: String, _ error: BusError) {
        switch error.name {
        case BlueZ.ErrorName.notPermitted:
            self = .radio(
                .outOfSpace, "\(what) was refused, the adapter has no room left: end what other programs advertise")
        case BlueZ.ErrorName.alreadyExists: self = .radio(.alreadyAdvertising, "\(what) is registered already")
        case BlueZ.ErrorName.invalidArguments:
            self = .radio(.invalidParameters, "\(what) was refused by the Bluetooth daemon: \(error)")
        case BlueZ.ErrorName.unknownObject, BlueZ.ErrorName.unknownMethod:
            self = .radio(.operationNotSupported, "\(what) was refused: this adapter cannot be a peripheral (\(error))")
        case BlueZ.ErrorName.accessDenied: self = .radio(.operationNotSupported, "\(what) was refused: \(error)")
        case BlueZ.ErrorName.noReply, BlueZ.ErrorName.serviceUnknown:
            self = .radio(.unknown, "\(what) was not registered: the Bluetooth daemon went away")
        default: self = .radio(.unknown, "\(what) was refused by the Bluetooth daemon: \(error)")
        }
    }
}
