import DBus
import Dispatch

/// Calls for the daemon that runs now. Addressed to its well-known name, they would make the bus start another one after
/// somebody has stopped it.
extension BlueZAdapter {
    /// Calls a method.
    /// - Parameter completion: Called once, on the queue: with a failure when there is no daemon or it goes away.
    func ask(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        guard let connection = busConnection, let owner = objects?.owner else {
            return queue.async { completion(.failure(.disconnected)) }
        }
        connection.call(owner, path, interface, member, arguments, completion)
    }

    /// Calls a method whose answer is of no interest.
    func tell(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        guard let connection = busConnection, let owner = objects?.owner else { return }
        do {
            try connection.send(owner, path, interface, member, arguments)
        } catch {
            // The daemon forgets what a lost connection wanted.
        }
    }
}
