import DBus
import Foundation

/// Writes without response to one characteristic: through a socket of the daemon's where it gives one, else by calls.
///
/// Values are sent in order, and each completion is called exactly once. Confined to the radio's queue.
final class CommandWriter: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    private enum Way {
        /// `AcquireWrite` waits for its answer.
        case acquiring
        case socket(PacketSocket)
        case calls
    }

    /// Between two looks at whether the daemon has read what was sent.
    private static let drainPause = Duration.milliseconds(5)

    private let adapter: BlueZAdapter
    private let requests: AttributeRequests
    private let path: String
    private var way = Way.acquiring
    private var waiting: [(value: Data, completion: RadioCompletion<Void>)] = []
    /// Who waits for the socket to be given back.
    private var returns: [@Sendable () -> Void] = []
    private var acquisition: BusPendingCall?
    private var pause: RadioClock.Alarm?
    private var failure: RadioFailure?

    init(_ path: String, _ requests: AttributeRequests, _ adapter: BlueZAdapter) {
        self.adapter = adapter
        self.requests = requests
        self.path = path
        acquisition = adapter.call(path, BlueZ.gattCharacteristic, "AcquireWrite", [.properties([:])]) {
            [weak self] result in
            self?.acquired(result)
        }
    }

    private func acquired(_ result: Result<[BusValue], BusError>) {
        acquisition = nil
        guard failure == nil else { return }
        if case .success(let values) = result, let descriptor = values.first?.descriptor,
            let socket = PacketSocket(descriptor, queue: adapter.queue)
        {
            way = .socket(socket)
        } else {
            // Another program has the socket, or the daemon is older than it: calls do as well, only slower.
            way = .calls
        }
        advance()
    }

    /// Sends a value after those before it. Completed when there is room for another one.
    func write(_ value: Data, _ completion: @escaping RadioCompletion<Void>) {
        if let failure { return completion(.failure(failure)) }
        waiting.append((value, completion))
        if waiting.count == 1 { advance() }
    }

    /// Gives the socket back, because while it is out the daemon refuses writes with response. Calls do from now on.
    func giveBack(_ done: @escaping @Sendable () -> Void) {
        guard failure == nil else { return done() }
        returns.append(done)
        advance()
    }

    private func advance() {
        switch way {
        case .acquiring: return
        case .calls:
            let (values, callers) = (waiting, returns)
            (waiting, returns) = ([], [])
            for (value, completion) in values { call(value, completion) }
            for done in callers { done() }
        case .socket(let socket): advance(socket)
        }
    }

    private func advance(_ socket: PacketSocket) {
        while let next = waiting.first {
            switch socket.send(next.value) {
            case .taken:
                waiting.removeFirst()
                next.completion(.success(()))
            case .full:
                return socket.onWritable { [weak self] in self?.advance() }
            case .ended:
                // With the connection, which is announced in its own time, or taken away: then calls do.
                return leave(socket)
            }
        }
        guard !returns.isEmpty else { return }
        // Closing before the daemon has read everything would lose the rest.
        if socket.isDrained { return leave(socket) }
        pause?.cancel()
        pause = adapter.clock.after(Self.drainPause, on: adapter.queue) { [weak self] in self?.advance() }
    }

    private func leave(_ socket: PacketSocket) {
        socket.close()
        way = .calls
        advance()
    }

    private func call(_ value: Data, _ completion: @escaping RadioCompletion<Void>) {
        requests.submit(
            .init(
                path: path, interface: BlueZ.gattCharacteristic, member: "WriteValue",
                arguments: [.bytes(value), .properties(["type": "command"])]
            ) { result in completion(result.map { _ in }) })
    }

    /// The connection is over: what waits fails.
    func end(_ failure: RadioFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        acquisition?.cancel()
        pause?.cancel()
        if case .socket(let socket) = way { socket.close() }
        let (values, callers) = (waiting, returns)
        (waiting, returns) = ([], [])
        for (_, completion) in values { completion(.failure(failure)) }
        for done in callers { done() }
    }
}
