import CoreBluetooth
import Wire

/// An attribute of the pairing services that clients read, write or subscribe to.
enum PairingAttribute: Sendable, Hashable {
    /// A field of the standard layout.
    case standard(PairingService.Characteristic)
    /// The one characteristic of another layout, which carries its messages.
    case exchange(PairingLayout)

    /// The attribute of a UUID; nil for one of no layout.
    init?(uuid: CBUUID) {
        if let characteristic = PairingService.Characteristic(rawValue: uuid.uuidString) {
            self = .standard(characteristic)
        } else if let layout = PairingLayout.allCases.first(where: { $0.exchange == uuid.uuidString }) {
            self = .exchange(layout)
        } else {
            return nil
        }
    }

    /// The attributes of a layout's service, in their order.
    static func all(of layout: PairingLayout) -> [PairingAttribute] {
        layout == .standard ? PairingService.Characteristic.allCases.map(Self.standard) : [.exchange(layout)]
    }

    /// The attribute that notifies a layout's messages.
    static func messages(of layout: PairingLayout) -> PairingAttribute {
        layout == .standard ? .standard(.networks) : .exchange(layout)
    }

    /// A new characteristic for the radio.
    var characteristic: CBMutableCharacteristic {
        let (uuid, properties, permissions) = description
        return CBMutableCharacteristic(
            type: CBUUID(string: uuid), properties: properties, value: nil, permissions: permissions)
    }

    private var description: (uuid: String, CBCharacteristicProperties, CBAttributePermissions) {
        switch self {
        // Nowhere `writeWithoutResponse`: a refusal could not be told.
        case .exchange(let layout):
            (layout.exchange ?? layout.service, [.read, .write, .notify], [.readable, .writeable])
        case .standard(let characteristic):
            switch characteristic {
            case .info, .deviceID: (characteristic.rawValue, .read, .readable)
            case .networks: (characteristic.rawValue, [.write, .notify], .writeable)
            case .status: (characteristic.rawValue, [.read, .notify], .readable)
            case .ssid, .security, .password, .sessionKey, .region, .environment:
                (characteristic.rawValue, .write, .writeable)
            }
        }
    }
}
