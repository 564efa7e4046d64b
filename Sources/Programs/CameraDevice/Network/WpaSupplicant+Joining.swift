import Basics
import DBus
import Foundation
public import Wire

extension WpaSupplicant {
    /// Joins a network and waits for an address on the interface.
    ///
    /// The networks that wpa_supplicant had before are kept, disabled, until this one works: then those of the camera's own
    /// making are removed. When it does not work, it is removed, and they are enabled and joined again.
    public func join(_ network: NetworkCredentials) async throws(PairingFailure) {
        defer { if isHandOverDue { stayOnWanted() } }
        do throws(WiFiError) {
            try await tryToJoin(network)
        } catch {
            log.warning("\(network.networkName) was not joined: \(error)")
            throw error.pairingFailure
        }
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
        let request = try SupplicantNetwork(network, methods: try await supplicant.methods())
        let before = try await supplicant.blocks()
        let current = try await supplicant.currentBlock()
        let block = try await supplicant.add(request)
        do throws(WiFiError) {
            let progress = JoinProgress(interface: interface, offersSAE: request.offersSAE)
            try await follow(progress, of: network, by: block, supplicant, events, feed)
        } catch {
            await restore(before, current: current, without: block, supplicant)
            throw error
        }
        wanted = network
        for old in before where old.isOurs {
            do throws(WiFiError) {
                try await supplicant.remove(old.path)
            } catch {
                log.warning("the network before is still in wpa_supplicant's list, disabled: \(error)")
            }
        }
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

    /// Takes wpa_supplicant back to where it was.
    private func restore(
        _ before: [SupplicantInterface.Block], current: String?, without block: String,
        _ supplicant: SupplicantInterface
    ) async {
        do throws(WiFiError) {
            try await supplicant.remove(block)
            if let current { try await supplicant.select(current) }
            for old in before where old.isEnabled && old.path != current { try await supplicant.enable(old.path) }
        } catch {
            // The network that the camera belongs on is handed over again as soon as there is a wpa_supplicant.
            log.warning("the network before is not restored yet: \(error)")
            isHandOverDue = true
        }
    }
}
