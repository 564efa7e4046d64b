import Basics
import DBus
import Foundation
public import Wire

extension WpaSupplicant {
    /// A network that was joined, and may yet be left.
    struct Trial {
        var network: NetworkCredentials
        /// Of the run of wpa_supplicant that joined it.
        var supplicant: SupplicantInterface
        var block: String
        var retreat: SupplicantRetreat
    }

    /// Joins a network and waits for an address on the interface.
    ///
    /// The networks that wpa_supplicant had before are kept, disabled, until ``keep()``. When joining fails, this one is
    /// removed, and they are enabled and joined again; ``goBack()`` does the same when it has succeeded.
    public func join(_ network: NetworkCredentials) async throws(PairingFailure) {
        if trial != nil { await goBack() }
        defer { if isHandOverDue { stayOnWanted() } }
        do throws(WiFiError) {
            try await tryToJoin(network)
        } catch {
            log.warning("\(network.networkName) was not joined: \(error)")
            throw error.pairingFailure
        }
    }

    /// Stays on the network that was joined. Networks of the camera's own making before it are removed; those that the
    /// board has configured stay in the list, disabled.
    public func keep() async {
        guard let kept = trial else { return }
        wanted = kept.network
        do throws(WiFiError) {
            try await kept.supplicant.keep(kept.block)
            for block in try await kept.supplicant.blocks() where block.isOurs && block.path != kept.block {
                try await kept.supplicant.remove(block.path)
            }
        } catch {
            log.warning("\(kept.network.networkName) is handed to wpa_supplicant once more: \(error)")
            isHandOverDue = true
        }
        trial = nil
        if isHandOverDue { stayOnWanted() }
    }

    /// Leaves the network that was joined, for the one before.
    public func goBack() async {
        guard let left = trial else { return }
        log.info("leaving \(left.network.networkName) for the network before")
        await end(left.block, by: left.retreat, left.supplicant)
        trial = nil
        if isHandOverDue { stayOnWanted() }
    }

    private func tryToJoin(_ network: NetworkCredentials) async throws(WiFiError) {
        guard attempt == nil else { throw .refused(reason: "another network is being joined") }
        let (events, feed) = AsyncStream.makeStream(of: JoinProgress.Event.self)
        attempt = feed
        defer {
            attempt = nil
            feed.finish()
        }
        let supplicant = try await supplicant()
        try await endTrials(at: supplicant)
        let retreat = SupplicantRetreat(
            current: try await supplicant.currentBlock(),
            enabled: try await supplicant.blocks().filter(\.isEnabled).map(\.path))
        let request = try SupplicantNetwork(network, methods: try await supplicant.methods(), retreat: retreat)
        let block = try await supplicant.add(request)
        do throws(WiFiError) {
            let progress = JoinProgress(interface: interface, offersSAE: request.offersSAE)
            try await follow(progress, of: network, by: block, supplicant, events, feed)
        } catch {
            await end(block, by: retreat, supplicant)
            throw error
        }
        trial = Trial(network: network, supplicant: supplicant, block: block, retreat: retreat)
    }

    private func follow(
        _ start: JoinProgress, of network: NetworkCredentials, by block: String, _ supplicant: SupplicantInterface,
        _ events: AsyncStream<JoinProgress.Event>, _ feed: AsyncStream<JoinProgress.Event>.Continuation
    ) async throws(WiFiError) {
        let subscriptions = supplicant.observe { change in
            switch change {
            case .progress(let event): feed.yield(event)
            case .scanDone: feed.yield(.scanDone)
            }
        }
        let changes = try addresses.changes(of: interface)
        var tasks = [
            Task {
                var ledger = AddressLedger()
                for await change in changes {
                    ledger.take(change)
                    feed.yield(.hasAddress(ledger.hasAddress))
                }
            },
            timer(limits.association, .associationLimit, feed),
        ]
        defer {
            for subscription in subscriptions { subscription.cancel() }
            for task in tasks { task.cancel() }
        }
        try await supplicant.select(block)
        var progress = start
        for await event in events {
            if event == .state(.completed) {
                // A report of the network before may arrive late.
                let isThisOne = try await supplicant.currentBlock() == block
                guard isThisOne, try await supplicant.state() == .completed else { continue }
            }
            var decision = progress.handle(event)
            if decision == .look {
                let stations = try await supplicant.stations().filter { $0.ssid == network.ssid }
                let obstacle = stations.isEmpty ? .networkNotFound : stations.obstacle(to: network)
                decision = progress.handle(.looked(obstacle))
            }
            switch decision {
            case .wait, .look: break
            case .awaitAddress: tasks.append(timer(limits.address, .addressLimit, feed))
            case .joined: return
            case .failed(let error): throw error
            }
        }
        throw .interrupted
    }

    private nonisolated func timer(
        _ limit: Duration, _ event: JoinProgress.Event, _ feed: AsyncStream<JoinProgress.Event>.Continuation
    ) -> Task<Void, Never> {
        Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            feed.yield(event)
        }
    }

    // MARK: The way back

    /// Leaves networks that were being tried when an earlier run of this program was killed.
    func endTrials(at supplicant: SupplicantInterface) async throws(WiFiError) {
        for block in try await supplicant.blocks() {
            guard let retreat = block.retreat else { continue }
            log.warning("leaving a network that was being tried when the camera ended, for the one before")
            try await retreat.go(from: block.path, supplicant)
        }
    }

    private func end(_ block: String, by retreat: SupplicantRetreat, _ supplicant: SupplicantInterface) async {
        do throws(WiFiError) {
            try await retreat.go(from: block, supplicant)
        } catch {
            // The network that the camera belongs on is handed over again as soon as there is a wpa_supplicant.
            log.warning("the network before is not restored yet: \(error)")
            isHandOverDue = true
        }
    }
}

extension SupplicantRetreat {
    /// Takes wpa_supplicant back to where it was. The way back goes last, so that it is found again by whoever has to go it
    /// once more.
    fileprivate func go(
        from block: String, _ supplicant: SupplicantInterface, isolation: isolated any Actor = #isolation
    ) async throws(WiFiError) {
        // The board may have removed some since.
        let there = Set(try await supplicant.blocks().map(\.path))
        let current = current.flatMap { there.contains($0) ? $0 : nil }
        if let current { try await supplicant.select(current) }
        for path in enabled where path != current && there.contains(path) { try await supplicant.enable(path) }
        try await supplicant.remove(block)
    }
}
