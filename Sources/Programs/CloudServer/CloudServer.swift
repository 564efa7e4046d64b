import Basics
import Foundation
import WebSockets
public import Wire

/// A self-hosted cloud: one server on one SQLite file.
///
/// Requests are answered concurrently; the live state is in one actor, storage in another on its own queue. Safe from any
/// task. A server that is let go without ``stop()`` closes its sockets by itself.
public final class CloudServer: Sendable {
    /// The host as configured.
    public let host: String
    /// The port that it listens on.
    public let port: Int

    private let store: any Store
    private let cameras: CameraHub
    private let time: ServerTime
    private let credentials: CredentialSource
    private let http: HTTPServer

    /// Opens the data directory, listens, and serves until ``stop()``.
    /// - Throws: ``CloudServerError``; each is one line that says how to mend it.
    public static func start(_ configuration: CloudConfiguration) async throws(CloudServerError) -> CloudServer {
        try configuration.check()
        let pages =
            if let directory = configuration.consoleDirectory { try ConsolePages(directory: directory) } else {
                ConsolePages()
            }
        let path = try DataDirectory.prepare(configuration.dataDirectory)
        let store: any Store
        let time: ServerTime
        do {
            store = try SQLiteStore(path: path.appending(path: "cloud.sqlite").path(percentEncoded: false))
            time = ServerTime(
                clock: configuration.clock, wallTime: configuration.wallTime(),
                notBefore: try await store.newestTimestamp())
        } catch {
            throw CloudServerError(error)
        }
        return try await CloudServer(configuration, store: store, time: time, pages: pages)
    }

    private init(
        _ configuration: CloudConfiguration, store: any Store, time: ServerTime, pages: ConsolePages
    ) async throws(CloudServerError) {
        self.store = store
        self.time = time
        credentials = CredentialSource(randomBytes: configuration.randomBytes)
        cameras = CameraHub(
            clock: configuration.clock, credentials: credentials, answerDeadline: configuration.answerDeadline,
            iceServers: configuration.iceServers)
        let service = CloudService(
            configuration, store: store, cameras: cameras, time: time, credentials: credentials, pages: pages)
        var listening = HTTPServer.Configuration()
        listening.host = configuration.host
        listening.port = configuration.port
        listening.maximumBodyBytes = CloudService.largestBody
        listening.maximumMessageBytes = CloudService.largestMessage
        listening.keepAlive = .seconds(CameraHub.keepAlive)
        do {
            http = try await HTTPServer.start(listening, service: service)
        } catch {
            throw CloudServerError(error, host: configuration.host, port: configuration.port)
        }
        host = http.host
        port = http.port
    }

    /// Tells the cameras to come back later, closes every connection and returns when all is closed. Idempotent.
    public func stop() async {
        await cameras.shutDown()
        await http.stop()
    }

    /// A space and the token that opens it, as they are shown once.
    public struct SpaceCredentials: Sendable, Hashable {
        /// The space's id, as it stands in paths.
        public let spaceId: String
        /// The bearer token; the cloud keeps only its digest.
        public let token: Secret
    }

    /// Makes the first space and its owner's token, if there is no space yet.
    /// - Parameter name: What people call the space.
    /// - Returns: What to hand to the owner, who sees it only now; nil when there is a space already.
    public func bootstrap(spaceNamed name: String) async throws(CloudServerError) -> SpaceCredentials? {
        let (space, token) = newSpace(name)
        do {
            let made = try await store.createFirstSpace(space, token: CredentialDigest(of: token), at: time.now)
            return made ? SpaceCredentials(spaceId: space.id, token: token) : nil
        } catch {
            throw CloudServerError(error)
        }
    }

    /// Makes a space and its owner's token.
    public func createSpace(named name: String) async throws(CloudServerError) -> SpaceCredentials {
        let (space, token) = newSpace(name)
        do {
            try await store.createSpace(space, token: CredentialDigest(of: token), at: time.now)
            return SpaceCredentials(spaceId: space.id, token: token)
        } catch {
            throw CloudServerError(error)
        }
    }

    /// Makes another token for a space, for an owner who has lost theirs.
    public func createToken(spaceId: String) async throws(CloudServerError) -> Secret {
        let token = credentials.token()
        let isKnown: Bool
        do {
            isKnown = try await store.addToken(CredentialDigest(of: token), space: spaceId, at: time.now)
        } catch {
            throw CloudServerError(error)
        }
        guard isKnown else { throw .noSuchSpace(id: spaceId) }
        return token
    }

    /// All spaces, oldest first.
    public func spaces() async throws(CloudServerError) -> [Space] {
        do {
            return try await store.spaces()
        } catch {
            throw CloudServerError(error)
        }
    }

    private func newSpace(_ name: String) -> (Space, Secret) {
        (Space(id: credentials.spaceId(), name: name), credentials.token())
    }
}

extension CloudService {
    init(
        _ configuration: CloudConfiguration, store: any Store, cameras: CameraHub, time: ServerTime,
        credentials: CredentialSource, pages: ConsolePages
    ) {
        table = RouteTable(consolePaths: pages.paths)
        gatekeeper = Gatekeeper(store: store)
        pairing = PairingService(
            store: store, cameras: cameras, time: time, credentials: credentials, region: configuration.region,
            keyLife: configuration.sessionKeyLife)
        devices = DeviceService(store: store, cameras: cameras)
        live = LiveService(store: store, cameras: cameras, iceServers: configuration.iceServers)
        cameraSockets = CameraSocketService(
            store: store, cameras: cameras, time: time, clock: configuration.clock, credentials: credentials)
        self.pages = pages
        self.store = store
    }
}
