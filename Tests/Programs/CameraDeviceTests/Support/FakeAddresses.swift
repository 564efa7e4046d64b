import Basics
import Foundation

@testable import CameraDevice

/// Interface addresses that a test sets. Safe from any thread.
final class FakeAddresses: AddressWatch {
    private struct State {
        var present: [InterfaceAddress] = []
        var watchers: [AsyncStream<AddressChange>.Continuation] = []
        var isWired = false
    }

    static let leased = InterfaceAddress(bytes: Data([192, 168, 77, 50]), isPermanent: false, isUsable: true)
    static let fixed = InterfaceAddress(bytes: Data([192, 168, 77, 2]), isPermanent: true, isUsable: true)

    private let state = Locked(State())

    /// Begins with these addresses.
    init(present: [InterfaceAddress] = [], isWired: Bool = false) {
        state.withLock { state in
            state.present = present
            state.isWired = isWired
        }
    }

    func changes(of interface: String) throws(WiFiError) -> AsyncStream<AddressChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: AddressChange.self)
        let present = state.withLock { state in
            state.watchers.append(continuation)
            return state.present
        }
        for address in present { continuation.yield(.present(address)) }
        return stream
    }

    func isReachable(without interface: String) -> Bool { state.withLock { $0.isWired } }

    /// Tells those who watch.
    func report(_ change: AddressChange) {
        for watcher in state.withLock({ $0.watchers }) { watcher.yield(change) }
    }
}
