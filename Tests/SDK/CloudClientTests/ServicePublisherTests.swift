import Basics
import CloudClient
import Combine
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

/// The publishers: cold, one value each, cancelled with their subscription.
@Suite struct ServicePublisherTests {
    @Test func sendsNothingBeforeAValueIsAskedFor() async throws {
        try await withCloud({ _ in .json(200, [Sample.device()]) }) { cloud in
            let publisher: AnyPublisher<ServiceResult<[DeviceModel]>, Never> =
                cloud.connection().deviceService.devices(spaceId: "home")
            let probe = Probe<ServiceResult<[DeviceModel]>>()
            publisher.subscribe(probe)
            #expect(cloud.received.isEmpty)
            probe.request(.max(1))
            let events = try await within(.seconds(20), "value and end") { await probe.events(2) }
            #expect(events == [.value(.success([Sample.device()])), .finished])
            probe.request(.max(5))
            #expect(cloud.received.count == 1)
        }
    }

    @Test func eachSubscriptionIsARequest() async throws {
        try await withCloud({ _ in .json(404, APIError(code: .notFound, message: "no")) }) { cloud in
            let publisher: AnyPublisher<ServiceResult<[DeviceModel]>, Never> =
                cloud.connection().deviceService.devices(spaceId: "home")
            for count in 1...3 {
                let probe = Probe<ServiceResult<[DeviceModel]>>()
                publisher.subscribe(probe)
                probe.request(.unlimited)
                let events = try await within(.seconds(20), "value and end") { await probe.events(2) }
                let error = CloudError.api(APIError(code: .notFound, message: "no"), status: 404, retryAfter: nil)
                #expect(events == [.value(.failure(error)), .finished])
                #expect(cloud.received.count == count)
            }
        }
    }

    @Test func cancellingEndsTheRequestAndDeliversNothing() async throws {
        let gate = Gate()
        try await withCloud({ _ in
            await gate.wait()
            return .json(200, [DeviceModel]())
        }) { cloud in
            let publisher: AnyPublisher<ServiceResult<[DeviceModel]>, Never> =
                cloud.connection().deviceService.devices(spaceId: "home")
            let probe = Probe<ServiceResult<[DeviceModel]>>()
            publisher.subscribe(probe)
            probe.request(.unlimited)
            try await within(.seconds(20), "the request") { await gate.arrival() }
            probe.cancel()
            try await within(.seconds(20), "the server to see the end") { await gate.departure() }
            #expect(probe.received.isEmpty)
        }
    }

    @Test func resultsGiveTheirParts() throws {
        let good = ServiceResult.success(1)
        let bad = ServiceResult<Int>.failure(.cancelled)
        #expect(good.data == 1 && good.error == nil)
        #expect(bad.data == nil && bad.error == .cancelled)
        #expect(try good.get() == 1)
        #expect(throws: CloudError.cancelled) { try bad.get() }
    }
}

/// A subscriber that asks only when told to.
final class Probe<Input: Sendable & Equatable>: Subscriber, Sendable {
    typealias Failure = Never
    enum Event: Sendable, Equatable {
        case value(Input)
        case finished
    }

    /// Subscriptions may be used from any thread.
    private struct Held: @unchecked Sendable { var subscription: (any Subscription)? }

    private let held = Locked(Held(subscription: nil))
    private let recorded = Locked<[Event]>([])
    private let stream: (stream: AsyncStream<Event>, continuation: AsyncStream<Event>.Continuation)

    init() { stream = AsyncStream.makeStream() }

    var received: [Event] { recorded.withLock { $0 } }

    func receive(subscription: any Subscription) {
        let new = Held(subscription: subscription)
        held.withLock { $0 = new }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        record(.value(input))
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { record(.finished) }

    func request(_ demand: Subscribers.Demand) { held.withLock { $0 }.subscription?.request(demand) }
    func cancel() { held.withLock { $0 }.subscription?.cancel() }

    /// Waits for the first `count` events.
    func events(_ count: Int) async -> [Event] {
        var events: [Event] = []
        for await event in stream.stream {
            events.append(event)
            if events.count == count { break }
        }
        return events
    }

    private func record(_ event: Event) {
        recorded.withLock { $0.append(event) }
        stream.continuation.yield(event)
    }
}
