/// The attribute types that GATT itself uses. (Assigned numbers, 3.5 and 3.7.)
enum GATTType {
    static let primaryService = CBUUID(string: "2800")
    static let secondaryService = CBUUID(string: "2801")
    static let include = CBUUID(string: "2802")
    static let characteristic = CBUUID(string: "2803")
    static let clientConfiguration = CBUUID(string: CBUUIDClientCharacteristicConfigurationString)
}

/// What the attribute protocol allows.
enum ATTLimit {
    /// The largest value of an attribute, in bytes. (Core Specification, volume 3, part F, 3.2.9.)
    static let valueBytes = 512
}
