// Apple's names are not lowerCamelCase.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The keys of the dictionaries in Apple's interface, with Apple's values, so that stored dictionaries mean the same.

// MARK: Advertisement data

/// The advertised name, a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The manufacturer's data, a `Data`: company identifier first, least significant byte first.
///
/// On Linux it is given for every manufacturer (iBeacon's included) and may be advertised as well; Apple's systems hide
/// the first and refuse the second.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// Data of services, a `[CBUUID: Data]`. On Linux it may be advertised as well.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The advertised services, a `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// Services in Apple's overflow area, a `[CBUUID]`. Never present on Linux.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// The power the advertisement was sent with, an `NSNumber` in dBm.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// Whether the peripheral accepts connections, an `NSNumber` holding a Boolean.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// Services the peripheral asks for, a `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

// MARK: Central manager

/// Asks Apple's systems to warn when Bluetooth is off; accepted and without effect on Linux.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// Names a manager for Apple's state restoration; accepted and without effect on Linux.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// A Boolean: report every advertisement instead of the first of each peripheral.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// A `[CBUUID]`: report peripherals that ask for one of these services, too.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"
/// Apple's alert in the background; accepted and without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Apple's alert in the background; accepted and without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// Apple's alert in the background; accepted and without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// An `NSNumber`: seconds to wait before connecting.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Classic Bluetooth beside LE; accepted and without effect on Linux.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Apple's notification centre service; accepted and without effect on Linux.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// A Boolean: connect again whenever the link is lost without being cancelled.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// Peripherals of a restored manager, a `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// Services that a restored manager scanned for, a `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// Options of a restored manager's scan.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

// MARK: Peripheral manager

/// Asks Apple's systems to warn when Bluetooth is off; accepted and without effect on Linux.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// Names a manager for Apple's state restoration; accepted and without effect on Linux.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Services of a restored manager, a `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// Advertisement of a restored manager.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

// MARK: Linux only

/// A `String`: the directory in which software radios meet. Choosing it chooses the software radio.
///
/// Linux only, for tests and simulations. Without it the environment decides: `PORCHLIGHT_RADIO_DIR`, else
/// `$XDG_RUNTIME_DIR/porchlight-radio`, else `/tmp/porchlight-radio-<uid>`.
public let CBManagerOptionRadioDirectoryKey = "porchlight.radio.directory"
/// A `String` such as `C0:12:34:56:78:9A`: the address that the software radio of this manager uses.
///
/// Linux only. Without it `PORCHLIGHT_RADIO_ADDRESS` decides, else the address is random. Two managers on one air must
/// not share an address.
public let CBManagerOptionRadioAddressKey = "porchlight.radio.address"
/// A `String` such as `hci1`, or an address: the Bluetooth adapter to use through BlueZ.
///
/// Linux only. Without it `PORCHLIGHT_ADAPTER` decides, else the first powered adapter is used.
public let CBManagerOptionAdapterKey = "porchlight.radio.adapter"
/// A `String`: the directory in which the identifiers of peripherals are kept.
///
/// Linux only. Without it the environment decides: `PORCHLIGHT_STATE`, else `$XDG_STATE_HOME/porchlight`, else
/// `~/.local/state/porchlight`.
public let CBManagerOptionStateDirectoryKey = "porchlight.state.directory"
/// A ``RadioConditions``: signal strength, loss, latency and the rest of the software radio's simulated air.
///
/// Linux only.
public let CBManagerOptionRadioConditionsKey = "porchlight.radio.conditions"

// MARK: Descriptors

/// `2900`: value an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// `2901`: value a `String`.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// `2902`: value an `NSNumber`; written by `setNotifyValue(_:for:)` only.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// `2903`: value an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// `2904`: value a `Data` of seven bytes.
public let CBUUIDCharacteristicFormatString = "2904"
/// `2905`: value a `Data`.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// `2906`: value a `Data`.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// The characteristic in which a peripheral publishes the PSM of its L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
