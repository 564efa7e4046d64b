import Basics
import DBus
import Dispatch
import Foundation

/// Chooses the radio of a manager.
///
/// The options of a manager come first (a radio directory means the software radio), then `PORCHLIGHT_RADIO`
/// (`bluez` or `software`), then `PORCHLIGHT_RADIO_DIR`, which means the software radio as the option does; then what kind of
/// machine it is: one with a system bus has its Bluetooth through BlueZ, on another the software radio works.
///
/// The choice is for good, so it does not depend on what comes and goes: with BlueZ, the state of the manager says whether
/// there is a daemon and a powered adapter now, and follows them. Nothing here waits.
struct RadioSelection: Sendable {
    /// A radio and why it was chosen.
    struct Choice: Sendable {
        var backend: any RadioBackend
        var reason: String

        static func absent(_ reason: String) -> Choice { Choice(backend: AbsentRadio(reason: reason), reason: reason) }
    }

    var environment: [String: String]
    var hasSystemBus: @Sendable () -> Bool
    /// BlueZ, with an adapter by name or address, or any.
    var blueZ: @Sendable (_ adapter: String?) -> any RadioBackend

    /// The process's environment, and the system bus.
    static let standard = RadioSelection(
        environment: ProcessInfo.processInfo.environment, hasSystemBus: { BusAddress.system.mayBeThere },
        blueZ: { BlueZRadio(adapter: $0) })

    /// An option that holds the radio itself, for tests.
    static let backendKey = "porchlight.radio.backend"

    /// An option that holds the clock of a manager's own delays, a ``RadioClock``, for tests.
    static let clockKey = "porchlight.clock"

    private static let announced = Locked<Set<String>>([])

    /// The radio for a manager with these options. The reason is logged once for each kind of choice.
    func radio(options: [String: Any]) -> any RadioBackend {
        let choice = choose(options: options)
        let isNew = Self.announced.withLock { $0.insert(choice.reason).inserted }
        if isNew {
            let log = Log("radio")
            if choice.backend is AbsentRadio { log.error(choice.reason) } else { log.info(choice.reason) }
        }
        return choice.backend
    }

    /// Where a manager with these options keeps the identifiers of peripherals.
    func stateDirectory(options: [String: Any]) -> URL {
        if let path = options[CBManagerOptionStateDirectoryKey] as? String { return URL(fileURLWithPath: path) }
        return PeerBook.directory(environment: environment)
    }

    /// The radio for a manager with these options, and why.
    func choose(options: [String: Any]) -> Choice {
        if let backend = options[Self.backendKey] as? any RadioBackend {
            return Choice(backend: backend, reason: "the radio that the manager's options name")
        }
        let conditions =
            options[CBManagerOptionRadioConditionsKey] as? RadioConditions ?? RadioConditions(environment: environment)
        let addressText =
            options[CBManagerOptionRadioAddressKey] as? String ?? environment["PORCHLIGHT_RADIO_ADDRESS"]
        let address = addressText.flatMap { RadioAddress($0) }
        if let addressText, address == nil {
            return .absent("'\(addressText)' is no radio address: write six pairs of digits such as C0:12:34:56:78:9A")
        }
        func software(_ directory: RadioDirectory, because reason: String) -> Choice {
            Choice(
                backend: SoftwareRadio(directory: directory, conditions: conditions, address: address),
                reason: "software radio in \(directory.path): \(reason)")
        }
        let directory = RadioDirectory(environment: environment)
        if let path = options[CBManagerOptionRadioDirectoryKey] as? String {
            return software(RadioDirectory(path: path), because: "the manager's options name this directory")
        }
        let adapter =
            options[CBManagerOptionAdapterKey] as? String
            ?? environment["PORCHLIGHT_ADAPTER"].flatMap { $0.isEmpty ? nil : $0 }
        let which = adapter.map { " on \($0)" } ?? ""
        switch environment["PORCHLIGHT_RADIO"]?.lowercased() {
        case "software": return software(directory, because: "PORCHLIGHT_RADIO=software")
        case "bluez": return Choice(backend: blueZ(adapter), reason: "BlueZ\(which): PORCHLIGHT_RADIO=bluez")
        case nil, "":
            if environment["PORCHLIGHT_RADIO_DIR"]?.isEmpty == false {
                return software(directory, because: "PORCHLIGHT_RADIO_DIR names this directory")
            }
            if hasSystemBus() {
                return Choice(backend: blueZ(adapter), reason: "BlueZ\(which): this machine has a system bus")
            }
            return software(directory, because: "this machine has no system bus, so no BlueZ")
        case let other?:
            return .absent("PORCHLIGHT_RADIO=\(other) is unknown: set it to 'bluez' or 'software'")
        }
    }
}

/// What a manager gets when there is no radio: its state is `unsupported` and nothing else happens.
struct AbsentRadio: RadioBackend {
    /// Why there is none.
    var reason: String

    func makeCentral(on queue: DispatchQueue) -> any CentralRadio { AbsentCentral(explanation: reason) }
    func makePeripheral(on queue: DispatchQueue) -> any PeripheralRadio { AbsentPeripheral(explanation: reason) }

    static let failure = RadioFailure.radio(.operationNotSupported, "there is no Bluetooth radio")
}

private final class AbsentCentral: CentralRadio {
    let explanation: String?
    var connectedPeripherals: [RadioAddress: [CBUUID]] { [:] }

    init(explanation: String) { self.explanation = explanation }

    func start(_ deliver: @escaping @Sendable (CentralRadioEvent) -> Void) { deliver(.state(.unsupported)) }
    func shutdown() {}
    func scan(_ request: ScanRequest) {}
    func stopScan() {}
    func connect(_ address: RadioAddress) {}
    func disconnect(_ address: RadioAddress) {}
    func link(to address: RadioAddress) -> (any AttributeLink)? { nil }
}

private final class AbsentPeripheral: PeripheralRadio {
    let explanation: String?

    init(explanation: String) { self.explanation = explanation }

    func start(_ deliver: @escaping @Sendable (PeripheralRadioEvent) -> Void) { deliver(.state(.unsupported)) }
    func shutdown() {}
    func add(_ service: LocalService, _ completion: @escaping RadioCompletion<Void>) {
        completion(.failure(AbsentRadio.failure))
    }
    func remove(_ service: AttributeID) {}
    func startAdvertising(_ advertisement: Advertisement, _ completion: @escaping RadioCompletion<Void>) {
        completion(.failure(AbsentRadio.failure))
    }
    func stopAdvertising() {}
    func respond(to ticket: RequestTicket, _ result: RadioResult<Data>) {}
    func notify(
        _ value: Data, for characteristic: AttributeID, to centrals: [RadioAddress],
        _ completion: @escaping @Sendable () -> Void
    ) { completion() }
    func setLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: RadioAddress) {}
}
