import Basics
import DBus

/// Keeps one advertisement registered at the daemon: the one that is wanted last.
///
/// The daemon is asked one thing at a time, because it frees an advertisement's place only after it has answered. And
/// BlueZ 5.66 does not survive it that an advertisement is taken back, or its program gone, while it is being registered
/// (`client_remove` in src/advertising.c frees it twice), so ``leave(_:)`` waits for that.
/// Confined to the adapter's queue.
final class BlueZAdvertiser: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the adapter's queue only.

    private struct Wanted {
        var properties: [String: BusValue]
        /// Who waits for it to begin; nil when it has.
        var completion: RadioCompletion<Void>?
    }

    private struct Registered {
        var path: String
        var tree: BusObjectTree
        var adapter: String
        /// False for one that is to be replaced.
        var isCurrent = true
        /// Whether the daemon has ended it by itself.
        var isReleased = false
    }

    /// For so long, an adapter may come to be without an interface for advertising: the daemon adds it last.
    static let patience = Duration.seconds(5)

    private let adapter: BlueZAdapter
    private let onRelease: @Sendable () -> Void
    private let log = Log("radio")
    private var wanted: Wanted?
    private var registered: Registered?
    private var isAsking = false
    /// Whether `RegisterAdvertisement` waits for its answer, be it still of interest or not.
    private var isRegistering = false
    private var farewell: (@Sendable () -> Void)?
    /// Whether a renewal was refused: it is tried again when a connection ends.
    private var isPaused = false
    private var alarm: RadioClock.Alarm?
    private var lastNumber = 0
    private var era = 0

    /// - Parameter onRelease: Called when the daemon has ended the advertisement by itself, and goes on without it.
    init(_ adapter: BlueZAdapter, onRelease: @escaping @Sendable () -> Void) {
        self.adapter = adapter
        self.onRelease = onRelease
    }

    // MARK: Wishes

    func start(_ advertisement: Advertisement, _ completion: @escaping RadioCompletion<Void>) {
        guard wanted == nil else { return completion(.failure(.radio(.alreadyAdvertising))) }
        do throws(RadioFailure) {
            wanted = Wanted(properties: try advertisement.registration(), completion: completion)
            registered?.isCurrent = false
            settle()
        } catch {
            completion(.failure(error))
        }
    }

    func stop() {
        guard let stopped = wanted else { return }
        wanted = nil
        isPaused = false
        alarm?.cancel()
        alarm = nil
        registered?.isCurrent = false
        settle()
        stopped.completion?(.failure(.radio(.operationCancelled, "advertising was stopped before it began")))
    }

    /// The radio is off, or the daemon is gone: advertising is over.
    func silence() {
        era += 1
        alarm?.cancel()
        alarm = nil
        isAsking = false
        isPaused = false
        let interrupted = wanted
        wanted = nil
        // What is being registered is taken back when the daemon has answered.
        if let registered, !isRegistering {
            // A daemon that lives keeps it while the radio is off.
            if !registered.isReleased { unregister(registered.path, registered.adapter) }
            registered.tree.close()
        }
        registered = nil
        interrupted?.completion?(.failure(.radio(.operationCancelled, "the radio went off before advertising began")))
    }

    /// Advertising is over for good; `done` is called when this program may leave the bus.
    func leave(_ done: @escaping @Sendable () -> Void) {
        silence()
        if isRegistering { farewell = done } else { done() }
    }

    /// A central has connected, which ends the sending of a connectable advertisement: the kernel does not resume before
    /// the connection ends. Registered anew, it goes on, where the controller can do that.
    func connected() {
        guard wanted != nil, wanted?.completion == nil, registered?.isCurrent == true else { return }
        registered?.isCurrent = false
        settle()
    }

    /// A central has gone: a controller that cannot advertise beside a connection can do so again.
    func disconnected() {
        guard isPaused else { return }
        isPaused = false
        settle()
    }

    // MARK: Doing

    /// Does what is wanted, as far as it can be done now. Called again when the adapter has got its interface.
    func settle() {
        guard !isAsking, !isRegistering else { return }
        if let registered, !registered.isCurrent || wanted == nil {
            takeBack(registered)
        } else if registered == nil, let wanted, !isPaused {
            register(wanted)
        }
    }

    private func takeBack(_ old: Registered) {
        registered = nil
        guard !old.isReleased else {
            old.tree.close()
            return settle()
        }
        isAsking = true
        let era = era
        adapter.call(old.adapter, BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(old.path)]) {
            [weak self] _ in
            // Refused means that it is not there: the same.
            old.tree.close()
            guard let self, self.era == era else { return }
            isAsking = false
            settle()
        }
    }

    private func register(_ advertisement: Wanted) {
        guard let connection = adapter.busConnection, let adapterPath = adapter.path else { return }
        guard adapter.objects?.properties(adapterPath, BlueZ.advertisingManager) != nil else {
            return waitForInterface()
        }
        alarm?.cancel()
        alarm = nil
        lastNumber += 1
        let path = "\(BlueZ.ownRoot)/advertisement\(lastNumber)"
        let number = lastNumber
        let tree: BusObjectTree
        do throws(BusError) {
            tree = try BusObjectTree(connection, root: path)
            try tree.add(
                path, BlueZ.advertisement, properties: advertisement.properties,
                methods: { [weak self] call in
                    guard call.member == "Release" else { return false }
                    call.reply()
                    self?.released(path)
                    return true
                })
        } catch {
            return refused(.radio(.unknown, "the advertisement cannot be published: \(error)"))
        }
        registered = Registered(path: path, tree: tree, adapter: adapterPath)
        isAsking = true
        isRegistering = true
        let era = era
        // Holds `self` until the answer, the end of the bus or 25 s.
        adapter.call(
            adapterPath, BlueZ.advertisingManager, "RegisterAdvertisement", [.path(path), .properties([:])]
        ) { [self] result in
            isRegistering = false
            guard self.era == era else {
                if case .success = result { unregister(path, adapterPath) }
                tree.close()
                farewell?()
                farewell = nil
                return settle()
            }
            isAsking = false
            switch result {
            case .success:
                log.debug("advertisement \(number) is on the air")
                if registered?.isCurrent == true {
                    let completion = wanted?.completion
                    wanted?.completion = nil
                    completion?(.success(()))
                }
            case .failure(let error):
                let isCurrent = registered?.isCurrent == true
                registered = nil
                tree.close()
                if isCurrent { refused(RadioFailure(advertising: error)) }
            }
            settle()
        }
    }

    private func waitForInterface() {
        guard alarm == nil else { return }
        alarm = adapter.clock.after(Self.patience, on: adapter.queue) { [weak self] in
            guard let self else { return }
            alarm = nil
            refused(.radio(.operationNotSupported, "this adapter cannot advertise"))
        }
    }

    private func refused(_ failure: RadioFailure) {
        guard let completion = wanted?.completion else {
            guard wanted != nil else { return }
            isPaused = true
            return log.info("no advertising while a central is connected: \(failure.publicError)")
        }
        wanted = nil
        completion(.failure(failure))
    }

    private func released(_ path: String) {
        guard registered?.path == path else { return }
        registered?.isReleased = true
        // A daemon that ends or loses its adapter says this first. The state that follows tells the rest, so it is asked
        // whether it goes on.
        let era = era
        adapter.call("/", BusName.peer, "Ping") { [weak self] result in
            guard let self, self.era == era, registered?.path == path, case .success = result else { return }
            registered?.tree.close()
            registered = nil
            let wasWanted = wanted
            wanted = nil
            if let completion = wasWanted?.completion {
                completion(.failure(.radio(.unknown, "the Bluetooth daemon ended the advertisement at once")))
            } else if wasWanted != nil {
                onRelease()
            }
            settle()
        }
    }

    private func unregister(_ path: String, _ adapterPath: String) {
        adapter.send(adapterPath, BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(path)])
    }
}
