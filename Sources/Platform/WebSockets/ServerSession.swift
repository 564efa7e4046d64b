import Basics

/// The running part of a server, and its end. State in one `Locked`.
final class ServerSession: Sendable {
    private enum Phase {
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped
    }

    private let loop: ServiceLoop
    private let roster: ConnectionRoster
    private let phase = Locked(Phase.running)

    init(loop: ServiceLoop, roster: ConnectionRoster) {
        self.loop = loop
        self.roster = roster
    }

    /// Stops; the first caller does the work, others wait for it.
    func stop() async {
        let isFirst: Bool = phase.withLock { phase in
            guard case .running = phase else { return false }
            phase = .stopping([])
            return true
        }
        guard isFirst else { return await stopped() }
        loop.perform { [loop, roster] in
            loop.stopListening()
            roster.stopAll()
        }
        let limit = Task { [self] in
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            loop.perform { [self] in dropWhatIsLeft() }
        }
        await loop.emptied()
        limit.cancel()
        let waiters = phase.withLock { phase -> [CheckedContinuation<Void, Never>] in
            defer { phase = .stopped }
            guard case .stopping(let waiters) = phase else { return [] }
            return waiters
        }
        loop.giveBack()
        for waiter in waiters { waiter.resume() }
    }

    /// Only while this server has the loop: a timer that fires late must not meet the next one's connections.
    private func dropWhatIsLeft() {
        let isStopping: Bool = phase.withLock { phase in
            if case .stopping = phase { return true }
            return false
        }
        if isStopping { loop.dropAll() }
    }

    private func stopped() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver: Bool = phase.withLock { phase in
                guard case .stopping(let waiters) = phase else { return true }
                phase = .stopping(waiters + [continuation])
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
