import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

/// What can go away, at every stage of what a central does. Each time: what was under way is answered once, the state or
/// the connection's end is told once, and the radio is usable afterwards.
@Suite("BlueZ: faults at each stage", .timeLimit(.minutes(3)))
struct BlueZFaultTests {
    enum Stage: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case scanning, connecting, resolving, reading, writing, subscribing, subscribed
        var testDescription: String { rawValue }
    }

    enum Fault: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case daemonKilled, poweredOff, adapterPulled, linkBroken
        var testDescription: String { rawValue }
    }

    @Test("every fault at every stage", arguments: Fault.allCases, Stage.allCases)
    func fault(_ fault: Fault, _ stage: Stage) async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let probe = try await RadioProbe.on(daemon)
        let answers = Recorder<String>()
        try await reach(stage, daemon, probe, answers)

        switch fault {
        case .daemonKilled: daemon.kill()
        case .poweredOff: daemon.power(false)
        case .adapterPulled: daemon.removeAdapter()
        case .linkBroken: daemon.breakLink()
        }
        if [.resolving, .reading, .writing, .subscribing].contains(stage) {
            let answer = try await answers.next("the failure of what was under way") { $0 }
            #expect(answer.hasPrefix("failure"), "\(answer)")
        }
        switch fault {
        case .daemonKilled:
            try await probe.expect(.resetting)
            try await daemon.start()
            daemon.addAdapter()
        case .poweredOff:
            try await probe.expect(.poweredOff)
            daemon.power(true)
        case .adapterPulled:
            try await probe.expect(.resetting)
            daemon.addAdapter()
        case .linkBroken: break
        }
        if fault != .linkBroken { try await probe.expect(.poweredOn) }
        if fault == .daemonKilled || fault == .adapterPulled { daemon.addDevice(services: [.standard]) }

        // Usable afterwards.
        let isStillConnecting = fault == .linkBroken && stage == .connecting
        if isStillConnecting { daemon.answerSilenced("Connect", (BlueZ.ErrorName.failed, "br-connection-canceled")) }
        if fault == .linkBroken, stage != .scanning, stage != .connecting {
            guard case .radio(.peripheralDisconnected, _)? = try await probe.disconnected() else {
                Issue.record("a broken link says so")
                return
            }
        }
        if isStillConnecting { try await probe.connected() } else { try await probe.connect() }
        #expect(try await probe.services().get().count == 1)
        #expect(try await probe.read(.standard(0)).get() == Data("one".utf8))
        _ = try await probe.setNotify(true, for: .standard(2)).get()
        daemon.notify(Data("alive".utf8), FakeBlueZ.standardPath(2))
        #expect(try await probe.notified() == Data("alive".utf8))
        #expect(answers.remaining.isEmpty)

        // Nothing of what was lost keeps the connection up when it is not wanted any more.
        probe.on { $0.disconnect(FakeBlueZ.address) }
        try await daemon.called("Disconnect")
    }

    private func reach(
        _ stage: Stage, _ daemon: FakeBlueZ, _ probe: RadioProbe, _ answers: Recorder<String>
    ) async throws {
        if stage == .scanning {
            probe.on { $0.scan(ScanRequest()) }
            try await daemon.called("StartDiscovery")
            return
        }
        if stage == .connecting {
            daemon.script("Connect", .silence)
            probe.on { $0.connect(FakeBlueZ.address) }
            try await daemon.called("Connect")
            return
        }
        if stage == .resolving { daemon.queue.sync { daemon.resolvesServices = false } }
        try await probe.connect()
        if stage == .resolving {
            probe.on { radio in
                radio.discoverServices(of: FakeBlueZ.address) { answers.record("\($0)") }
            }
            await probe.settle()
            daemon.queue.sync { daemon.resolvesServices = true }
            return
        }
        _ = try await probe.services().get()
        switch stage {
        case .scanning, .connecting, .resolving: break
        case .reading:
            daemon.script("ReadValue", .silence)
            probe.on { $0.read(.standard(0), at: FakeBlueZ.address) { answers.record("\($0)") } }
            try await daemon.called("ReadValue")
        case .writing:
            daemon.script("WriteValue", .silence)
            probe.on { $0.write(Data([1]), to: .standard(0), at: FakeBlueZ.address) { answers.record("\($0)") } }
            try await daemon.called("WriteValue")
        case .subscribing:
            daemon.script("StartNotify", .silence)
            probe.on { $0.setNotify(true, for: .standard(2), at: FakeBlueZ.address) { answers.record("\($0)") } }
            try await daemon.called("StartNotify")
        case .subscribed: _ = try await probe.setNotify(true, for: .standard(2)).get()
        }
    }

    @Test("notifications that were sent before the link broke come before its end")
    func drained() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let probe = try await RadioProbe.on(daemon)
        try await probe.connect()
        _ = try await probe.services().get()
        _ = try await probe.setNotify(true, for: .standard(2)).get()
        let count = 200
        daemon.change { tree in
            for index in 0..<count {
                try tree.notify(
                    FakeBlueZ.standardPath(2), BlueZ.gattCharacteristic, "Value", .bytes(Data("\(index)".utf8)))
            }
            try daemon.dropLink(FakeBlueZ.device)
        }
        try await probe.disconnected()
        let values = probe.events.remaining.compactMap { event -> Data? in
            if case .notified(_, _, let value) = event { value } else { nil }
        }
        #expect(values == (0..<count).map { Data("\($0)".utf8) })
    }

    @Test("a peripheral that never answers keeps nobody: the request ends with the connection")
    func neverAnswers() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let probe = try await RadioProbe.on(daemon)
        try await probe.connect()
        _ = try await probe.services().get()
        daemon.script("ReadValue", .silence)
        let answers = Recorder<String>()
        probe.on { radio in
            for _ in 0..<3 { radio.read(.standard(0), at: FakeBlueZ.address) { answers.record("\($0)") } }
            radio.write(Data([1]), to: .standard(0), at: FakeBlueZ.address) { answers.record("\($0)") }
        }
        try await daemon.called("ReadValue")
        probe.on { $0.disconnect(FakeBlueZ.address) }
        #expect(try await probe.disconnected() == nil)
        #expect(answers.remaining.count == 4)
        daemon.answerSilenced("ReadValue")
        try await probe.connect()
        #expect(answers.remaining.count == 4)
    }

    @Test("a manager that is let go in the middle is not called any more, and its completions come")
    func shutdown() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let probe = try await RadioProbe.on(daemon)
        try await probe.connect()
        _ = try await probe.services().get()
        daemon.script("ReadValue", .silence)
        let answers = Recorder<String>()
        probe.on { $0.read(.standard(0), at: FakeBlueZ.address) { answers.record("\($0)") } }
        try await daemon.called("ReadValue")
        probe.on { $0.shutdown() }
        _ = try await answers.next("the answer") { $0 }
        try await daemon.called("Disconnect")
        #expect(probe.events.remaining.allSatisfy { if case .disconnected = $0 { false } else { true } })
    }
}
