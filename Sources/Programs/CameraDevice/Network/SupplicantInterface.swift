import DBus
import Foundation
import Wire

/// One network interface of wpa_supplicant: its D-Bus interface `fi.w1.wpa_supplicant1.Interface` as Swift.
///
/// It is an interface of one run of wpa_supplicant: when that has ended, nothing reaches the next one, whose network blocks
/// have the same paths. Confined to the connection's queue, which is the executor of the actor that uses it. Source:
/// wpa_supplicant's D-Bus API documentation, version 2.10.
struct SupplicantInterface {
    /// The name on the bus, and the prefix of all interfaces.
    static let service = "fi.w1.wpa_supplicant1"
    private static let root = "/fi/w1/wpa_supplicant1"
    private static let interface = service + ".Interface"
    private static let network = service + ".Network"
    private static let station = service + ".BSS"

    /// A change that wpa_supplicant reports.
    enum Change: Sendable, Equatable {
        /// Something about the attempt to join.
        case progress(JoinProgress.Event)
        /// A scan has ended, well or not.
        case scanDone(success: Bool)
    }

    /// A network block of wpa_supplicant's list.
    struct Block: Sendable, Equatable {
        var path: String
        var isEnabled: Bool
        /// Whether a camera made it.
        var isOurs: Bool
        /// The way back, for a network that a camera tries, or tried when it was killed.
        var retreat: SupplicantRetreat?
    }

    /// The priority of the network that the camera belongs on; tried ones have wpa_supplicant's default, 0. Of a block that
    /// is in use, no other field could be changed: wpa_supplicant would forget the station's key, and with it leave a WPA3
    /// network.
    private static let keptPriority = 1

    private let connection: BusConnection
    /// The unique name of wpa_supplicant's connection.
    private let owner: String
    private let path: String

    /// Finds the interface; nil where wpa_supplicant does not run, or does not have it. Starts nothing.
    static func find(
        _ name: String, on connection: BusConnection, isolation: isolated any Actor = #isolation
    ) async throws(WiFiError) -> SupplicantInterface? {
        do throws(BusError) {
            guard let owner = try await connection.owner(of: service) else { return nil }
            return try await find(name, of: owner, on: connection)
        } catch {
            throw .noSupplicant(reason: error.description)
        }
    }

    /// Finds the interface, and has wpa_supplicant take it where it has not yet; has the bus start wpa_supplicant where it
    /// can.
    static func open(
        _ name: String, on connection: BusConnection, isolation: isolated any Actor = #isolation
    ) async throws(WiFiError) -> SupplicantInterface {
        let owner: String
        do throws(BusError) {
            owner = try await started(on: connection)
            if let known = try await find(name, of: owner, on: connection) { return known }
        } catch {
            throw .noSupplicant(reason: error.description)
        }
        do throws(BusError) {
            return try await ask(
                "CreateInterface", .properties(["Ifname": .string(name)]), of: owner, on: connection)
        } catch {
            throw error.isUnavailable
                ? .noSupplicant(reason: error.description) : .noInterface(name: name, reason: error.description)
        }
    }

    /// The interfaces that a running wpa_supplicant has, with their names.
    static func all(
        on connection: BusConnection, isolation: isolated any Actor = #isolation
    ) async throws(BusError) -> [(name: String, interface: SupplicantInterface)] {
        guard let owner = try await connection.owner(of: service) else { return [] }
        let paths = try await connection.property(owner, root, service, "Interfaces").strings ?? []
        var all: [(name: String, interface: SupplicantInterface)] = []
        for path in paths {
            // One that has just gone is no error.
            if let name = try? await connection.property(owner, path, interface, "Ifname").string {
                all.append((name, SupplicantInterface(connection: connection, owner: owner, path: path)))
            }
        }
        return all
    }

