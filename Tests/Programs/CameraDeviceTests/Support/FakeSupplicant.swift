import Basics
import DBus
import Dispatch
import Foundation
import TestSupport

@testable import CameraDevice

/// Plays wpa_supplicant on a test's bus: answers as version 2.10 does, and reports what the test says.
///
/// State is behind one lock; safe from any thread.
final class FakeSupplicant: Sendable {
    /// What the camera asked for.
    enum Request: Sendable, Equatable {
        case created(String)
        case scan
        case added(String)
        case selected(String)
        case removed(String)
        case enabled(String)
        case kept(String)
    }

    struct Block: Sendable {
        var fields: [String: BusValue]
        var isEnabled = false
    }

    private struct State {
        var interface: String?
        var properties: [String: BusValue] = [
            "State": "inactive", "CurrentNetwork": .path("/"), "CurrentBSS": .path("/"),
        ]
        var stations: [[String: BusValue]] = []
        var blocks: [String: Block] = [:]
        var refusals: [String: Int] = [:]
        var requests: [Request] = []
        var nextBlock = 0
    }

    static let service = SupplicantInterface.service
    static let path = "/fi/w1/wpa_supplicant1/Interfaces/0"
    private static let root = "/fi/w1/wpa_supplicant1"

    /// Each request, for one consumer.
    let requests: AsyncStream<Request>
    private let request: AsyncStream<Request>.Continuation
    /// The name of each property that was read, for one consumer.
    private let reads: AsyncStream<String>
    private let read: AsyncStream<String>.Continuation
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "fake.supplicant")
    private let connection: BusConnection
    private let export = Locked<BusSubscription?>(nil)

    /// Starts.
    /// - Parameter interface: The one that it has; nil for none yet.
    static func start(on bus: PrivateBus, interface: String? = "wlan0") async throws -> FakeSupplicant {
        let fake = try FakeSupplicant(bus, interface)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            fake.queue.async {
                do {
                    let export = try fake.connection.export(at: "/") { [weak fake] call in fake?.answer(call) }
                    fake.export.withLock { $0 = export }
                } catch {
                    return continuation.resume(throwing: error)
                }
                fake.connection.requestName(service) { continuation.resume(with: $0.mapError { $0 as any Error }) }
            }
        }
        return fake
    }

    private init(_ bus: PrivateBus, _ interface: String?) throws {
        connection = try BusConnection(.address(bus.address), queue: queue)
        (requests, request) = AsyncStream.makeStream()
        (reads, read) = AsyncStream.makeStream()
        state = Locked(State(interface: interface))
        state.withLock { state in
            state.properties["Capabilities"] = .properties([
                "KeyMgmt": .strings(["none", "wpa-psk", "wpa-psk-sha256", "sae", "owe"])
            ])
        }
    }

    /// Ends. Another may take its place when this returns.
    func quit() async {
        await withCheckedContinuation { continuation in
            queue.async { [connection] in
                connection.call(
                    BusName.bus, BusName.busPath, BusName.bus, "ReleaseName",
                    [.string(Self.service)]
                ) { _ in
                    connection.close()
                    continuation.resume()
                }
            }
        }
    }

    /// All requests so far.
    var all: [Request] { state.withLock { $0.requests } }
    /// The network blocks by their paths.
    var blocks: [String: Block] { state.withLock { $0.blocks } }

    /// The names of the networks of all blocks.
    var names: Set<String> {
        Set(blocks.values.compactMap { $0.fields["ssid"]?.data }.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Waits for a request, passing over others.
    @discardableResult
    func next(
        _ what: String = "a request", where matches: @escaping @Sendable (Request) -> Bool
    ) async throws -> Request? {
        try await within(.seconds(20), what) { [requests] in await requests.first { matches($0) } }
    }

    func nextSelection() async throws {
        try await next("SelectNetwork") { if case .selected = $0 { true } else { false } }
    }

    /// Waits until a property is read, passing over other ones.
    func nextRead(of name: String) async throws {
        _ = try await within(.seconds(20), "a look at \(name)") { [reads] in await reads.first { $0 == name } }
    }

    func nextScan() async throws { try await next("Scan") { $0 == .scan } }

    /// Adds a block as the board's configuration would.
    func configure(
        _ path: String, ssid: String, mark: String? = nil, isEnabled: Bool = true, isCurrent: Bool = false
    ) {
        state.withLock { state in
            state.blocks[path] = Block(fields: ["ssid": .bytes(Data(ssid.utf8))], isEnabled: isEnabled)
            if let mark { state.blocks[path]?.fields["id_str"] = .string(mark) }
            if isCurrent { state.properties["CurrentNetwork"] = .path(path) }
        }
    }

    /// The stations that are heard.
    func hear(_ stations: [[String: BusValue]]) {
        state.withLock { state in
            state.stations = stations
            state.properties["BSSs"] = .paths(stations.indices.map { "\(Self.path)/BSSs/\($0)" })
        }
    }

    func set(quietly properties: [String: BusValue]) {
        state.withLock { $0.properties.merge(properties) { $1 } }
    }

    /// Refuses the method so many times.
    func refuse(_ method: String, times: Int) { state.withLock { $0.refusals[method] = times } }

    /// Changes properties, and reports them in one signal.
    func report(_ changed: [String: BusValue]) {
        set(quietly: changed)
        emit(
            BusName.properties, "PropertiesChanged",
            [
                .string(Self.service + ".Interface"), .properties(changed), .strings([]),
            ])
    }

    func reportScanDone(_ success: Bool = true) { emit(Self.service + ".Interface", "ScanDone", [.bool(success)]) }

    private func emit(_ interface: String, _ member: String, _ arguments: [BusValue]) {
        queue.async { [connection] in try? connection.emit(Self.path, interface, member, arguments) }
    }

    // MARK: Answers

    private func answer(_ call: BusMethodCall) {
        let isRefused = state.withLock { state in
            guard let times = state.refusals[call.member], times > 0 else { return false }
            state.refusals[call.member] = times - 1
            return true
        }
        if isRefused { return call.fail(Self.service + ".UnknownError", "not now") }
        switch call.member {
        case "Get": get(call)
        case "GetAll": getAll(call)
        case "Set": set(call)
        case "GetInterface":
            let name = call.arguments.first?.string
            if name != nil, name == state.withLock({ $0.interface }) { return call.reply([.path(Self.path)]) }
            call.fail(Self.service + ".InterfaceUnknown", "wpa_supplicant knows nothing about this interface.")
        case "CreateInterface":
            let name = call.arguments.first?.properties?["Ifname"]?.string ?? ""
            note(.created(name)) { $0.interface = name }
            call.reply([.path(Self.path)])
        case "Scan":
            note(.scan)
            call.reply()
        case "SignalPoll": call.reply([.variant(.properties(["rssi": -57, "noise": -92]))])
        case "AddNetwork", "RemoveNetwork", "SelectNetwork": changeBlocks(call)
        default: call.refuse()
        }
    }

    private func set(_ call: BusMethodCall) {
        guard blocks[call.path] != nil else { return call.fail(BusError.unknownObject, "no \(call.path)") }
        if let fields = call.arguments.last?.properties {
            note(.kept(call.path)) { $0.blocks[call.path]?.fields.merge(fields) { $1 } }
        } else {
            note(.enabled(call.path)) { $0.blocks[call.path]?.isEnabled = true }
        }
        call.reply()
    }

    private func changeBlocks(_ call: BusMethodCall) {
        guard call.member != "AddNetwork" else {
            let path = state.withLock { state in
                defer { state.nextBlock += 1 }
                return "\(Self.path)/Networks/\(state.nextBlock)"
            }
            note(.added(path)) { $0.blocks[path] = Block(fields: call.arguments.first?.properties ?? [:]) }
            return call.reply([.path(path)])
        }
        guard let path = call.arguments.first?.string, blocks[path] != nil else {
            return call.fail(Self.service + ".NetworkUnknown", "There is no such a network in this interface.")
        }
        if call.member == "RemoveNetwork" {
            note(.removed(path)) { state in
                state.blocks[path] = nil
                if state.properties["CurrentNetwork"] == .path(path) { state.properties["CurrentNetwork"] = .path("/") }
            }
        } else {
            note(.selected(path)) { state in
                for other in state.blocks.keys { state.blocks[other]?.isEnabled = other == path }
                state.properties["CurrentNetwork"] = .path(path)
                state.properties["State"] = "scanning"
            }
        }
        call.reply()
    }

    private func get(_ call: BusMethodCall) {
        let name = call.arguments.last?.string ?? ""
        defer { read.yield(name) }
        let value: BusValue? = state.withLock { state in
            switch (call.path, name) {
            case (Self.root, "Interfaces"): .paths(state.interface == nil ? [] : [Self.path])
            case (Self.path, "Ifname"): state.interface.map(BusValue.string)
            case (Self.path, "Networks"): .paths(state.blocks.keys.sorted())
            case (Self.path, "BSSs"): state.properties["BSSs"] ?? .paths([])
            case (Self.path, _): state.properties[name]
            default: nil
            }
        }
        guard let value else { return call.fail(BusError.unknownProperty, "no \(name)") }
        call.reply([.variant(value)])
    }

    private func getAll(_ call: BusMethodCall) {
        let properties: [String: BusValue]? = state.withLock { state in
            if let block = state.blocks[call.path] {
                // As in wpa_supplicant, all fields are text in the configuration file's notation.
                var fields: [String: BusValue] = ["priority": .string("\(block.fields["priority"]?.int ?? 0)")]
                if let text = block.fields["id_str"]?.string { fields["id_str"] = .string("\"\(text)\"") }
                return ["Enabled": .bool(block.isEnabled), "Properties": .properties(fields)]
            }
            guard call.path.hasPrefix(Self.path + "/BSSs/"), let last = call.path.split(separator: "/").last,
                let index = Int(last), state.stations.indices.contains(index)
            else { return nil }
            return state.stations[index]
        }
        guard let properties else { return call.fail(BusError.unknownObject, "no \(call.path)") }
        call.reply([.properties(properties)])
    }

    private func note(_ request: Request, _ change: @Sendable (inout State) -> Void = { _ in }) {
        state.withLock { state in
            change(&state)
            state.requests.append(request)
        }
        self.request.yield(request)
    }
}

extension [String: BusValue] {
    /// A station as wpa_supplicant describes it.
    static func station(
        _ ssid: Data, signal: Int16 = -50, megahertz: UInt16 = 2437, wpa: [String] = [], rsn: [String] = [],
        privacy: Bool? = nil, mode: String = "infrastructure", age: UInt32 = 1
    ) -> [String: BusValue] {
        func security(_ methods: [String]) -> BusValue {
            .properties([
                "KeyMgmt": .strings(methods), "Pairwise": .strings(methods.isEmpty ? [] : ["ccmp"]),
                "Group": .string(methods.isEmpty ? "" : "ccmp"),
            ])
        }
        return [
            "SSID": .bytes(ssid), "Signal": .int16(signal), "Frequency": .uint16(megahertz), "Mode": .string(mode),
            "WPA": security(wpa), "RSN": security(rsn), "Age": .uint32(age),
            "Privacy": .bool(privacy ?? !(wpa.isEmpty && rsn.isEmpty)),
        ]
    }

    static func station(_ ssid: String, rsn: [String] = ["wpa-psk"]) -> [String: BusValue] {
        station(Data(ssid.utf8), rsn: rsn)
    }
}
