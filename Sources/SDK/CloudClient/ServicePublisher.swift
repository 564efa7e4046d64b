import Basics
import Combine

/// A publisher of one result for each subscription: a call made when the first value is asked for.
struct ServicePublisher<Value: Sendable>: Publisher {
    typealias Output = ServiceResult<Value>
    typealias Failure = Never

    let call: @Sendable () async -> ServiceResult<Value>

    init(_ call: @escaping @Sendable () async throws(CloudError) -> Value) {
        self.call = {
            do throws(CloudError) {
                return .success(try await call())
            } catch {
                return .failure(error)
            }
        }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        subscriber.receive(subscription: ServiceSubscription(AnySubscriber(subscriber), call: call))
    }
}

/// One call on behalf of one subscriber. Cancelling cancels the call, and nothing is delivered afterwards.
private final class ServiceSubscription<Value: Sendable>: Subscription, Sendable {
    private enum Phase {
        case waiting
        case calling(Task<Void, Never>)
        case done
    }

    /// The subscriber is not Sendable; it is called by one thread at a time: first by the one that subscribes, then
    /// by the task of the one call.
    private struct Holder: @unchecked Sendable {
        let downstream: AnySubscriber<ServiceResult<Value>, Never>
    }

    private struct State {
        var phase = Phase.waiting
        var holder: Holder?
    }

    private let call: @Sendable () async -> ServiceResult<Value>
    private let state: Locked<State>

    init(
        _ downstream: AnySubscriber<ServiceResult<Value>, Never>,
        call: @escaping @Sendable () async -> ServiceResult<Value>
    ) {
        self.call = call
        state = Locked(State(holder: Holder(downstream: downstream)))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        state.withLock { state in
            guard case .waiting = state.phase else { return }
            state.phase = .calling(Task { await self.deliver(self.call()) })
        }
    }

    func cancel() {
        // The subscriber is released after the lock: its deinit may call back.
        let (task, holder): (Task<Void, Never>?, Holder?) = state.withLock { state in
            defer { state = State(phase: .done, holder: nil) }
            if case .calling(let task) = state.phase { return (task, state.holder) }
            return (nil, state.holder)
        }
        task?.cancel()
        withExtendedLifetime(holder) {}
    }

    private func deliver(_ result: ServiceResult<Value>) {
        guard let holder = state.withLock({ $0.holder }) else { return }
        _ = holder.downstream.receive(result)
        let last = state.withLock { state in
            defer { state = State(phase: .done, holder: nil) }
            return state.holder
        }
        last?.downstream.receive(completion: .finished)
    }
}
