import Basics
import Combine

/// A subscriber that asks for what the test says and notes what it gets.
final class Probe<Input: Sendable, Failure: Error>: Subscriber, Cancellable, Sendable {
    /// What a publisher did, in words.
    enum Event: Equatable, CustomStringConvertible {
        case value(String)
        case finished
        case failure(String)

        var description: String {
            switch self {
            case .value(let text): text
            case .finished: "|"
            case .failure(let text): "!\(text)"
            }
        }
    }

    private struct State: @unchecked Sendable {
        // Unchecked for the subscription, which is safe from any thread by its contract.
        var subscriptions: [any Subscription] = []
        var events: [Event] = []
        var values: [Input] = []
    }

    private let state = Locked(State())
    private let initial: Subscribers.Demand
    private let onValue: @Sendable (Probe, Input) -> Subscribers.Demand

    /// - Parameters:
    ///   - initial: Asked for at the start.
    ///   - onValue: Called with each value; its result is asked for on top.
    init(
        _ initial: Subscribers.Demand = .unlimited,
        onValue: @escaping @Sendable (Probe, Input) -> Subscribers.Demand = { _, _ in .none }
    ) {
        self.initial = initial
        self.onValue = onValue
    }

    var subscriptionCount: Int { state.withLock { $0.subscriptions.count } }
    var events: [Event] { state.withLock { $0.events } }
    var values: [Input] { state.withLock { $0.values } }
    /// Values by their description, `|` for finished, `!error` for a failure.
    var marbles: String { events.map(\.description).joined(separator: " ") }
    var isComplete: Bool { events.contains { if case .value = $0 { false } else { true } } }

    func receive(subscription: any Subscription) {
        let box = Carried(subscription)
        state.withLock { $0.subscriptions.append(box.value) }
        if initial > .none { subscription.request(initial) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock {
            $0.events.append(.value("\(input)"))
            $0.values.append(input)
        }
        return onValue(self, input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        state.withLock {
            switch completion {
            case .finished: $0.events.append(.finished)
            case .failure(let error): $0.events.append(.failure("\(error)"))
            }
        }
    }

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
    func cancel() { subscription?.cancel() }

    private var subscription: (any Subscription)? { state.withLock { Carried($0.subscriptions.first) }.value }
}

/// Carries a subscription or an action through a lock.
struct Carried<Value>: @unchecked Sendable {
    // Unchecked because subscriptions are safe from any thread by their contract, and actions run on the test's thread.
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// An error for tests.
struct Fault: Error, Equatable, CustomStringConvertible {
    var description: String
    init(_ description: String = "fault") { self.description = description }
}

/// Counts calls from any thread.
final class Tally: Sendable {
    private let count = Locked(0)
    var value: Int { count.withLock { $0 } }
    func add(_ amount: Int = 1) { count.withLock { $0 += amount } }
}

/// Collects values from any thread.
final class Notes<Value: Sendable>: Sendable {
    private let list = Locked<[Value]>([])
    var all: [Value] { list.withLock { $0 } }
    func add(_ value: Value) { list.withLock { $0.append(value) } }
}

extension Publisher where Output: Sendable {
    /// Subscribes a probe with unlimited demand; for publishers that complete at once.
    func marbles(_ demand: Subscribers.Demand = .unlimited) -> String {
        let probe = Probe<Output, Failure>(demand)
        subscribe(probe)
        return probe.marbles
    }
}
