/// An operator's hold on its upstream's subscription, which may come later than the first demand and the cancellation.
///
/// Safe from any thread; the upstream is called without the lock.
final class Link: Subscription {
    private enum State {
        case waiting(Subscribers.Demand)
        case linked(any Subscription)
        case closed
    }

    private let state = Guarded(State.waiting(.none))

    /// Takes the upstream's subscription and passes on what was asked for so far. Cancels `subscription` when there is
    /// one already or the link is closed.
    func connect(_ subscription: any Subscription) {
        let demand = state.withLock { state -> Subscribers.Demand? in
            guard case .waiting(let demand) = state else { return nil }
            state = .linked(subscription)
            return demand
        }
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let subscription = state.withLock { state -> (any Subscription)? in
            switch state {
            case .waiting(let earlier):
                state = .waiting(earlier + demand)
                return nil
            case .linked(let subscription): return subscription
            case .closed: return nil
            }
        }
        subscription?.request(demand)
    }

    /// Whether the upstream may still be listened to.
    var isOpen: Bool {
        state.withLock { state in
            if case .closed = state { false } else { true }
        }
    }

    /// Lets go of the upstream, which has ended by itself.
    /// - Returns: Whether this call closed the link.
    @discardableResult
    func close() -> Bool { takeSubscription().wasOpen }

    /// Cancels the upstream, now or when it arrives.
    func cancel() { cancelIfOpen() }

    /// Cancels the upstream, now or when it arrives.
    /// - Returns: Whether this call closed the link.
    @discardableResult
    func cancelIfOpen() -> Bool {
        let (subscription, wasOpen) = takeSubscription()
        subscription?.cancel()
        return wasOpen
    }

    private func takeSubscription() -> (subscription: (any Subscription)?, wasOpen: Bool) {
        state.withLock { state in
            defer { state = .closed }
            switch state {
            case .waiting: return (nil, true)
            case .linked(let subscription): return (subscription, true)
            case .closed: return (nil, false)
            }
        }
    }
}
