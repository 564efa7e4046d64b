import Basics
import CloudClient
import Dispatch
import Foundation
import WebRTC
import Wire

/// Runs a ``LiveViewMachine``: brings it events and the time, and takes its actions.
///
/// The machine is behind one lock. Actions are taken on one serial queue, in the order in which the machine gave them; what
/// they work on (attempts, timers) is touched on that queue only, hence `@unchecked Sendable`.
final class LiveViewDriver: @unchecked Sendable {
    /// What reaches the outside.
    enum Output: Sendable {
        /// Something happened at a step of the machine.
        case event(LiveViewEvent, step: Int)
        /// A value that the model publishes.
        case reading(DataChannelMessage)
    }

    private struct Attempt {
        var peer: LivePeer
        var meter: FrameMeter
        /// Ends by itself soon after the peer is closed, or when the cloud has answered.
        var negotiation: Task<Void, Never>
    }

    let view: LiveVideoView
    private let spaceId: String
    private let deviceId: String
    private let services: CloudConnection
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let machine: Locked<LiveViewMachine>
    private let output: @Sendable (Output) -> Void
    private let codec = Locked<String?>(nil)
    private let queue = DispatchQueue(label: "porchlight.live")

    // On the queue:
    private var attempts: [Int: Attempt] = [:]
    private var timers: [LiveViewMachine.Timer: Task<Void, Never>] = [:]
    private var closings: [Int: Task<Void, Never>] = [:]
    private var iceServers: [ICEServer] = []

    init(
        spaceId: String, deviceId: String, services: CloudConnection, clock: any Clock<Duration>,
        jitter: @escaping @Sendable () -> Double, view: LiveVideoView, output: @escaping @Sendable (Output) -> Void
    ) {
        self.spaceId = spaceId
        self.deviceId = deviceId
        self.services = services
        self.clock = clock
        self.view = view
        self.output = output
        stopwatch = Stopwatch(clock)
        machine = Locked(LiveViewMachine(jitter: jitter))
    }

    /// Takes an event. From any thread; the actions follow on the queue.
    func post(_ event: LiveViewMachine.Event) {
        machine.withLock { machine in
            let actions = machine.handle(event, at: stopwatch.elapsed)
            // Under the lock, and not with the actions: when this returns, no frame of a dropped attempt is shown any more.
            view.admit(machine.currentAttempt)
            guard !actions.isEmpty else { return }
            // Put on the queue under the lock, so that they keep the order of their events; taken without it.
            let step = machine.step
            queue.async { for action in actions { self.perform(action, of: step) } }
        }
    }

    /// Looks at the machine.
    func read<Value: Sendable>(_ path: any KeyPath<LiveViewMachine, Value> & Sendable) -> Value {
        machine.withLock { $0[keyPath: path] }
    }

    /// Changes one of the machine's settings.
    func set<Value: Sendable>(
        _ path: any WritableKeyPath<LiveViewMachine, Value> & Sendable, to value: Value
    ) {
        machine.withLock { $0[keyPath: path] = value }
    }

    /// Waits until the attempts that were dropped by now are closed and their sessions ended.
    func closed() async {
        let closings = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Array(self.closings.values)) }
        }
        for closing in closings { await closing.value }
    }

    // MARK: - Actions

    private func perform(_ action: LiveViewMachine.Action, of step: Int) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch action {
        case .open(let number): open(number)
        case .close(let number, let goodbye): close(number, goodbye: goodbye)
        case .start(let timer, let number, let duration): start(timer, number, duration)
        case .stop(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .ask(let number): ask(number)
        case .send(let message, let number): attempts[number]?.peer.send(message)
        case .tell(let event): output(.event(event, step: step))
        case .publish(let reading): output(.reading(reading))
        }
    }

    /// Makes what takes the frames of an attempt. It stays with the connection for a while after the attempt was dropped.
    func tap(_ number: Int, _ meter: FrameMeter) -> FrameTap {
        FrameTap(
            onSize: { [view] in view.setSize($0, of: number) },
            onFrame: { [weak self, view] frame in
                guard let self, view.render(frame, of: number) else { return }
                if meter.note(at: stopwatch.elapsed) { post(.attempt(number, .firstFrame)) }
            })
    }

    private func open(_ number: Int) {
        let meter = FrameMeter()
        let peer = LivePeer(live: services.liveService, clock: clock, tap: tap(number, meter)) { [weak self] event in
            self?.post(.attempt(number, event))
        }
        let (spaceId, deviceId, iceServers) = (spaceId, deviceId, iceServers)
        let negotiation = Task { [weak self] in
            guard let answer = await peer.negotiate(spaceId: spaceId, deviceId: deviceId, iceServers: iceServers)
            else { return }
            self?.remember(answer)
        }
        attempts[number] = Attempt(peer: peer, meter: meter, negotiation: negotiation)
    }

    private func remember(_ answer: LiveAnswer) {
        codec.withLock { $0 = answer.videoCodec }
        // The cloud names its servers when the offer has been made already, so they serve the next attempt.
        queue.async { self.iceServers = answer.iceServers }
    }

    /// The codec of the newest answer.
    var videoCodec: String? { codec.withLock { $0 } }

    private func close(_ number: Int, goodbye: Bool) {
        guard let attempt = attempts.removeValue(forKey: number) else { return }
        closings[number] = Task {
            await attempt.peer.close(goodbye: goodbye)
            // An offer that is out is not cancelled: only its answer names the session that is to be ended.
            await attempt.negotiation.value
            self.queue.async { self.closings[number] = nil }
        }
    }

    private func start(_ timer: LiveViewMachine.Timer, _ number: Int, _ duration: Duration) {
        timers[timer]?.cancel()
        timers[timer] = Task { [weak self, clock] in
            // A sleep that is cancelled belongs to a timer that was stopped.
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            self?.fired(timer, number)
        }
    }

    private func fired(_ timer: LiveViewMachine.Timer, _ number: Int) {
        queue.async {
            // Of several attempts only the newest is not being closed.
            let lastFrame = self.attempts.max { $0.key < $1.key }?.value.meter.lastFrame
            self.post(.fired(timer, number: number, lastFrame: lastFrame))
        }
    }

    private func ask(_ number: Int) {
        let (devices, spaceId, deviceId) = (services.deviceService, spaceId, deviceId)
        Task { [weak self] in
            do throws(CloudError) {
                let device = try await devices.device(spaceId: spaceId, deviceId: deviceId)
                self?.post(.device(attempt: number, .success(device)))
            } catch {
                self?.post(.device(attempt: number, .failure(error)))
            }
        }
    }
}
