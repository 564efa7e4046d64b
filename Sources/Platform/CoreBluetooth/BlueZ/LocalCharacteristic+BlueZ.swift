extension LocalCharacteristic {
    /// The characteristic's properties and permissions in the words of `org.bluez.GattCharacteristic1`.
    ///
    /// The daemon has one list for both: a flag shows a property to centrals and permits what it says. What is shown and
    /// not permitted is permitted here and refused when it is asked for; what is permitted and not shown cannot be said.
    /// With `extendedProperties`, values that are written may be prepared over several characteristics: that is the one
    /// extended property there is a use for, and the daemon makes the descriptor for it.
    var blueZFlags: [String] {
        var flags: [String] = []
        func add(_ flag: String, if isWanted: Bool) {
            if isWanted { flags.append(flag) }
        }
        let readsEncrypted = permissions.contains(.readEncryptionRequired)
        let writesEncrypted = permissions.contains(.writeEncryptionRequired)
        let isWritten = !properties.isDisjoint(with: [.write, .writeWithoutResponse])
        add("broadcast", if: properties.contains(.broadcast))
        add(readsEncrypted ? "encrypt-read" : "read", if: properties.contains(.read))
        add("write-without-response", if: properties.contains(.writeWithoutResponse))
        // There is no encrypted form of the one without response: this makes the value demand it.
        add("encrypt-write", if: writesEncrypted && isWritten)
        add("write", if: properties.contains(.write) && !writesEncrypted)
        add("notify", if: properties.contains(.notify) && !properties.contains(.notifyEncryptionRequired))
        add("encrypt-notify", if: properties.contains(.notifyEncryptionRequired))
        add("indicate", if: properties.contains(.indicate) && !properties.contains(.indicateEncryptionRequired))
        add("encrypt-indicate", if: properties.contains(.indicateEncryptionRequired))
        add("authenticated-signed-writes", if: properties.contains(.authenticatedSignedWrites))
        add("reliable-write", if: properties.contains(.extendedProperties) && isWritten)
        return flags
    }

    /// Whether every subscription to it is one to indications.
    var onlyIndicates: Bool {
        properties.canNotify && properties.isDisjoint(with: [.notify, .notifyEncryptionRequired])
    }
}
