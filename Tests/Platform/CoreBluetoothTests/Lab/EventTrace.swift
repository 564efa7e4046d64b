import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// What a delegate was told, in words, so that a test can compare the whole order of calls after a fault.
protocol TracedEvent: Sendable {
    /// The call and how it ended; nil for calls that may come any number of times.
    var label: String? { get }
}

extension TracedEvent {
    static func outcome(_ error: (any Error)?) -> String {
        switch error {
        case nil: "ok"
        case let error as CBError: "\(error.code)"
        case let error as CBATTError: "\(error.code)"
        case let error?: "\(error)"
        }
    }
}

extension CentralProbe.Event: TracedEvent {
    var label: String? {
        switch self {
        case .state(let state): "state \(state)"
        case .connected: "connected"
        case .failed(_, let error): "failed \(Self.outcome(error))"
        case .disconnected(_, let error, _): "disconnected \(Self.outcome(error))"
        case .services(let error): "services \(Self.outcome(error))"
        case .included(_, let error): "included \(Self.outcome(error))"
        case .characteristics(_, let error): "characteristics \(Self.outcome(error))"
        case .descriptors(_, let error): "descriptors \(Self.outcome(error))"
        case .value(_, _, let error): "value \(Self.outcome(error))"
        case .wrote(_, let error): "wrote \(Self.outcome(error))"
        case .descriptorValue(_, let error): "descriptor value \(Self.outcome(error))"
        case .descriptorWrote(_, let error): "descriptor wrote \(Self.outcome(error))"
        case .notifying(_, let isOn, let error): "notifying \(isOn) \(Self.outcome(error))"
        case .rssi(_, let error): "rssi \(Self.outcome(error))"
        case .modified: "modified"
        case .ready: "ready"
        case .discovered, .connectionEvent, .renamed: nil
        }
    }
}

extension PeripheralProbe.Event: TracedEvent {
    var label: String? {
        switch self {
        case .state(let state): "state \(state)"
        case .advertising(let error): "advertising \(Self.outcome(error))"
        case .added(_, let error): "added \(Self.outcome(error))"
        case .subscribed: "subscribed"
        case .unsubscribed: "unsubscribed"
        case .read: "read"
        case .write: "write"
        case .ready: "ready"
        }
    }
}

extension Recorder where Event: TracedEvent {
    /// The calls from here on, until all of `expected` came; what differs is an issue.
    ///
    /// - Parameter possible: Calls that may come in between, each once.
    func expect(
        _ expected: [String], possibly possible: [String] = [], limit: Duration = .seconds(30),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        var possible = possible
        var seen: [String] = []
        do {
            while seen.count < expected.count {
                let label = try await next("call \(seen.count + 1) of \(expected)", limit: limit) { $0.label }
                if let index = possible.firstIndex(of: label) {
                    possible.remove(at: index)
                } else {
                    seen.append(label)
                }
            }
        } catch {
            Issue.record("\(error); there were only \(seen)", sourceLocation: sourceLocation)
            return
        }
        #expect(seen == expected, sourceLocation: sourceLocation)
    }

    /// The next call that tells of a state.
    func nextState() async throws -> String {
        try await next("a state", limit: .seconds(30)) { event in
            event.label.flatMap { $0.hasPrefix("state ") ? $0 : nil }
        }
    }

    /// A radio comes back: on the way each state is told once.
    func expectReturn(_ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var passed: [String] = []
        while true {
            let state = try await nextState()
            if state == "state poweredOn" { return }
            #expect(
                ["state unsupported", "state poweredOff"].contains(state) && !passed.contains(state),
                "after \(passed)", sourceLocation: sourceLocation)
            passed.append(state)
        }
    }

    /// Calls that no test has asked for.
    var unexpected: [String] { remaining.compactMap(\.label) }
}
