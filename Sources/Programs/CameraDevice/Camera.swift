import Basics
import Foundation
import WebRTC
public import Wire

/// A camera: waits to be paired over Bluetooth, then serves live views through its cloud, until it is stopped.
///
/// ```swift
/// let camera = Camera(CameraConfiguration(stateDirectory: path, destinations: try CameraDestinations(everywhere: url)))
/// try await camera.start()
/// for await event in camera.events { print(event) }
/// ```
///
/// It pairs while its state directory holds no registration, and again after its owner has removed it from the space.
/// State is the actor's.
public actor Camera {
    /// The service stays this long after pairing, so that a client that stayed connected reads the good news.
    static let farewell: Duration = .seconds(5)

    private struct Parts: Sendable {
        var directory: StateDirectory
        var identity: CameraIdentity
        /// For the protected layout.
        var verifiers: PasswordVerifiers?
        var factory: RTCPeerConnectionFactory
        var random: SharedRandom
    }

    /// What happens, for one consumer; ends when the camera has stopped, also after ``CameraEvent/failed(_:)``. The newest 256 wait for a consumer that lags.
    public nonisolated let events: AsyncStream<CameraEvent>
    private nonisolated let yield: AsyncStream<CameraEvent>.Continuation

    private nonisolated let configuration: CameraConfiguration
    private nonisolated let log = Log("camera")
    private var hasStarted = false
    private var isStopped = false
    private var parts: Parts?
    private var peripheral: PairingPeripheral?
    private var live: LiveSessions?
    private var running: Task<Void, Never>?
    private var retiring: Task<Void, Never>?

    /// A camera, not started.
    public init(_ configuration: CameraConfiguration) {
        self.configuration = configuration
        (events, yield) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    /// The camera's id; nil before ``start()``.
    public var deviceID: DeviceID? { parts?.identity.deviceID }

    /// Reads or makes the identity, warms the media engine, and advertises, or connects to the cloud when paired.
    ///
    /// Returns once the camera can be found over Bluetooth, or has been told to connect. Once only: a stopped camera is
    /// not started again.
    public func start() async throws(CameraError) {
        guard !hasStarted else { throw .alreadyStarted }
        hasStarted = true
        do throws(CameraError) {
            try await open()
        } catch {
            parts = nil
            yield.finish()
            throw isStopped ? .stopped : error
        }
    }

    /// Ends live sessions with a word to their viewers, gives back radio, lens and state directory, and ends ``events``.
    public func stop() async {
        (hasStarted, isStopped) = (true, true)
        await live?.close(reason: "The camera was switched off.")
        running?.cancel()
        await running?.value
        running = nil
        await release()
        yield.finish()
    }

    /// Gives back what the camera holds. Nothing serves or pairs any more.
    private func release() async {
        retiring?.cancel()
        await retiring?.value
        retiring = nil
        await peripheral?.stop()
        (peripheral, live, parts) = (nil, nil, nil)
    }

    private func open() async throws(CameraError) {
        guard (1...32).contains(configuration.model.utf8.count) else { throw .badModelName }
        let directory = try StateDirectory(path: configuration.stateDirectory)
        let identity = try CameraIdentity.loaded(from: directory)
        let record = try RegistrationRecord.loaded(from: directory, for: identity)
        var verifiers: PasswordVerifiers?
        var code: SetupCode?
        if configuration.offersProtectedPairing {
            (verifiers, code) = try PasswordVerifiers.loaded(
                from: directory, for: identity, renewing: configuration.renewsSetupCode)
        }
        let settings = try VideoCapture.settings(for: configuration, name: "")
        let factory = RTCPeerConnectionFactory()
        do throws(WebRTCError) {
            try await factory.warmUp()
            try await factory.checkCapture(with: settings)
        } catch {
            if case .missingElement(let name, let package) = error {
                throw .missingElement(name: name, package: package)
            }
            if case .captureFailed(let source, let reason) = error { throw .noVideo(reason: "\(source): \(reason)") }
            throw .noVideo(reason: error.description)
        }
        let parts = Parts(
            directory: directory, identity: identity, verifiers: verifiers, factory: factory,
            random: SharedRandom(configuration.generator))
        self.parts = parts
        let waiting = record == nil ? try await advertise(parts) : nil
        guard !isStopped else {
            await waiting?.stop()
            throw .stopped
        }
        // Kept only now, since a start that fails tells nobody what the code is.
        if let code, let verifiers {
            do throws(CameraError) {
                try verifiers.save(in: directory)
            } catch {
                await waiting?.stop()
                throw error
            }
            yield.yield(.setupCode(code))
        }
        yield.yield(.filming(VideoCapture.source(of: settings, for: configuration.videoInput)))
        yield.yield(.networks(configuration.networks.summary))
        if configuration.networks.managesWiFi { await configuration.networks.resume(record?.network) }
        running = Task { [weak self] in
            await self?.run(record)
        }
    }

    /// Runs until the task is cancelled, or the camera cannot go on. Then everything is given back before anybody hears
    /// of the failure, so that whoever hears of it can start another camera at once.
    private func run(_ first: RegistrationRecord?) async {
        do throws(CameraError) {
            try await pairAndServe(first)
        } catch {
            log.error("\(error)")
            isStopped = true
            await release()
            yield.yield(.failed(error))
            yield.finish()
        }
    }

    private func pairAndServe(_ first: RegistrationRecord?) async throws(CameraError) {
        // Held no longer than this runs: with the parts, the state directory is free for another camera.
        guard let parts else { return }
        var record = first
        while !Task.isCancelled {
            if let paired = record {
                guard try await serve(parts, paired) == .removed else { break }
                try RegistrationRecord.remove(from: parts.directory)
                record = nil
                yield.yield(.removed)
            } else {
                record = try await pair(parts)
            }
        }
    }

    // MARK: Pairing

    private func advertise(_ parts: Parts) async throws(CameraError) -> PairingPeripheral {
        let peripheral = try PairingPeripheral(
            identity: parts.identity, model: configuration.model, layouts: configuration.offeredLayouts,
            verifiers: parts.verifiers, requiresSetupCode: configuration.requiresSetupCode,
            joiner: configuration.networks, clock: configuration.clock, options: configuration.radioOptions)
        // Before it waits for its radio, so that who stops the camera ends the wait.
        self.peripheral = peripheral
        do throws(CameraError) {
            try await peripheral.start()
        } catch {
            self.peripheral = nil
            await peripheral.stop()
            throw error
        }
        return peripheral
    }

    /// Pairs over Bluetooth.
    /// - Returns: The registration, written; nil when the task was cancelled.
    private func pair(_ parts: Parts) async throws(CameraError) -> RegistrationRecord? {
        let peripheral: PairingPeripheral
        if let waiting = self.peripheral {
            peripheral = waiting
        } else {
            peripheral = try await advertise(parts)
        }
        let record = await paired(parts, over: peripheral)
        self.peripheral = nil
        if record != nil {
            retiring = Task { [clock = configuration.clock] in
                try? await clock.sleep(for: Self.farewell)
                await peripheral.stop()
            }
        } else {
            await peripheral.stop()
        }
        return record
    }

    private nonisolated func paired(_ parts: Parts, over peripheral: PairingPeripheral) async -> RegistrationRecord? {
        let (attempts, attempt) = AsyncStream<PairingCredentials>.makeStream()
        return await withTaskGroup(of: RegistrationRecord?.self) { group in
            group.addTask { [yield] in
                for await output in peripheral.outputs {
                    switch output {
                    case .advertising(let name): yield.yield(.advertising(name: name))
                    case .clientConnected: yield.yield(.clientConnected)
                    case .clientDisconnected: yield.yield(.clientDisconnected)
                    case .credentials(let credentials):
                        yield.yield(.credentialsReceived(ssid: credentials.networkName))
                        attempt.yield(credentials)
                    case .note(.wrongSetupCode(let left)): yield.yield(.setupCodeWrong(triesLeft: left))
                    case .note(.locked(let time)): yield.yield(.pairingLocked(time))
                    case .note(.ended): yield.yield(.pairingEnded)
                    }
                }
                return nil
            }
            group.addTask {
                for await credentials in attempts {
                    if let record = await self.enrol(parts, with: credentials, over: peripheral) { return record }
                }
                return nil
            }
            // Both end without a record only when the radio was given back or the task was cancelled.
            let record = await group.next() ?? nil
            group.cancelAll()
            return record
        }
    }

    /// One attempt: joins, registers, and writes the registration down before anybody hears of it.
    private nonisolated func enrol(
        _ parts: Parts, with credentials: PairingCredentials, over peripheral: PairingPeripheral
    ) async -> RegistrationRecord? {
        let enrolment = Enrolment(
            identity: parts.identity, directory: parts.directory, joiner: configuration.networks,
            destinations: configuration.destinations,
            registration: CloudRegistration(
                identity: parts.identity, model: configuration.model, clock: configuration.clock, random: parts.random),
            clock: configuration.clock)
        do throws(PairingFailure) {
            let record = try await enrolment.run(credentials) { [yield] step in
                switch step {
                case .joining: yield.yield(.joining(ssid: credentials.networkName))
                case .joined:
                    yield.yield(.joined(ssid: credentials.networkName))
                    peripheral.attempt(.joined)
                case .failed(let failure):
                    yield.yield(.pairingFailed(failure))
                    peripheral.attempt(.failed(failure))
                }
            }
            yield.yield(.registered(name: record.name))
            peripheral.attempt(.registered)
            return record
        } catch {
            // It has been told already.
            return nil
        }
    }

    // MARK: Serving

    /// Serves live views through the cloud until the device is removed or the task is cancelled.
    private func serve(_ parts: Parts, _ record: RegistrationRecord) async throws(CameraError) -> CameraSocket.Ending {
        let settings = try VideoCapture.settings(for: configuration, name: record.name)
        let capture = VideoCapture(
            parts.factory, settings: settings, clock: configuration.clock, random: parts.random)
        let live = LiveSessions(parts.factory, capture: capture, configuration: configuration)
        self.live = live
        let socket = CameraSocket(
            cloud: record.cloud, identity: parts.identity, clock: configuration.clock, random: parts.random,
            handler: ServingHandler(live: live, events: yield))
        let ending = await Self.serve(socket, live, capture, yield)
        self.live = nil
        return ending
    }

    private nonisolated static func serve(
        _ socket: CameraSocket, _ live: LiveSessions, _ capture: VideoCapture,
        _ events: AsyncStream<CameraEvent>.Continuation
    ) async -> CameraSocket.Ending {
        await withTaskGroup(of: CameraSocket.Ending?.self) { group in
            group.addTask {
                await capture.run { await live.endAll(.streamFailed(reason: "The camera has no picture.")) }
                return nil
            }
            group.addTask {
                for await event in live.events {
                    switch event {
                    // Without the session: its id is what authorises a viewer to end it.
                    case .joined(_, let viewers): events.yield(.viewerJoined(viewers: viewers))
                    case .left(_, let viewers): events.yield(.viewerLeft(viewers: viewers))
                    case .ended(let session): socket.send(sessionEnded: session)
                    }
                }
                return nil
            }
            group.addTask { await socket.run() }
            var ending = CameraSocket.Ending.stopped
            for await result in group {
                guard let result else { continue }
                ending = result
                break
            }
            await live.close(reason: "The camera was removed from its space.")
            group.cancelAll()
            return ending
        }
    }
}

/// Carries what the socket hears to the live sessions and the camera's events.
private struct ServingHandler: CameraSocketHandler {
    var live: LiveSessions
    var events: AsyncStream<CameraEvent>.Continuation

    func socketCameOnline() async { events.yield(.online) }

    func socketWentOffline(reason: String, retryIn wait: Duration) async {
        events.yield(.offline(reason: reason, retryIn: wait))
    }

    func answer(to offer: LiveOffer) async -> Result<String, LiveRefusal> { await live.answer(to: offer) }

    func sessionEnded(_ session: String) async { await live.end(session) }
}
