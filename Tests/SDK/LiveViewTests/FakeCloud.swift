import Basics
import CloudClient
import Foundation
import WebRTC
import WebSockets
import Wire

/// A cloud with one camera behind it, in this process: real HTTP, and for each offer a real peer connection that films a
/// test picture.
final class FakeCloud: Sendable {
    enum Entry: Sendable, Equatable {
        case offer
        case device
        case delete(path: String)
        case message(DataChannelMessage)
    }

    static let deviceId = "PLC0123456789ABCDEFGHJKMNPQ"

    private let service: Service
    private let server: HTTPServer

    init() async throws {
        service = Service()
        server = try await HTTPServer.start(service: service)
    }

    /// What viewers asked and said, from the beginning. One reader.
    var log: AsyncStream<Entry> { service.log.stream }
    /// Whether something was asked by now.
    func wasAsked(_ entry: Entry) -> Bool { service.state.withLock { $0.asked.contains(entry) } }
    var cameras: [FakeCamera] { service.state.withLock { $0.cameras } }
    var connection: CloudConnection {
        CloudConnection(
            CloudAccount(
                environment: .production, region: .us, cloud: URL(string: "http://127.0.0.1:\(server.port)")!,
                token: Secret("token")))
    }

    /// What the cloud knows of the camera.
    func set(online: Bool = true, privacy: Bool = false) {
        service.state.withLock { state in
            state.device.online = online
            state.device.privacy = privacy
        }
    }

    /// What offers are answered with instead of a camera's answer.
    func refuseOffers(status: Int, _ error: APIError) throws {
        let response = HTTPResponse(status: status, body: try JSONEncoder().encode(error))
        service.state.withLock { $0.refusal = response }
    }

    /// Whether the camera answers, and then is never heard of again.
    func dieAfterAnswering() { service.state.withLock { $0.dies = true } }

    func stop() async {
        for camera in cameras { await camera.close() }
        await service.source.stopCapture()
        await server.stop()
    }
}

private final class Service: HTTPService {
    struct State {
        var device = DeviceModel(
            deviceId: FakeCloud.deviceId, spaceId: "home", name: "Door", model: "Reference", pairingStatus: .paired,
            online: true, asleep: false, privacy: false, publicKey: "")
        var cameras: [FakeCamera] = []
        var refusal: HTTPResponse?
        var dies = false
        var asked: [FakeCloud.Entry] = []
    }

    let state = Locked(State())
    let log = AsyncStream<FakeCloud.Entry>.makeStream()
    let source: RTCVideoSource
    private let factory = RTCPeerConnectionFactory()

    init() {
        var settings = RTCVideoSourceSettings(capture: .testPattern(name: "Door"))
        settings.width = 320
        settings.height = 240
        settings.bitrate = 300_000
        source = factory.videoSource(with: settings)
    }

    private func note(_ entry: FakeCloud.Entry) {
        state.withLock { $0.asked.append(entry) }
        log.continuation.yield(entry)
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        do {
            switch (request.method, request.path) {
            case ("POST", CloudRoute.live(space: "home", device: FakeCloud.deviceId)):
                note(.offer)
                if let refusal = state.withLock({ $0.refusal }) { return refusal }
                return try await answer(request)
            case ("GET", CloudRoute.device(space: "home", device: FakeCloud.deviceId)):
                note(.device)
                return HTTPResponse(status: 200, body: try JSONEncoder().encode(state.withLock { $0.device }))
            case ("DELETE", let path):
                note(.delete(path: path))
                return HTTPResponse(status: 204)
            default: return HTTPResponse(status: 405)
            }
        } catch {
            return HTTPResponse(status: 500, body: Data("\(error)".utf8))
        }
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        try source.startCapture()
        let track = factory.videoTrack(with: source, trackId: "camera")
        let camera = try FakeCamera(factory: factory, track: track) { [log] in log.continuation.yield(.message($0)) }
        let number = state.withLock { state in
            state.cameras.append(camera)
            return state.cameras.count
        }
        let answer = try await camera.answer(String(decoding: request.body, as: UTF8.self))
        if state.withLock({ $0.dies }) { await camera.close() }
        return HTTPResponse(
            status: 201,
            headers: ["Content-Type": "application/sdp", "Location": CloudRoute.liveSession("session-\(number)")],
            body: Data(answer.utf8))
    }
}
