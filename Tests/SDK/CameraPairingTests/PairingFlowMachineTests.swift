import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraPairing

/// Runs every event in every state that can be reached, and compares what changes with the two drawings of the guide.
@Suite("The pairing flow is the machine that the guide draws")
struct PairingFlowMachineTests {
    /// One arrow: from a state by an event to another.
    private struct Arrow: Hashable, Comparable, CustomStringConvertible {
        var from: String
        var to: String
        var event: String

        var description: String { "\(from) --> \(to) : \(event)" }

        static func < (left: Arrow, right: Arrow) -> Bool { left.description < right.description }
    }

    /// What an event can depend on; flows that are alike in it are one.
    private struct Situation: Hashable {
        var search: String
        var link: String
        var keepsLink: Bool
        var isImprov: Bool
        var isOn: Bool
        var cameras: Int
        var isInformed: Bool
        var hasNetworks: Bool
        var timesHeardWaiting: Int

        init(_ flow: PairingFlow) {
            search = PairingFlowMachineTests.name(flow.search)
            link = PairingFlowMachineTests.name(flow.link)
            keepsLink = flow.keepsLink
            isImprov = "\(flow.link)".contains("improv")
            isOn = flow.published.cBManagerState == .poweredOn
            cameras = flow.published.cameraList.count
            isInformed = flow.informed != nil
            hasNetworks = !flow.published.wifiList.isEmpty
            timesHeardWaiting = flow.timesHeardWaiting
        }
    }

    private static let one = UUID()
    private static let other = UUID()

    /// The name of a case, without what it carries.
    private static func name(_ value: Any) -> String { String("\(value)".prefix(while: \.isLetter)) }

    private static let networks: [NetworkListRecord] = [
        .network(HeardNetwork(ssid: Data("Home".utf8), security: .wpa2, rssi: -50, bands: [])), .end(count: 1),
        .end(count: 0), .failed,
    ]

    private static let details = WiFiDetailModel(
        ssid: "Home", password: "porchlight", sessionKey: "0123456789abcdef", env: "production", region: "us")

