import DBus
import Foundation

/// Requests to the attributes of one connection: those to one attribute go one after the other, as the daemon demands.
///
/// Every request is finished exactly once, at the latest by ``end(_:)``. Confined to the radio's queue.
final class AttributeRequests: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    /// A method call on an attribute's object.
    struct Request: Sendable {
        var path: String
        var interface: String
        var member: String
        var arguments: [BusValue]
        var finish: @Sendable (RadioResult<[BusValue]>) -> Void
    }

    private struct Lane {
        var requests: [Request]
        var call: BusPendingCall?
        var pause: RadioClock.Alarm?
    }

    /// ATT ends a connection that leaves one request unanswered for 30 s, but a long value takes many requests.
    private static let limit = Duration.seconds(120)

    private let adapter: BlueZAdapter
    private var lanes: [String: Lane] = [:]
    private var failure: RadioFailure?

    init(_ adapter: BlueZAdapter) { self.adapter = adapter }

    /// Carries a request out after those before it to the same attribute.
    func submit(_ request: Request) {
        if let failure { return request.finish(.failure(failure)) }
        if lanes[request.path]?.requests.append(request) != nil { return }
        lanes[request.path] = Lane(requests: [request])
        start(request.path, GATTRetry())
    }

    private func start(_ path: String, _ retry: GATTRetry) {
        guard let request = lanes[path]?.requests.first else { return }
        let call = adapter.call(path, request.interface, request.member, request.arguments, timeout: Self.limit) {
            [weak self] result in
            self?.answered(path, result, retry)
        }
        lanes[path]?.call = call
    }

    private func answered(_ path: String, _ result: Result<[BusValue], BusError>, _ retry: GATTRetry) {
        guard let request = lanes[path]?.requests.first else { return }
        var retry = retry
        if case .failure(let error) = result, error.isPassingGATTError, let pause = retry.next() {
            lanes[path]?.call = nil
            lanes[path]?.pause = adapter.clock.after(pause, on: adapter.queue) { [weak self, retry] in
                self?.start(path, retry)
            }
            return
        }
        next(path)
        request.finish(result.mapError(RadioFailure.init(gatt:)))
    }

    private func next(_ path: String) {
        lanes[path]?.requests.removeFirst()
        if lanes[path]?.requests.isEmpty ?? true {
            lanes[path] = nil
        } else {
            start(path, GATTRetry())
        }
    }

    /// Finishes what waits for an attribute that is gone, or for one below it: the daemon does not answer it any more.
    func forget(_ path: String) {
        for key in lanes.keys where key == path || key.hasPrefix(path + "/") { fail(key, .radio(.invalidHandle)) }
    }

    /// The connection is over: everything that waits, and everything submitted from now on, fails.
    func end(_ failure: RadioFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        for key in lanes.keys.sorted() { fail(key, failure) }
    }

    private func fail(_ path: String, _ failure: RadioFailure) {
        guard let lane = lanes.removeValue(forKey: path) else { return }
        lane.call?.cancel()
        lane.pause?.cancel()
        for request in lane.requests { request.finish(.failure(failure)) }
    }
}
