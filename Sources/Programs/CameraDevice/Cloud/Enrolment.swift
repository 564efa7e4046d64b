import Foundation
import Wire

/// From credentials to a place in the cloud: the one step that pairing over Bluetooth and pairing by QR share.
struct Enrolment: Sendable {
    /// How far it has come.
    enum Step: Sendable, Equatable {
        /// The camera joins the network.
        case joining
        /// It is on the network and registers.
        case joined
    }

    /// The last write's answer gets out before the radio moves.
    static let delayBeforeJoining: Duration = .seconds(1)
    /// Joining that takes longer has failed.
    static let joinLimit: Duration = .seconds(60)

    var identity: CameraIdentity
    var joiner: any NetworkJoiner
    var destinations: CameraDestinations
    var registration: CloudRegistration
    var clock: any Clock<Duration>

    /// Joins the network and registers.
    /// - Parameter progress: Called before each step.
    /// - Returns: What to remember; it has not been written yet.
    /// - Throws: The failure to show. A network that could not be joined is reported to the cloud as well where the camera
    ///   does not depend on that network.
    func run(
        _ credentials: PairingCredentials, progress: @Sendable (Step) async -> Void
    ) async throws(PairingFailure) -> RegistrationRecord {
        guard let cloud = destinations[credentials.region, credentials.environment] else {
            throw .unknownDestination
        }
        await progress(.joining)
        guard (try? await clock.sleep(for: Self.delayBeforeJoining)) != nil else { throw .internalFault }
        do throws(PairingFailure) {
            try await join(credentials)
        } catch {
            if await joiner.hasAnotherWay() {
                await registration.report(error, sessionKey: credentials.sessionKey, to: cloud)
            }
            throw error
        }
        await progress(.joined)
        let receipt = try await registration.register(sessionKey: credentials.sessionKey, at: cloud)
        return RegistrationRecord(
            cloud: cloud, deviceID: identity.deviceID, name: receipt.name, timezoneSettings: receipt.timezoneSettings,
            network: joiner.managesWiFi ? NetworkCredentials(credentials) : nil)
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
