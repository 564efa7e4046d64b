import Foundation

extension CBATTError.Code {
    /// How `bluetoothd` is told to refuse a request with this code: the name and the text of a D-Bus error.
    ///
    /// The daemon knows a name for seven codes and takes the application's own from the text. For the rest there is no
    /// name, and it answers `unlikelyError`, as it does for a name that it does not know
    /// (BlueZ 5.66, src/gatt-database.c, `dbus_error_to_att_ecode`).
    var blueZError: (name: String, message: String) {
        let text = description
        return switch self {
        case .readNotPermitted, .writeNotPermitted: (BlueZ.ErrorName.notPermitted, text)
        case .requestNotSupported: (BlueZ.ErrorName.notSupported, text)
        case .invalidOffset: (BlueZ.ErrorName.invalidOffset, text)
        case .insufficientAuthorization: (BlueZ.ErrorName.notAuthorized, text)
        case .invalidAttributeValueLength: (BlueZ.ErrorName.invalidValueLength, text)
        // 'Procedure already in progress' of the profiles' common codes.
        case CBATTError.Code(0xFE): (BlueZ.ErrorName.inProgress, text)
        case _ where isApplicationDefined: (BlueZ.ErrorName.failed, "0x" + String(rawValue, radix: 16))
        default: (BlueZ.ErrorName.unlikely, text)
        }
    }
}
