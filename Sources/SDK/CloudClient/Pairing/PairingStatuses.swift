public import Wire

/// The states of a pairing session, ending with the one in which the camera is in the cloud.
///
/// Made by ``PairingSession/statuses(every:within:)``. Nothing is asked between two calls of `next`.
public struct PairingStatuses: AsyncSequence, Sendable {
    let interval: Duration
    let budget: Duration
    let clock: any Clock<Duration>
    let ask: @Sendable () async throws(CloudError) -> PairingSessionStatus

    /// Starts over, with a new budget.
    public func makeAsyncIterator() -> Iterator {
        Iterator(poll: Poll(interval: interval, budget: budget, clock: clock, ask))
    }

    /// Asks for one state after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var poll: Poll<PairingSessionStatus>
        var isOver = false

        /// The next state; nil after the last.
        /// - Throws: Why the camera will not come.
        public mutating func next() async throws -> PairingSessionStatus? { try await next(isolation: nil) }

        /// The next state; nil after the last.
        /// - Throws: Why the camera will not come.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PairingSessionError) -> PairingSessionStatus? {
            guard !isOver else { return nil }
            do throws(PairingSessionError) {
                let status = try await poll.next()
                isOver = try status.isInTheCloud()
                return status
            } catch {
                isOver = true
                throw error
            }
        }
    }
}

extension PairingSessionStatus {
    /// Whether the camera has registered. Source: seed 001, step 6.
    /// - Throws: Why it will not.
    func isInTheCloud() throws(PairingSessionError) -> Bool {
        if expired { throw .expired }
        if let login, login.status == PairingStep.failure { throw .loginFailed(reason: login.reason) }
        if let pairing, pairing.status == PairingStep.failure { throw .pairingFailed(reason: pairing.reason) }
        guard let step = DeviceAuthStatus(rawValue: status) else { return false }
        switch step {
        case .failed: throw .pairingFailed(reason: "the cloud gave none")
        case .initialized: return false
        case .authenticated, .paired, .activated: return !deviceId.isEmpty
        }
    }
}
