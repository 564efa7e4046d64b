import Foundation

/// What a peripheral says about itself, as fields.
///
/// ``AdvertisementPacket`` has the form on the air; BlueZ takes and gives fields as these.
struct Advertisement: Equatable, Sendable {
    var localName: String?
    var serviceUUIDs: [CBUUID] = []
    var solicitedServiceUUIDs: [CBUUID] = []
    var serviceData: [CBUUID: Data] = [:]
    /// Company identifier (least significant byte first) and data.
    var manufacturerData: Data?
    var txPowerLevel: Int?
    var isConnectable = true

    /// The dictionary that Apple's interface gives to `didDiscover`.
    var dictionary: [String: Any] {
        var result: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
        if let localName { result[CBAdvertisementDataLocalNameKey] = localName }
        if let manufacturerData { result[CBAdvertisementDataManufacturerDataKey] = manufacturerData }
        if !serviceData.isEmpty { result[CBAdvertisementDataServiceDataKey] = serviceData }
        if !serviceUUIDs.isEmpty { result[CBAdvertisementDataServiceUUIDsKey] = serviceUUIDs }
        if !solicitedServiceUUIDs.isEmpty {
            result[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicitedServiceUUIDs
        }
        if let txPowerLevel { result[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: txPowerLevel) }
        return result
    }

    init(
        localName: String? = nil, serviceUUIDs: [CBUUID] = [], solicitedServiceUUIDs: [CBUUID] = [],
        serviceData: [CBUUID: Data] = [:], manufacturerData: Data? = nil, txPowerLevel: Int? = nil,
        isConnectable: Bool = true
    ) {
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
        self.solicitedServiceUUIDs = solicitedServiceUUIDs
        self.serviceData = serviceData
        self.manufacturerData = manufacturerData
        self.txPowerLevel = txPowerLevel
        self.isConnectable = isConnectable
    }

    /// Reads the dictionary given to `startAdvertising`.
    /// - Throws: ``CBError`` (`invalidParameters`) naming a key whose value has the wrong type. Keys that a peripheral
    ///   does not choose (overflow area) or does not know are ignored, as Apple's systems do.
    init(_ dictionary: [String: Any]) throws(CBError) {
        func value<Value>(_ key: String, as type: Value.Type = Value.self) throws(CBError) -> Value? {
            guard let any = dictionary[key] else { return nil }
            guard let value = any as? Value else {
                throw CBError(.invalidParameters, because: "advertisement data \(key) must be a \(Value.self)")
            }
            return value
        }
        self.init(
            localName: try value(CBAdvertisementDataLocalNameKey),
            serviceUUIDs: try value(CBAdvertisementDataServiceUUIDsKey) ?? [],
            solicitedServiceUUIDs: try value(CBAdvertisementDataSolicitedServiceUUIDsKey) ?? [],
            serviceData: try value(CBAdvertisementDataServiceDataKey) ?? [:],
            manufacturerData: try value(CBAdvertisementDataManufacturerDataKey),
            txPowerLevel: try value(CBAdvertisementDataTxPowerLevelKey, as: NSNumber.self)?.intValue,
            isConnectable: try value(CBAdvertisementDataIsConnectable, as: NSNumber.self)?.boolValue ?? true)
        if let manufacturerData, manufacturerData.count < 2 {
            throw CBError(.invalidParameters, because: "manufacturer data starts with a company identifier of 2 bytes")
        }
        if let txPowerLevel, Int8(exactly: txPowerLevel) == nil {
            throw CBError(.invalidParameters, because: "transmit power \(txPowerLevel) dBm is not within -128...127")
        }
    }

    /// Whether a scan that asks for these services wants to hear of this advertisement.
    func matches(services: [CBUUID]?, solicited: [CBUUID]) -> Bool {
        guard let services, !services.isEmpty else {
            return solicited.isEmpty || !Set(solicited).isDisjoint(with: solicitedServiceUUIDs)
        }
        return !Set(services).isDisjoint(with: serviceUUIDs)
            || !Set(solicited).isDisjoint(with: solicitedServiceUUIDs)
    }

    /// Which fields there are, whatever their values.
    struct Contents: Equatable, Sendable {
        fileprivate var keys: Set<String>
        fileprivate var services: Set<CBUUID>

        static let nothing = Contents(keys: [], services: [])
        /// A device that goes on inventing services has had its say.
        private static let servicesLimit = 64

        /// Adds what another advertisement has.
        /// - Returns: Whether it has anything new. The first one always has.
        mutating func formUnion(_ other: Contents) -> Bool {
            guard services.count < Self.servicesLimit else { return false }
            defer {
                keys.formUnion(other.keys)
                services.formUnion(other.services)
            }
            return !other.keys.isSubset(of: keys) || !other.services.isSubset(of: services)
        }
    }

    /// Which fields there are.
    var contents: Contents {
        Contents(
            keys: Set(dictionary.keys), services: Set(serviceUUIDs).union(solicitedServiceUUIDs).union(serviceData.keys)
        )
    }
}
