/// The subscribers of a subject, and what they have in common: order and ending.
///
/// A value is queued for all of them in one step under one lock and delivered after it, so that every subscriber sees
/// concurrent and re-entrant sends in the same order, and a subscriber that joins knows exactly where it stands.
final class Audience<Output, Failure: Error>: @unchecked Sendable {
    // Unchecked because all state is in `state`.
    private struct State {
        var members: [Member] = []
        var completion: Subscribers.Completion<Failure>?
        /// Subscriptions to the upstreams that feed the subject.
        var feeds: [any Subscription] = []
        /// Whether the feeds have been asked for values.
        var pulls: Bool
        /// The newest value, for audiences that replay it.
        var latest: Output?
    }

    /// One subscriber's outlet, which leaves the audience when it is over.
    final class Member: Outlet<Output, Failure> {
        private weak var audience: Audience?

        init(_ downstream: any Subscriber<Output, Failure>, of audience: Audience) {
            self.audience = audience
            super.init(downstream, surplus: audience.replays ? .keepLatest : .drop, nests: true)
        }

        override func demandGrew(by demand: Subscribers.Demand) { audience?.pull() }
        override func ended() { audience?.remove(self) }
    }

    private let state: Guarded<State>
    private let replays: Bool

    /// An audience that starts each member with the newest value, at first `value`.
    init(replaying value: Output) {
        state = Guarded(State(pulls: true, latest: value))
        replays = true
    }

    /// An audience that gets only what comes after joining.
    init() {
        state = Guarded(State(pulls: false))
        replays = false
    }

    deinit {
        for feed in state.withLock({ $0.feeds }) { feed.cancel() }
    }

    var latest: Output? { state.withLock { $0.latest } }

    func join(_ subscriber: some Subscriber<Output, Failure>) {
        let member = Member(subscriber, of: self)
        state.withLock { state in
            if let completion = state.completion {
                member.enqueue(completion: completion)
                return
            }
            if let latest = state.latest { member.enqueue(latest) }
            state.members.append(member)
        }
        member.start()
    }

    /// Queues the value for everybody and notes it as the newest. May be called under a caller's lock.
    /// - Returns: The members, whose `deliver()` must follow, and the value that was the newest.
    func enqueue(_ value: Output) -> (members: [Member], displaced: Output?) {
        state.withLock { state in
            guard state.completion == nil else { return ([], nil) }
            var displaced: Output?
            if replays {
                displaced = state.latest
                state.latest = value
            }
            for member in state.members { member.enqueue(value) }
            return (state.members, displaced)
        }
    }

    func send(_ value: Output) {
        let (members, displaced) = enqueue(value)
        withExtendedLifetime(displaced) {}
        for member in members { member.deliver() }
    }

    func send(completion: Subscribers.Completion<Failure>) {
        let (members, feeds) = state.withLock { state -> ([Member], [any Subscription]) in
            guard state.completion == nil else { return ([], []) }
            state.completion = completion
            for member in state.members { member.enqueue(completion: completion) }
            defer {
                state.members = []
                state.feeds = []
            }
            return (state.members, state.feeds)
        }
        for member in members { member.deliver() }
        withExtendedLifetime(feeds) {}
    }

    /// Takes a subscription to an upstream, which is asked for everything: at once when there is a newest value to
    /// keep up to date, else once somebody listens.
    func add(feed: any Subscription) {
        let (alive, pulls) = state.withLock { state in
            guard state.completion == nil else { return (false, false) }
            state.feeds.append(feed)
            return (true, state.pulls)
        }
        if !alive { feed.cancel() } else if pulls { feed.request(.unlimited) }
    }

    private func pull() {
        let feeds = state.withLock { state -> [any Subscription] in
            guard !state.pulls else { return [] }
            state.pulls = true
            return state.feeds
        }
        for feed in feeds { feed.request(.unlimited) }
    }

    private func remove(_ member: Member) {
        state.withLock { state in
            state.members.removeAll { $0 === member }
        }
    }
}
