import DBus
import Foundation

/// The notifications or indications of one characteristic: turned on and off in the order asked, received as changes of the
/// characteristic's `Value`. Confined to the radio's queue.
///
/// The daemon offers a socket as well (`AcquireNotify`), which costs less, and which BlueZ 5.66 serves badly: values that do
/// not fit it are dropped (it holds 278 small ones), a subscription that the other side refuses is never answered, and there
/// is none for indications. Signals wait for a slow reader, and errors come back.
final class ValueSubscription: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    /// ATT ends a connection that leaves a request unanswered for 30 s.
    private static let limit = Duration.seconds(35)

    private let adapter: BlueZAdapter
    private let path: String
    private let deliver: @Sendable (Data) -> Void
    private var watch: BusSubscription?
    private var isOn = false
    private var changes: [(enabled: Bool, completion: RadioCompletion<Void>)] = []
    private var call: BusPendingCall?
    private var failure: RadioFailure?
    /// Reads of the characteristic that wait for their answers, and what signals told meanwhile.
    private var reads = 0
    private var heldValues: [Data] = []

    /// - Parameter deliver: Called on the queue with each value.
    init(_ path: String, _ adapter: BlueZAdapter, deliver: @escaping @Sendable (Data) -> Void) {
        self.adapter = adapter
        self.deliver = deliver
        self.path = path
        watch = adapter.objects?.watch(path) { [weak self] value in
            if let value = value.data { self?.signalled(value) }
        }
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
        switch (isOn, enabled) {
        case (false, true): start()
        case (true, false): stop()
        case (false, false), (true, true): changed(.success(()))
        }
    }

    private func changed(_ result: RadioResult<Void>) {
        guard !changes.isEmpty else { return }
        let change = changes.removeFirst()
        change.completion(result)
        self.change()
    }

    private func start(_ retry: GATTRetry = GATTRetry()) {
        // Values may come before the answer.
        isOn = true
        call = adapter.call(path, BlueZ.gattCharacteristic, "StartNotify", timeout: Self.limit) { [weak self] result in
            guard let self, failure == nil else { return }
            call = nil
            guard case .failure(let error) = result else { return changed(.success(())) }
            var retry = retry
            if error.isPassingGATTError, let pause = retry.next() {
                _ = adapter.clock.after(pause, on: adapter.queue) { [weak self, retry] in
                    guard let self, failure == nil else { return }
                    start(retry)
                }
            } else {
                isOn = false
                changed(.failure(RadioFailure(gatt: error)))
            }
        }
    }

    private func stop() {
        call = adapter.call(path, BlueZ.gattCharacteristic, "StopNotify") { [weak self] _ in
            guard let self, failure == nil else { return }
            call = nil
            isOn = false
            // An error says that there was no session: it is off all the same.
            changed(.success(()))
        }
    }

    // MARK: Values

    /// A signal told the characteristic's value.
    private func signalled(_ value: Data) {
        guard isOn else { return }
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
        guard isOn else { return }
        if case .success(let value) = result, values.last == value { values.removeLast() }
        for value in values { deliver(value) }
    }

    // MARK: The end

    /// The connection is over. The daemon would keep the session and subscribe again at the next one.
    func end(_ failure: RadioFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        watch = nil
        call?.cancel()
        if isOn { adapter.send(path, BlueZ.gattCharacteristic, "StopNotify") }
        isOn = false
        let waiting = changes
        changes = []
        for change in waiting { change.completion(.failure(failure)) }
    }
}
