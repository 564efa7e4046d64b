import Basics
import Dispatch
import Foundation
import Wire

/// The scan for networks: one serves all who asked while it ran.
///
/// State is confined to the queue that it is given; methods are called there.
final class NetworkScan: @unchecked Sendable {
    // Unchecked because the mutable properties are touched on `queue` only.

    typealias Lane = MessageQueue.Lane

    /// A scan that takes longer has failed.
    static let limit: Duration = .seconds(30)

    private let queue: DispatchQueue
    private let joiner: any NetworkJoiner
    private let clock: any Clock<Duration>
    private let log = Log("pairing")
    private let deliver: @Sendable ([HeardNetwork]?, Set<Lane>) -> Void
    private var running: Task<Void, Never>?
    private var askers: Set<Lane> = []

    /// A scanner that is idle.
    /// - Parameter deliver: Called on the queue with what was heard, or nil when the scan failed, and who had asked.
    init(
        of joiner: any NetworkJoiner, on queue: DispatchQueue, clock: any Clock<Duration>,
        deliver: @escaping @Sendable ([HeardNetwork]?, Set<Lane>) -> Void
    ) {
        (self.joiner, self.queue, self.clock, self.deliver) = (joiner, queue, clock, deliver)
    }

    /// Somebody asks for a scan.
    func start(for lane: Lane) {
        dispatchPrecondition(condition: .onQueue(queue))
        askers.insert(lane)
        guard running == nil else { return }
        running = Task { [joiner, clock, log, queue, weak self] in
            let networks: [HeardNetwork]?? = await limited(to: Self.limit, on: clock) {
                do {
                    return try await joiner.scan().merged()
                } catch {
                    log.warning("the network scan failed: \(error)")
                    return nil
                }
            }
            queue.async { [weak self] in self?.ended(networks ?? nil) }
        }
    }

    /// Who asked does not want the list any more.
    func forget(_ lane: Lane) { askers.remove(lane) }

    /// Stops; nobody is told anything any more.
    func cancel() {
        running?.cancel()
        running = nil
        askers = []
    }

    private func ended(_ networks: [HeardNetwork]?) {
        guard running != nil else { return }
        running = nil
        let lanes = askers
        askers = []
        deliver(networks, lanes)
    }
}
