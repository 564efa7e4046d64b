import Foundation
public import Wire

/// A pairing session, followed to its end with `async`.
///
/// This goes beyond the documented calls: it polls ``SpaceService`` and ``DeviceService`` and knows when to stop. Answers
/// that do not come and servers that are busy are asked again within the budget; everything else ends the wait. Time
/// passes on the clock that was handed in; cancelling the calling task ends the wait with
/// `PairingSessionError.cloud(.cancelled)`.
public struct PairingSession: Sendable {
    /// The pause between two questions. Source: seed 001, step 6.
    public static let interval = Duration.seconds(3)
    /// How long a camera may take from its credentials to the cloud. Source: seed 001, step 6.
    public static let budget = Duration.seconds(180)

    /// The space that the camera joins.
    public let spaceId: String
    private let sessionKey: Secret
    private let connection: CloudConnection
    private let clock: any Clock<Duration>

    /// Follows the session of `sessionKey`.
    public init(
        spaceId: String, sessionKey: String, connection: CloudConnection = .shared,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.spaceId = spaceId
        self.sessionKey = Secret(sessionKey)
        self.connection = connection
        self.clock = clock
    }

    /// The session's states, the first at once and then one every `interval`, up to and including the one in which the
    /// camera is in the cloud.
    ///
    /// - Parameter budget: Counted from the first question.
    /// - Returns: A sequence that throws ``PairingSessionError``.
    public func statuses(every interval: Duration = interval, within budget: Duration = budget) -> PairingStatuses {
        PairingStatuses(interval: interval, budget: budget, clock: clock) { () async throws(CloudError) in
            try await connection.spaceService.getPairingSessionStatus(
                spaceId: spaceId, sessionKey: sessionKey.revealed)
        }
    }

    /// Waits until the camera is in the cloud.
    /// - Returns: Its device id.
    public func deviceId(
        every interval: Duration = interval, within budget: Duration = budget
    ) async throws(PairingSessionError) -> String {
        var iterator = statuses(every: interval, within: budget).makeAsyncIterator()
        var last = ""
        while let status = try await iterator.next(isolation: nil) { last = status.deviceId }
        return last
    }

    /// Waits until a device that is in the cloud is usable.
    /// - Returns: The device, `paired` or `activated`.
    public func pairedDevice(
        deviceId: String, every interval: Duration = interval, within budget: Duration = budget
    ) async throws(PairingSessionError) -> DeviceModel {
        var poll = Poll(interval: interval, budget: budget, clock: clock) { () async throws(CloudError) in
            try await connection.deviceService.device(spaceId: spaceId, deviceId: deviceId)
        }
        while true {
            let device = try await poll.next()
            switch device.pairingStatus {
            case .paired, .activated: return device
            case .failed: throw .pairingFailed(reason: "the cloud gave up on the camera")
            case .initialized, .authenticated: continue
            }
        }
    }
}
