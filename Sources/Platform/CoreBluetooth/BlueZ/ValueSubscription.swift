import DBus
import Foundation

/// The notifications or indications of one characteristic: turned on and off in the order asked, received either way the
/// daemon has. Confined to the radio's queue.
///
/// A socket (`AcquireNotify`) is for notifications and costs one read a value. `StartNotify` with `PropertiesChanged`
/// serves indications, and characteristics that several programs listen to.
final class ValueSubscription: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    private enum Way {
        case off
        case socket(PacketSocket)
        case signals
    }

    /// The daemon does not answer `AcquireNotify` when the other side refuses (BlueZ 5.66, `register_notify_io_cb`); when
    /// this time is over, nothing but that can have happened: an unanswered ATT request would have ended the connection.
    private static let limit = Duration.seconds(35)

    private let adapter: BlueZAdapter
    private let path: String
    private let hasNotifications: Bool
    private let deliver: @Sendable (Data) -> Void
    private var way = Way.off
    private var changes: [(enabled: Bool, completion: RadioCompletion<Void>)] = []
    private var call: BusPendingCall?
    private var failure: RadioFailure?
    /// Reads of the characteristic that wait for their answers, and what signals told meanwhile.
    private var reads = 0
    private var heldValues: [Data] = []

    /// - Parameter deliver: Called on the queue with each value.
    init(
        _ characteristic: GATTTable.Characteristic, _ adapter: BlueZAdapter,
        deliver: @escaping @Sendable (Data) -> Void
    ) {
        self.adapter = adapter
        self.deliver = deliver
        path = characteristic.path
        hasNotifications = characteristic.properties.contains(.notify)
    }

    // MARK: Turning on and off

    /// Turns it on or off, after the changes asked for before.
    func set(_ enabled: Bool, _ completion: @escaping RadioCompletion<Void>) {
        if let failure { return completion(.failure(failure)) }
        changes.append((enabled, completion))
        if changes.count == 1 { change() }
    }

    private func change() {
        guard let enabled = changes.first?.enabled else { return }
        switch (way, enabled) {
        case (.off, true): hasNotifications ? acquire() : startSignals()
        case (.off, false), (.socket, true), (.signals, true): changed(.success(()))
        case (.socket, false), (.signals, false): stop()
        }
    }

    private func changed(_ result: RadioResult<Void>) {
        guard !changes.isEmpty else { return }
        let change = changes.removeFirst()
        change.completion(result)
        self.change()
    }

    private func acquire() {
        call = adapter.call(
            path, BlueZ.gattCharacteristic, "AcquireNotify", [.properties([:])], timeout: Self.limit
        ) { [weak self] result in
            guard let self, failure == nil else { return }
            call = nil
            switch result {
            case .success(let values):
                guard let socket = values.first?.descriptor.flatMap({ PacketSocket($0, queue: self.adapter.queue) })
                else { return startSignals() }
                way = .socket(socket)
                socket.onReadable { [weak self] in self?.receive() }
                changed(.success(()))
            case .failure(.timedOut): changed(.failure(.att(.unlikelyError)))
            // Another program of this machine listens as well, or the daemon has no sockets.
            case .failure: startSignals()
            }
        }
    }

    private func startSignals(_ pause: Duration = .milliseconds(10)) {
        // Values may come before the answer.
        way = .signals
        call = adapter.call(path, BlueZ.gattCharacteristic, "StartNotify", timeout: Self.limit) { [weak self] result in
            guard let self, failure == nil else { return }
            call = nil
            switch result {
            case .success: changed(.success(()))
            case .failure(let error) where error.isPassingGATTError:
                _ = adapter.clock.after(pause, on: adapter.queue) { [weak self] in
                    guard let self, failure == nil else { return }
                    startSignals(min(pause * 2, .milliseconds(160)))
                }
            case .failure(let error):
                way = .off
                changed(.failure(RadioFailure(gatt: error)))
            }
        }
    }

    private func stop() {
        call = adapter.call(path, BlueZ.gattCharacteristic, "StopNotify") { [weak self] result in
            guard let self, failure == nil else { return }
            call = nil
            if case .socket(let socket) = way {
                receive()
                socket.close()
            }
            way = .off
            // An error says that there was no session: it is off all the same.
            changed(.success(()))
        }
    }

    // MARK: Values

    private func receive() {
        while case .socket(let socket) = way {
            switch socket.receive() {
            case .value(let value): deliver(value)
            case .nothing: return
            case .ended:
                socket.close()
                // With the connection, which is announced in its own time.
                way = .off
            }
        }
    }

    /// A signal told the characteristic's value.
    func signalled(_ value: Data) {
        guard case .signals = way else { return }
        if reads > 0 { heldValues.append(value) } else { deliver(value) }
    }

    /// A read of the characteristic begins. The daemon signals its result as if it were a notification, just before it
    /// answers.
    func readBegins() { reads += 1 }

    /// A read is answered: the signal that came with it is not a notification, others before it are.
    func readEnds(_ result: RadioResult<Data>) {
        reads -= 1
        var values = heldValues
        heldValues = []
        if case .success(let value) = result, values.last == value { values.removeLast() }
        for value in values { deliver(value) }
    }

    // MARK: The end

    /// Delivers what the daemon has passed on already.
    func drain() { receive() }

    /// The connection is over. A session by signals would outlive it: the daemon would subscribe again at the next one.
    func end(_ failure: RadioFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        call?.cancel()
        switch way {
        case .socket(let socket): socket.close()
        case .signals: adapter.send(path, BlueZ.gattCharacteristic, "StopNotify")
        case .off: break
        }
        way = .off
        let waiting = changes
        changes = []
        for change in waiting { change.completion(.failure(failure)) }
    }
}
