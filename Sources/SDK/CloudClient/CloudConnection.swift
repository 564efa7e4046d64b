import Basics
import Foundation
import HTTPClient
import Wire

/// One cloud and one caller: where the services send their requests.
///
/// ``InstaSDK`` and ``Factory`` use ``shared``; a program that serves several homes makes one for each. Each request is
/// bounded in time and in the size of its answer, goes past every cache, follows no redirection and carries no cookies.
/// Thread-safe: the account is behind a lock and read once by each call.
public final class CloudConnection: Sendable {
    /// The one that ``InstaSDK`` configures.
    public static let shared = CloudConnection()

    /// The largest answer that is read, in bytes: 1 MiB.
    public static let maximumAnswerBytes = 1 << 20

    private let current: Locked<CloudAccount?>
    private let http = HTTPClient()
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// A connection; nothing is sent before the first call.
    /// - Parameters:
    ///   - account: Which cloud, and as whom; without it calls fail with ``CloudError/notConfigured`` until
    ///     ``configure(_:)``.
    ///   - timeout: How long a call may take from its first byte sent to the last received.
    ///   - clock: Measures the time-out.
    public init(
        _ account: CloudAccount? = nil, timeout: Duration = .seconds(15),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        current = Locked(account)
        self.timeout = timeout
        self.clock = clock
    }

    /// Which cloud later calls go to, and as whom.
    public var account: CloudAccount? { current.withLock { $0 } }

    /// Changes where later calls go. Calls under way finish as they were begun.
    public func configure(_ account: CloudAccount) { current.withLock { $0 = account } }

    /// Pairing sessions.
    public var spaceService: SpaceService { SpaceService(self) }
    /// The devices of a space.
    public var deviceService: DeviceService { DeviceService(self) }
    /// Offers and answers of live views.
    public var liveService: LiveService { LiveService(self) }

    /// Sends a request and accepts an answer with one of `statuses`.
    func send(_ call: CloudCall, expecting statuses: Set<Int>) async throws(CloudError) -> HTTPClient.Answer {
        guard let account else { throw .notConfigured }
        let origin = try Origin(cloud: account.cloud)
        let url = try call.url(on: account.cloud)
        // The clock decides; the client's own limit, in real time, is only the last stop.
        var request = HTTPClient.Request(
            call.method, url, maximumAnswerBytes: Self.maximumAnswerBytes, timeout: timeout + .seconds(60))
        request.body = call.body
        request.headers["Accept"] = call.accept
        request.headers["Content-Type"] = call.contentType
        // A session outlives a change of the account; the new token is none of the old cloud's business.
        if try Origin(cloud: url) == origin {
            request.headers["Authorization"] = "Bearer \(account.token.revealed)"
        }
        let answer = try await transfer(request, host: origin.description).get()
        guard statuses.contains(answer.status) else { throw CloudError(refusal: answer) }
        return answer
    }

    /// Sends a request and reads a value from the JSON of its answer.
    func value<Value: Decodable>(
        _ type: Value.Type, of call: CloudCall, expecting statuses: Set<Int>
    ) async throws(CloudError) -> Value {
        let answer = try await send(call, expecting: statuses)
        do {
            return try JSONDecoder().decode(type, from: answer.body)
        } catch {
            throw .unexpectedAnswer(status: answer.status, reason: "the body is no \(type): \(Self.place(of: error))")
        }
    }

    private func transfer(
        _ request: HTTPClient.Request, host: String
    ) async -> Result<HTTPClient.Answer, CloudError> {
        await withTaskGroup(of: Result<HTTPClient.Answer, CloudError>.self) { group in
            group.addTask { [http] in
                do throws(HTTPClientError) {
                    let answer = try await http.send(request)
                    return CloudError(notFollowing: answer).map { .failure($0) } ?? .success(answer)
                } catch {
                    return .failure(CloudError(error, host: host))
                }
            }
            group.addTask { [clock, timeout] in
                do {
                    try await clock.sleep(for: timeout)
                    return .failure(.timedOut(host: host, after: timeout))
                } catch {
                    return .failure(.cancelled)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
    }

    /// Names the place where decoding failed, without quoting any of the answer.
    private static func place(of error: any Error) -> String {
        func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            let keys = context.codingPath + (last.map { [$0] } ?? [])
            return keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return "\(path(context, key)) is missing"
        case DecodingError.typeMismatch(_, let context): return "\(path(context)) has a wrong type"
        case DecodingError.valueNotFound(_, let context): return "\(path(context)) is null"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(path(context)) has a wrong value"
        default: return "it is not JSON"
        }
    }
}