    private static var events: [(label: String, event: PairingFlow.Event)] {
        var events: [(String, PairingFlow.Event)] = [
            ("startScan", .startScan), ("stopScan", .stopScan), ("connect", .connect(nil)), ("disconnect", .disconnect),
            ("misuse", .misuse(.notConnected)), ("fetchDeviceID", .fetchDeviceID), ("scanNetworks", .scanNetworks),
            ("guardNetworks", .guardNetworks), ("write", .write(details)), ("watchForSetback", .watchForSetback),
            ("deviceID", .deviceID("X")), ("named", .named("Lamp")), ("networksPaused", .networksPaused),
            ("networksUnavailable", .networksUnavailable), ("written", .written),
            ("page", .page(URL(filePath: "/"))), ("refused", .refused(.cameraBusy, inDoubt: false)),
            ("refused", .refused(.cameraBusy, inDoubt: true)),
        ]
        events += [true, false].map { ("buttonPress", .buttonPress(awaited: $0)) }
        events += networks.map { ("record", .record($0)) }
        let powers: [CBManagerState] = [.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
        events += powers.map { ($0 == .poweredOn ? "powerOn" : "powerOff", .managerState($0, .allowedAlways)) }
        for camera in [one, other] {
            events += [
                ("connect", .connect(camera)), ("linkEnded", .linkEnded(camera)),
                ("linkFailed", .linkFailed(camera, .linkLost)), ("heard", .discovered(camera, Sighting(rssi: -50))),
            ]
            events += ConversationKind.allCases.map { ("linkReady", .linkReady(camera, $0)) }
            for phase in PairingState.Phase.allCases {
                let sighting = Sighting(rssi: -50, state: PairingState(phase: phase))
                events.append(("heard(\(phase))", .discovered(camera, sighting)))
            }
        }
        events += PairingState.Phase.allCases.map { ("told(\($0))", .state(PairingState(phase: $0))) }
        events += PairingFlow.Timer.allCases.map { ("limit(\($0))", .expired($0)) }
        return events
    }

    /// A list that is too long has two entries here.
    private static var start: PairingFlow {
        var limits = PairingFlow.Limits()
        limits.records = 1
        return PairingFlow(limits: limits)
    }

    /// Everything that can be reached, and every arrow on the way.
    private struct Map {
        var search: Set<Arrow> = []
        var link: Set<Arrow> = []
        /// A flow for each situation.
        var flows: [PairingFlow] = []

        init() {
            let events = PairingFlowMachineTests.events
            var waiting = [PairingFlowMachineTests.start]
            var known: Set<Situation> = [Situation(waiting[0])]
            while let flow = waiting.popLast() {
                flows.append(flow)
                for (label, event) in events {
                    var next = flow
                    _ = next.handle(event)
                    let (from, to) = (
                        PairingFlowMachineTests.name(flow.search), PairingFlowMachineTests.name(next.search)
                    )
                    if from != to { search.insert(Arrow(from: from, to: to, event: label)) }
                    let (old, new) = (PairingFlowMachineTests.name(flow.link), PairingFlowMachineTests.name(next.link))
                    if old != new { link.insert(Arrow(from: old, to: new, event: label)) }
                    if known.insert(Situation(next)).inserted { waiting.append(next) }
                }
            }
        }
    }

    private static let map = Map()

    /// The arrows of a drawing: `from --> to : event, event`.
    private static func drawn(_ name: String) throws -> (initial: [String], arrows: Set<Arrow>) {
        let examples = try ProtocolDocument("guide/pairing-a-camera.md").examples(name)
        var initial: [String] = []
        var arrows: Set<Arrow> = []
        for line in try #require(examples.first).lines.map({ $0.trimmingCharacters(in: .whitespaces) }) {
            let parts = line.components(separatedBy: " : ")
            let ends = parts[0].components(separatedBy: " --> ")
            guard ends.count == 2 else { continue }
            if ends[0] == "[*]" {
                initial.append(ends[1])
                continue
            }
            for event in try #require(parts.last).components(separatedBy: ", ") {
                arrows.insert(Arrow(from: ends[0], to: ends[1], event: event))
            }
        }
        return (initial, arrows)
    }

    @Test("Every arrow is drawn, and every arrow that is drawn is there")
    func drawings() throws {
        for (what, found) in [("search", Self.map.search), ("link", Self.map.link)] {
            let (_, drawn) = try Self.drawn(what)
            #expect(found.subtracting(drawn).sorted() == [], "\(what): in the code and not in the guide")
            #expect(drawn.subtracting(found).sorted() == [], "\(what): in the guide and not in the code")
        }
        #expect(try Self.drawn("search").initial == ["idle"])
        #expect(try Self.drawn("link").initial == ["none"])
    }

    @Test("Every state is reached")
    func everyState() {
        #expect(Set(Self.map.search.map(\.to)) == ["idle", "waitingForPower", "scanning", "watching"])
        #expect(
            Set(Self.map.link.map(\.to)) == [
                "none", "connecting", "ready", "writing", "joining", "joined", "closing", "switching",
            ])
    }

    @Test("From every situation a new scan begins, and leaving ends everything")
    func alwaysAWayOut() {
        for flow in Self.map.flows {
            var restarted = flow
            let actions = restarted.handle(.startScan)
            #expect(restarted.search == (Situation(flow).isOn ? .scanning : .waitingForPower))
            #expect(restarted.published.cameraList.isEmpty)
            #expect(restarted.published.wifiList.isEmpty)
            #expect(restarted.published.cameraConnectionStatus == .none)
            let isUp = flow.link != .none && !flow.link.isClosing
            #expect(actions.contains { if case .cancelConnection = $0 { true } else { false } } == isUp)

            var left = flow
            _ = left.handle(.disconnect)
            #expect(left.search == .idle)
            #expect(left.link == .none || left.link.isClosing)
            if let camera = left.link.camera { _ = left.handle(.linkEnded(camera)) }
            #expect(left.link == .none, "after disconnect() nothing is connected to again")
        }
    }
}
