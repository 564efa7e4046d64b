import DBus
import Foundation

/// Sends values to subscribers and says when there is room for more.
///
/// The daemon takes a value as a change of the characteristic's `Value` and sends it to every subscriber. There is room
/// again when it has taken the value: it answers a ping after it, in order. For indications it says how many were confirmed
/// (`Confirm`), so there is room again when all subscribers have. Confined to the adapter's queue.
final class ValueSender: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the adapter's queue only.

    private struct Indication {
        var unconfirmed: Int
        var completion: @Sendable () -> Void
    }

    private let adapter: BlueZAdapter
    /// What the daemon has not been asked about, and what the ping under way asks about.
    private var untaken: [@Sendable () -> Void] = []
    private var asked: [@Sendable () -> Void] = []
    private var indications: [AttributeID: [Indication]] = [:]
    private var era = 0

    init(_ adapter: BlueZAdapter) { self.adapter = adapter }

    /// A value was sent to so many subscribers.
    /// - Parameter completion: Called when there is room for another one.
    func sent(
        _ characteristic: LocalCharacteristic, to subscribers: Int, _ completion: @escaping @Sendable () -> Void
    ) {
        if characteristic.onlyIndicates {
            indications[characteristic.id, default: []].append(
                Indication(unconfirmed: subscribers, completion: completion))
        } else {
            untaken.append(completion)
            ask()
        }
    }

    /// A subscriber has confirmed an indication.
    func confirmed(_ characteristic: AttributeID) {
        guard var waiting = indications[characteristic], let oldest = waiting.first else { return }
        if oldest.unconfirmed > 1 {
            waiting[0].unconfirmed -= 1
        } else {
            waiting.removeFirst()
        }
        indications[characteristic] = waiting.isEmpty ? nil : waiting
        if oldest.unconfirmed <= 1 { oldest.completion() }
    }

    /// A subscriber has left. Which of its indications it had confirmed is not known: none is waited for.
    func lostSubscriber(of characteristic: AttributeID) {
        for indication in indications.removeValue(forKey: characteristic) ?? [] { indication.completion() }
    }

    /// Nothing is sent any more: what waits is completed.
    func reset() {
        era += 1
        let all = asked + untaken + indications.values.flatMap { $0.map(\.completion) }
        (asked, untaken, indications) = ([], [], [:])
        for completion in all { completion() }
    }

    private func ask() {
        guard asked.isEmpty, !untaken.isEmpty else { return }
        (asked, untaken) = (untaken, [])
        let era = era
        adapter.call("/", BusName.peer, "Ping") { [weak self] _ in
            guard let self, self.era == era else { return }
            let taken = asked
            asked = []
            for completion in taken { completion() }
            ask()
        }
    }
}
