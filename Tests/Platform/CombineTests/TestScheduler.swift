import Basics
import Combine

/// A scheduler whose time passes only when a test says so. Actions run inside ``advance(by:)``, in order.
final class TestScheduler: Scheduler, Sendable {
    /// A moment, in milliseconds since the start.
    struct SchedulerTimeType: Strideable, Sendable {
        var milliseconds: Double
        func distance(to other: Self) -> Stride { Stride(milliseconds: other.milliseconds - milliseconds) }
        func advanced(by n: Stride) -> Self { Self(milliseconds: milliseconds + n.milliseconds) }

        struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Sendable {
            var milliseconds: Double
            var magnitude: Double { abs(milliseconds) }
            init(milliseconds: Double) { self.milliseconds = milliseconds }
            init(integerLiteral value: Double) { milliseconds = value * 1000 }
            init?<T: BinaryInteger>(exactly source: T) { milliseconds = Double(source) * 1000 }
            static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
            static func + (left: Self, right: Self) -> Self {
                Self(milliseconds: left.milliseconds + right.milliseconds)
            }
            static func - (left: Self, right: Self) -> Self {
                Self(milliseconds: left.milliseconds - right.milliseconds)
            }
            static func * (left: Self, right: Self) -> Self {
                Self(milliseconds: left.milliseconds * right.milliseconds)
            }
            static func *= (left: inout Self, right: Self) { left = left * right }
            static func seconds(_ s: Int) -> Self { Self(milliseconds: Double(s) * 1e3) }
            static func seconds(_ s: Double) -> Self { Self(milliseconds: s * 1e3) }
            static func milliseconds(_ ms: Int) -> Self { Self(milliseconds: Double(ms)) }
            static func microseconds(_ us: Int) -> Self { Self(milliseconds: Double(us) / 1e3) }
            static func nanoseconds(_ ns: Int) -> Self { Self(milliseconds: Double(ns) / 1e6) }
        }
    }

    typealias SchedulerOptions = Never

    private struct Action {
        var id: Int
        var date: SchedulerTimeType
        var interval: SchedulerTimeType.Stride?
        var run: () -> Void
    }

    private struct State: @unchecked Sendable {
        // Unchecked for the actions, which a test runs from one thread.
        var now = SchedulerTimeType(milliseconds: 0)
        var lastID = 0
        var actions: [Action] = []
        var next: Action?
    }

    private let state = Locked(State())

    var now: SchedulerTimeType { state.withLock { $0.now } }
    var minimumTolerance: SchedulerTimeType.Stride { 0 }
    var pendingCount: Int { state.withLock { $0.actions.count } }

    func schedule(options: Never?, _ action: @escaping () -> Void) { _ = add(at: now, every: nil, action) }

    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        _ = add(at: date, every: nil, action)
    }

    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        let id = add(at: date, every: interval, action)
        return AnyCancellable { [state] in state.withLock { $0.actions.removeAll { $0.id == id } } }
    }

    private func add(
        at date: SchedulerTimeType, every interval: SchedulerTimeType.Stride?, _ run: @escaping () -> Void
    ) -> Int {
        let carried = Carried(run)
        return state.withLock { state in
            state.lastID += 1
            state.actions.append(Action(id: state.lastID, date: date, interval: interval, run: carried.value))
            return state.lastID
        }
    }

    /// Lets `milliseconds` pass and runs what falls due, in order; 0 runs what is due now.
    func advance(by milliseconds: Double = 0) {
        let target = now.advanced(by: .init(milliseconds: milliseconds))
        while let action = takeNext(until: target) { action() }
        state.withLock { $0.now = target }
    }

    private func takeNext(until target: SchedulerTimeType) -> (() -> Void)? {
        let taken: Carried<(() -> Void)?> = state.withLock { state in
            let due = state.actions.filter { $0.date <= target }
            guard let next = due.min(by: { ($0.date, $0.id) < ($1.date, $1.id) }),
                let index = state.actions.firstIndex(where: { $0.id == next.id })
            else { return Carried(nil) }
            state.now = Swift.max(state.now, next.date)
            if let interval = next.interval {
                state.actions[index].date = next.date.advanced(by: interval)
            } else {
                state.actions.remove(at: index)
            }
            return Carried(next.run)
        }
        return taken.value
    }
}
