import Basics
import Foundation
import HTTPClient
import Wire

/// Registers the camera with its cloud, and reports why a pairing failed.
///
/// Attempts are repeated with full jitter while the cloud gives no answer of its own, within a budget; an answer is
/// final. Redirects are refused, since the session key is for the cloud that was addressed. Safe from any task.
final class CloudRegistration: Sendable {
    /// How long the cloud is waited for.
    struct Patience: Sendable {
        /// Registering, all attempts together.
        var budget: Duration = .seconds(30)
        /// One attempt.
        var attempt: Duration = .seconds(10)
        /// Reporting a failure, all attempts together: the next attempt begins afterwards only.
        var report: Duration = .seconds(10)
    }

    private typealias Answer = HTTPClient.Answer

    /// A longer answer is cut off, and none.
    private static let maximumAnswerBytes = 1 << 16

    private let identity: CameraIdentity
    private let model: String
    private let clock: any Clock<Duration>
    private let random: SharedRandom
    private let patience: Patience
    private let http = HTTPClient()
    private let log = Log("registration")

    /// Registers `identity`.
    init(
        identity: CameraIdentity, model: String, clock: any Clock<Duration>, random: SharedRandom,
        patience: Patience = Patience()
    ) {
        self.identity = identity
        self.model = model
        self.clock = clock
        self.random = random
        self.patience = patience
    }

    /// Registers with the session key.
    /// - Throws: The failure to show to the person who pairs.
    func register(sessionKey: Secret, at cloud: URL) async throws(PairingFailure) -> DeviceRegistrationReceipt {
        let signed = DeviceRegistration.signedBytes(sessionKey: sessionKey, deviceId: identity.deviceID)
        let registration = DeviceRegistration(
            sessionKey: sessionKey, deviceId: identity.deviceID, publicKey: identity.publicKey, model: model,
            signature: identity.signature(for: signed))
        let request = try Self.request(registration, to: cloud.cloudRoute(CloudRoute.registrations))
        let identity = self.identity
        let receipt: Result<DeviceRegistrationReceipt, PairingFailure>? = await repeated(
            request, patience.budget
        ) { answer in
            if answer.status == 201 {
                let receipt = try? JSONDecoder().decode(DeviceRegistrationReceipt.self, from: answer.body)
                guard let receipt, receipt.deviceId == identity.deviceID else { return nil }
                return .success(receipt)
            }
            return Self.failure(of: answer).map(Result.failure)
        }
        guard let receipt else { throw .cloudUnreachable }
        return try receipt.get()
    }

    /// Tells the cloud why the session's credentials were of no use. That it could not be told is logged, and no more:
    /// the client learns the reason by Bluetooth as well.
    func report(_ failure: PairingFailure, sessionKey: Secret, to cloud: URL) async {
        let report = PairingFailureReport(sessionKey: sessionKey, failure: failure)
        guard let request = try? Self.request(report, to: cloud.cloudRoute(CloudRoute.pairingFailures)) else { return }
        let status: Int? = await repeated(request, patience.report) { answer in
            Self.isPassing(answer.status) ? nil : answer.status
        }
        switch status {
        case 204?: log.info("the failed pairing was reported to the cloud")
        case let status?: log.warning("the cloud refused the report of the failed pairing with status \(status)")
        case nil: log.warning("the failed pairing could not be reported: the cloud does not answer")
        }
    }

    /// What an answer means for the person; nil where it is none of the cloud's own, so that trying again makes sense.
    private static func failure(of answer: Answer) -> PairingFailure? {
        guard !isPassing(answer.status), !answer.isRedirection,
            let error = try? JSONDecoder().decode(APIError.self, from: answer.body)
        else {
            return nil
        }
        return switch error.code {
        case .sessionKeyUnknown, .sessionKeyUsed, .sessionKeyExpired: .keyRefused
        // The session is for another camera, or the key is not this one's: no restart mends that, a new pairing does.
        case .forbidden, .badSignature: .keyRefused
        case .deviceClaimed: .alreadyClaimed
        default: .internalFault
        }
    }

    private static func isPassing(_ status: Int) -> Bool { status == 408 || status == 429 || status >= 500 }

    private static func request(_ body: some Encodable, to address: URL) throws(PairingFailure) -> HTTPClient.Request {
        var request = HTTPClient.Request("POST", address, maximumAnswerBytes: maximumAnswerBytes)
        request.headers["Content-Type"] = "application/json"
        do {
            request.body = try JSONEncoder().encode(body)
        } catch {
            throw .internalFault
        }
        return request
    }

    /// Sends a request until `read` makes something of the answer, or the budget is spent (nil).
    private func repeated<Outcome: Sendable>(
        _ request: HTTPClient.Request, _ budget: Duration, read: @Sendable (Answer) -> Outcome?
    ) async -> Outcome? {
        let watch = Stopwatch(clock)
        var backoff = Backoff(limit: .seconds(8))
        while !Task.isCancelled {
            let limit = min(patience.attempt, budget - watch.elapsed)
            guard limit > .zero else { return nil }
            if let answer = await attempt(request, limit), let outcome = read(answer) { return outcome }
            let wait = backoff.next(random)
            guard watch.elapsed + wait < budget, (try? await clock.sleep(for: wait)) != nil else { return nil }
        }
        return nil
    }

    private func attempt(_ request: HTTPClient.Request, _ limit: Duration) async -> Answer? {
        let answer: Answer?? = await limited(to: limit, on: clock) { [http, log] in
            do throws(HTTPClientError) {
                let answer = try await http.send(request)
                guard answer.asksForPassword else { return answer }
                // No cloud does; something stands in between.
                log.info("what answers in the cloud's place asks for a password")
            } catch {
                // Without the address.
                log.info("the cloud did not answer: \(error.reason)")
            }
            return nil
        }
        return answer ?? nil
    }
}
