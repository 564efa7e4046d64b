import DBus

extension BlueZ {
    static let advertisement = "org.bluez.LEAdvertisement1"

    /// Below this, a peripheral manager's own objects are. Each manager has a connection of its own, so there is no other.
    static let ownRoot = "/porchlight"
}

extension BlueZ.ErrorName {
    static let alreadyExists = "org.bluez.Error.AlreadyExists"
    static let invalidOffset = "org.bluez.Error.InvalidOffset"
    static let invalidValueLength = "org.bluez.Error.InvalidValueLength"
    /// A name that the daemon has no ATT code for: it answers `unlikelyError`.
    static let unlikely = BusError.failed
}
