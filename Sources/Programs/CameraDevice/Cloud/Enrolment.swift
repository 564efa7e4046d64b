import Basics
import Foundation
import Wire

/// From credentials to a place in the cloud: the one step that pairing over Bluetooth and pairing by QR share.
///
/// The network before is given up when the cloud has been reached over the new one and the registration is on the disk; in
/// every other case the camera goes back to it. So wherever this ends, also by a power cut, the camera has the one network
/// or the other.
struct Enrolment: Sendable {
    /// How far it has come.
    enum Step: Sendable, Equatable {
        /// The camera joins the network.
        case joining
        /// It is on the network and registers.
        case joined
        /// It has failed, and is on the network before again, if there was one.
        case failed(PairingFailure)
    }

    /// A failure, and the cloud that has to be told of it.
    private struct Setback: Error {
        var failure: PairingFailure
        var news: URL?
    }

    /// The last write's answer gets out before the radio moves.
    static let delayBeforeJoining: Duration = .seconds(1)
    /// Joining that takes longer has failed.
    static let joinLimit: Duration = .seconds(60)

    var identity: CameraIdentity
    var directory: StateDirectory
    var joiner: any NetworkJoiner
    var destinations: CameraDestinations
    var registration: CloudRegistration
    var clock: any Clock<Duration>

    private let log = Log("enrolment")

    init(
        identity: CameraIdentity, directory: StateDirectory, joiner: any NetworkJoiner,
        destinations: CameraDestinations, registration: CloudRegistration, clock: any Clock<Duration>
    ) {
        self.identity = identity
        self.directory = directory
        self.joiner = joiner
        self.destinations = destinations
        self.registration = registration
        self.clock = clock
    }

    /// Joins the network, registers, writes the registration down, and keeps the network.
    ///
    /// A failure that the cloud does not know is reported to it where there is another way than the network that was tried,
    /// after `progress` has been told of it: clients that are there learn it at once.
    /// - Parameter progress: Called before each step, and with the failure.
    /// - Returns: The registration, which is on the disk.
    /// - Throws: The failure to show.
    func run(
        _ credentials: PairingCredentials, progress: @Sendable (Step) async -> Void
    ) async throws(PairingFailure) -> RegistrationRecord {
        do throws(Setback) {
            return try await attempt(credentials, progress)
        } catch {
            await progress(.failed(error.failure))
            if let cloud = error.news, !Task.isCancelled, await joiner.hasAnotherWay() {
                await registration.report(error.failure, sessionKey: credentials.sessionKey, to: cloud)
            }
            throw error.failure
        }
    }

    private func attempt(
        _ credentials: PairingCredentials, _ progress: @Sendable (Step) async -> Void
    ) async throws(Setback) -> RegistrationRecord {
        guard let cloud = destinations[credentials.region, credentials.environment] else {
            throw Setback(failure: .unknownDestination)
        }
        await progress(.joining)
        guard (try? await clock.sleep(for: Self.delayBeforeJoining)) != nil else {
            throw Setback(failure: .internalFault)
        }
        var hasJoined = false
        do throws(PairingFailure) {
            try await join(credentials)
            hasJoined = true
            await progress(.joined)
            let record = try await register(credentials, at: cloud)
            await joiner.keep()
            return record
        } catch {
            await joiner.goBack()
            // On the network, only silence is news to the cloud; and without Wi-Fi nothing has changed since.
            let isNews = hasJoined ? error == .cloudUnreachable && joiner.managesWiFi : true
            throw Setback(failure: error, news: isNews ? cloud : nil)
        }
    }

    private func register(
        _ credentials: PairingCredentials, at cloud: URL
    ) async throws(PairingFailure) -> RegistrationRecord {
        let receipt = try await registration.register(sessionKey: credentials.sessionKey, at: cloud)
        let record = RegistrationRecord(
            cloud: cloud, deviceID: identity.deviceID, name: receipt.name, timezoneSettings: receipt.timezoneSettings,
            network: joiner.managesWiFi ? NetworkCredentials(credentials) : nil)
        do throws(CameraError) {
            try record.save(in: directory)
        } catch {
            log.error("\(error)")
            throw .internalFault
        }
        return record
    }

    private func join(_ credentials: PairingCredentials) async throws(PairingFailure) {
        let network = NetworkCredentials(credentials)
        let result: Result<Void, PairingFailure>? = await limited(to: Self.joinLimit, on: clock) { [joiner] in
            do throws(PairingFailure) {
                return .success(try await joiner.join(network))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw .noAddress }
        try result.get()
    }
}