    private static func started(
        on connection: BusConnection, isolation: isolated any Actor = #isolation
    ) async throws(BusError) -> String {
        if let owner = try await connection.owner(of: service) { return owner }
        let flags: BusValue = .uint32(0)
        _ = try await connection.call(
            BusName.bus, BusName.busPath, BusName.bus, "StartServiceByName", [.string(service), flags])
        guard let owner = try await connection.owner(of: service) else {
            throw .unexpectedReply("the bus has started \(service), which has ended at once")
        }
        return owner
    }

    private static func find(
        _ name: String, of owner: String, on connection: BusConnection, isolation: isolated any Actor = #isolation
    ) async throws(BusError) -> SupplicantInterface? {
        do throws(BusError) {
            return try await ask("GetInterface", .string(name), of: owner, on: connection)
        } catch  where error.name == service + ".InterfaceUnknown" {
            return nil
        }
    }

    private static func ask(
        _ member: String, _ argument: BusValue, of owner: String, on connection: BusConnection,
        isolation: isolated any Actor = #isolation
    ) async throws(BusError) -> SupplicantInterface {
        guard let path = try await connection.call(owner, root, service, member, [argument]).first?.string else {
            throw .unexpectedReply("\(member) answered without the interface's path")
        }
        return SupplicantInterface(connection: connection, owner: owner, path: path)
    }

    // MARK: Reports

    /// Reports changes, on the queue, until the subscriptions are dropped.
    func observe(_ handler: @escaping @Sendable (Change) -> Void) -> [BusSubscription] {
        let changed = BusMatch(
            sender: owner, path: path, interface: BusName.properties, member: "PropertiesChanged",
            argument0: Self.interface)
        let scanned = BusMatch(sender: owner, path: path, interface: Self.interface, member: "ScanDone")
        return [changed, scanned].map { match in
            connection.observe(match) { signal in
                for change in Self.changes(in: signal) { handler(change) }
            }
        }
    }

    /// What a signal reports: causes before the state that they lead to.
    static func changes(in signal: BusSignal) -> [Change] {
        if signal.member == "ScanDone" { return [.scanDone(success: signal.arguments.first?.bool ?? false)] }
        guard signal.arguments.count >= 2, let properties = signal.arguments[1].properties else { return [] }
        var changes: [Change] = []
        if let code = properties["DisconnectReason"]?.int { changes.append(.progress(.disconnectReason(code))) }
        if let code = properties["AuthStatusCode"]?.int { changes.append(.progress(.authenticationStatus(code))) }
        if let name = properties["State"]?.string, let state = SupplicantState(rawValue: name) {
            changes.append(.progress(.state(state)))
        }
        return changes
    }

    /// The state now.
    func state(isolation: isolated any Actor = #isolation) async throws(WiFiError) -> SupplicantState {
        try await property("State").string.flatMap(SupplicantState.init) ?? .disconnected
    }

    // MARK: Listening

    /// Starts a scan; ``Change/scanDone(success:)`` tells when it has ended.
    func startScan(isolation: isolated any Actor = #isolation) async throws(BusError) {
        _ = try await connection.call(
            owner, path, Self.interface, "Scan", [.properties(["Type": "active"])])
    }

    /// The stations that were heard within the last minutes.
    func stations(isolation: isolated any Actor = #isolation) async throws(WiFiError) -> [HeardStation] {
        var stations: [HeardStation] = []
        for station in try await property("BSSs").strings ?? [] {
            // One that has just gone from the list is no error.
            guard let properties = try? await connection.properties(owner, station, Self.station) else {
                continue
            }
            if let station = HeardStation(properties) { stations.append(station) }
        }
        return stations
    }

    /// The SSID of the network that the interface is on, or nil.
    func currentSSID(isolation: isolated any Actor = #isolation) async throws(WiFiError) -> Data? {
        guard try await state() == .completed, let station = try await property("CurrentBSS").string, station != "/"
        else { return nil }
        let properties = try? await connection.properties(owner, station, Self.station)
        return properties?["SSID"]?.data
    }

    /// Strength of the station that the interface is on, in dBm; nil where there is none.
    func signal(isolation: isolated any Actor = #isolation) async throws(WiFiError) -> Int? {
        guard try await state() == .completed else { return nil }
        let answer = try await call("SignalPoll").first?.properties
        return answer?["rssi"]?.int ?? answer?["avg-rssi"]?.int
    }

