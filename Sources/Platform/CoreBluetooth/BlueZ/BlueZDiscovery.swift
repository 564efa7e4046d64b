import Basics
import DBus

/// Carries a ``DiscoverySession`` out, and watches that it does not die unnoticed. Confined to the radio's queue.
final class BlueZDiscovery: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    /// A scan that hears nothing for this long is suspected to be dead, and begun again.
    static let silenceLimit = Duration.seconds(90)
    /// Starts that fail in a row before a line in the log says so.
    private static let patience = 4

    private let adapter: BlueZAdapter
    private let log = Log("radio")
    private var session = DiscoverySession()
    /// Counts sessions, so that an answer for a lost one is told from an answer for the present one.
    private var generation = 0
    private var pause: RadioClock.Alarm?
    private var watchdog: RadioClock.Alarm?
    private var lastHeard = Duration.zero

    init(_ adapter: BlueZAdapter) { self.adapter = adapter }

    /// Says whether there shall be a session.
    func want(_ wanted: Bool) { perform(session.want(wanted)) }

    /// A device was heard.
    func heard() { lastHeard = adapter.clock.now() }

    /// The daemon says that nobody's discovery runs, which somebody or something ended behind its back.
    func ended() { perform(session.revive()) }

    /// The session went with the daemon, the adapter or its power.
    func lost() {
        session.lost()
        generation += 1
        pause?.cancel()
        watchdog?.cancel()
    }

    private func perform(_ actions: [DiscoverySession.Action]) {
        for action in actions {
            switch action {
            case .start: start()
            case .stop: call("StopDiscovery") { discovery, _ in discovery.perform(discovery.session.stopped()) }
            case .pause(let duration):
                pause = adapter.clock.after(duration, on: adapter.queue) { [weak self] in
                    guard let self else { return }
                    perform(session.paused())
                }
            case .resume: pause?.cancel()
            }
        }
    }

    private func start() {
        guard let path = adapter.path else { return }
        // Any filter makes the daemon signal every advertisement, those without discoverable flags too; the data of each
        // takes the place of that before. A threshold for the signal strength would silence controllers without one.
        adapter.send(
            path, BlueZ.adapter, "SetDiscoveryFilter", [.properties(["Transport": "le", "DuplicateData": true])])
        call("StartDiscovery") { discovery, result in discovery.started(result) }
    }

    private func started(_ result: Result<[BusValue], BusError>) {
        switch result {
        case .success:
            heard()
            watch(for: Self.silenceLimit)
            perform(session.started(true))
        case .failure(let error):
            if session.failures + 1 == Self.patience {
                log.warning("the scan has not started \(Self.patience) times and is tried on: \(error)")
            } else {
                log.debug("the scan did not start: \(error)")
            }
            perform(session.started(false))
        }
    }

    private func call(
        _ member: String, _ body: @escaping @Sendable (BlueZDiscovery, Result<[BusValue], BusError>) -> Void
    ) {
        guard let path = adapter.path else { return }
        adapter.call(path, BlueZ.adapter, member) { [weak self, generation] result in
            guard let self, generation == self.generation else { return }
            body(self, result)
        }
    }

    /// Looks after the scan when it may have been silent for too long.
    private func watch(for time: Duration) {
        watchdog?.cancel()
        watchdog = adapter.clock.after(time, on: adapter.queue) { [weak self] in
            guard let self, session.phase == .running else { return }
            let silence = adapter.clock.now() - lastHeard
            guard silence >= Self.silenceLimit else { return watch(for: Self.silenceLimit - silence) }
            log.info("nothing was heard for \(silence): the scan is begun again")
            perform(session.revive())
        }
    }
}
