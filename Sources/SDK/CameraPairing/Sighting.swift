import CoreBluetooth
import Foundation
import Wire

/// One advertisement of a camera, read.
struct Sighting: Sendable, Equatable {
    /// The advertised name; it stands in the scan response, which can come later.
    var name: String?
    /// In dBm; 127 when the radio could not tell.
    var rssi: Int
    var pairingProtocol: PairingProtocol
    /// Where the camera stands; nil when it does not say.
    var state: PairingState?
    /// What it announces to offer.
    var layouts: PairingInfo.Layouts

    init(
        name: String? = nil, rssi: Int, pairingProtocol: PairingProtocol = .porchlight, state: PairingState? = nil,
        layouts: PairingInfo.Layouts = .standard
    ) {
        self.name = name
        self.rssi = rssi
        self.pairingProtocol = pairingProtocol
        self.state = state
        self.layouts = layouts
    }

    /// Reads what CoreBluetooth hands out; nil for a device with none of our services, whatever it is called.
    init?(advertisement: [String: Any], name: String?, rssi: Int) {
        let services = advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        guard let kind = ConversationKind.allCases.first(where: { services.contains($0.service) }) else { return nil }
        let serviceData = advertisement[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
        if kind == .improv, let data = serviceData?[CBUUID(string: ImprovService.serviceData)],
            let improv = try? ImprovServiceData(decoding: data), !improv.state.isPairable
        {
            // It is on a network already, or on its way into one.
            return nil
        }
        let announcement = (advertisement[CBAdvertisementDataManufacturerDataKey] as? Data)
            .flatMap(PairingAdvertisement.init(manufacturerData:))
        self.init(
            name: advertisement[CBAdvertisementDataLocalNameKey] as? String ?? name, rssi: rssi,
            pairingProtocol: kind.pairingProtocol,
            state: announcement?.state, layouts: announcement?.layouts ?? .standard)
    }
}