    /// The key management that the radio and this wpa_supplicant know.
    func methods(isolation: isolated any Actor = #isolation) async throws(WiFiError) -> Set<String> {
        Set(try await property("Capabilities").properties?["KeyMgmt"]?.strings ?? [])
    }

    // MARK: Network blocks

    /// The list of network blocks.
    func blocks(isolation: isolated any Actor = #isolation) async throws(WiFiError) -> [Block] {
        var blocks: [Block] = []
        for path in try await property("Networks").strings ?? [] {
            let properties = try? await connection.properties(owner, path, Self.network)
            guard let properties else { continue }
            let fields = properties["Properties"]?.properties ?? [:]
            // All fields are text in the notation of the configuration file, where text stands between quotes.
            let text = fields["id_str"]?.string.map { $0.dropFirst().dropLast() }.map(String.init) ?? ""
            let isKept = fields["priority"]?.string == "\(Self.keptPriority)"
            let retreat = SupplicantRetreat(text: text)
            blocks.append(
                Block(
                    path: path, isEnabled: properties["Enabled"]?.bool ?? false,
                    isOurs: text == SupplicantRetreat.mark || retreat != nil, retreat: isKept ? nil : retreat))
        }
        return blocks
    }

    /// The block that the interface is on, or is about to be on; nil for none.
    func currentBlock(isolation: isolated any Actor = #isolation) async throws(WiFiError) -> String? {
        let path = try await property("CurrentNetwork").string
        return path == "/" ? nil : path
    }

    /// Adds a block, which is not joined yet.
    /// - Returns: Its path.
    func add(
        _ network: SupplicantNetwork, isolation: isolated any Actor = #isolation
    ) async throws(WiFiError) -> String {
        guard let path = try await call("AddNetwork", [.properties(network.fields)]).first?.string else {
            throw .refused(reason: "it answered without the network's path")
        }
        return path
    }

    /// Notes that a block's network is the one that the camera belongs on: a tried one is so no longer. Disturbs nothing.
    func keep(_ block: String, isolation: isolated any Actor = #isolation) async throws(WiFiError) {
        do throws(BusError) {
            try await connection.setProperty(
                owner, block, Self.network, "Properties",
                to: .properties(["priority": .int32(Int32(Self.keptPriority))]))
        } catch {
            throw error.wiFiError
        }
    }

    /// Removes a block; leaves its network if the interface is on it.
    func remove(_ block: String, isolation: isolated any Actor = #isolation) async throws(WiFiError) {
        _ = try await call("RemoveNetwork", [.path(block)])
    }

    /// Joins the network of a block, and disables all others.
    func select(_ block: String, isolation: isolated any Actor = #isolation) async throws(WiFiError) {
        _ = try await call("SelectNetwork", [.path(block)])
    }

    /// Allows a block to be joined when no better one is heard.
    func enable(_ block: String, isolation: isolated any Actor = #isolation) async throws(WiFiError) {
        do throws(BusError) {
            try await connection.setProperty(owner, block, Self.network, "Enabled", to: true)
        } catch {
            throw error.wiFiError
        }
    }

    // MARK: Calls

    private func call(
        _ member: String, _ arguments: [BusValue] = [], isolation: isolated any Actor = #isolation
    ) async throws(WiFiError) -> [BusValue] {
        do throws(BusError) {
            return try await connection.call(owner, path, Self.interface, member, arguments)
        } catch {
            throw error.wiFiError
        }
    }

    private func property(
        _ name: String, isolation: isolated any Actor = #isolation
    ) async throws(WiFiError) -> BusValue {
        do throws(BusError) {
            return try await connection.property(owner, path, Self.interface, name)
        } catch {
            throw error.wiFiError
        }
    }
}

extension BusError {
    /// The same for whoever joins networks.
    fileprivate var wiFiError: WiFiError {
        isUnavailable ? .noSupplicant(reason: description) : .refused(reason: description)
    }
}
