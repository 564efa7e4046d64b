import Basics
import Foundation
import Wire

/// The live state of the cloud: which cameras are connected, which offers wait for an answer, which views are open.
///
/// One actor, so that 'connected' has one meaning. Nothing in it outlives the process.
actor CameraHub {
    /// One connection of a camera; a later connection of the same camera is another.
    struct Attachment: Sendable, Hashable {
        let device: DeviceID
        fileprivate let number: Int
    }

    /// What a viewer gets.
    struct LiveAnswer: Sendable, Hashable {
        var session: String
        var sdp: String
    }

    /// Why there is no answer for a viewer.
    enum LiveFailure: Error, Sendable, Hashable {
        /// The camera is not connected, or its connection ended while the offer waited.
        case offline
        /// The camera did not answer in time.
        case timeout
        /// The camera answered that it cannot.
        case refused(reason: String)
        /// Too many offers wait for this camera.
        case busy
        /// The viewer has gone.
        case cancelled
    }

    private struct Connection {
        var attachment: Attachment
        var link: any CameraLink
        /// Offers reach it behind its welcome.
        var isWelcome = false
    }

    private struct PendingOffer {
        var attachment: Attachment
        var session: String
        var message: CloudSocketMessage
        var continuation: CheckedContinuation<Result<String, LiveFailure>, Never>
    }

    /// How many offers may wait for one camera.
    static let mostPendingOffers = 16
    /// How many views of one camera are remembered; the oldest gives way, since its viewer most likely left without
    /// saying so.
    static let mostSessions = 64
    /// The longest answer that is relayed, in bytes.
    static let longestAnswer = 128 << 10
    /// How often a camera pings when it has heard nothing, in seconds: below the 60 s at which proxies cut.
    static let keepAlive = 55

    private let clock: any Clock<Duration>
    private let credentials: CredentialSource
    private let answerDeadline: Duration
    private let iceServers: [ICEServer]
    private let log = Log("cloud.cameras")

    private var connections: [DeviceID: Connection] = [:]
    private var pending: [String: PendingOffer] = [:]
    private var sessions: [String: DeviceID] = [:]
    private var sessionsByAge: [DeviceID: [String]] = [:]
    /// Views that ended while their camera could not be reached: it still films for them. At most ``mostSessions`` of a
    /// camera; the oldest gives way.
    private var owedEnds: [DeviceID: [String]] = [:]
    private var lastNumber = 0

    init(
        clock: any Clock<Duration>, credentials: CredentialSource, answerDeadline: Duration, iceServers: [ICEServer]
    ) {
        self.clock = clock
        self.credentials = credentials
        self.answerDeadline = answerDeadline
        self.iceServers = iceServers
    }

    // MARK: Presence

    /// The cameras that are connected.
    var online: Set<DeviceID> { Set(connections.keys) }

    /// Whether a camera is connected.
    func isOnline(_ device: DeviceID) -> Bool { connections[device] != nil }

    /// Takes in a camera that has proved its key. Offers are taken for it from now on, and reach it behind its welcome. An
    /// older connection of the same camera is closed: it is most likely a dead one that nobody has noticed yet.
    func connect(_ device: DeviceID, by link: any CameraLink) -> Attachment {
        lastNumber += 1
        let attachment = Attachment(device: device, number: lastNumber)
        if let older = connections.removeValue(forKey: device) {
            failOffers(of: older.attachment)
            older.link.close(.replaced)
        }
        connections[device] = Connection(attachment: attachment, link: link)
        log.info("camera \(device) is online")
        return attachment
    }

    /// Welcomes a camera that is connected, tells it which views ended while it was away, and hands it the offers that
    /// wait for it. Nothing happens when another
    /// connection has taken its place.
    func welcome(_ attachment: Attachment) {
        guard let connection = connections[attachment.device], connection.attachment == attachment else { return }
        connections[attachment.device]?.isWelcome = true
        _ = connection.link.send(.welcome(keepAlive: Self.keepAlive))
        let ended = owedEnds.removeValue(forKey: attachment.device) ?? []
        for session in ended { tellEnd(of: session, to: attachment.device) }
        for (id, offer) in pending where offer.attachment == attachment { send(id, by: connection.link) }
    }

    /// Notes that a connection has ended. What waited for it fails at once. Its open views stay known: media flows
    /// without the cloud, and the camera may be back before the viewer leaves.
    func disconnect(_ attachment: Attachment) {
        failOffers(of: attachment)
        guard connections[attachment.device]?.attachment == attachment else { return }
        connections[attachment.device] = nil
        log.info("camera \(attachment.device) is offline")
    }

    /// Makes a connected camera connect again at once.
    func reconnect(_ device: DeviceID) {
        guard let connection = connections.removeValue(forKey: device) else { return }
        failOffers(of: connection.attachment)
        _ = connection.link.send(.goAway(retryAfter: 0))
        connection.link.close(.reconnect)
    }

    /// Tells every camera to come back later, each at another moment, and ends all connections.
    func shutDown() {
        for connection in connections.values {
            failOffers(of: connection.attachment)
            _ = connection.link.send(.goAway(retryAfter: Int.random(in: 1000...5000)))
            connection.link.close(.goingAway)
        }
        connections = [:]
    }

    // MARK: Live views

    /// Hands a viewer's offer to a camera and waits for the answer.
    func openLive(_ device: DeviceID, offer sdp: String) async throws(LiveFailure) -> LiveAnswer {
        guard let attachment = connections[device]?.attachment else { throw .offline }
        guard pending.values.count(where: { $0.attachment.device == device }) < Self.mostPendingOffers else {
            throw .busy
        }
        let id = credentials.address()
        let session = credentials.address()
        let offer = CloudSocketMessage.offer(
            id: id, session: session, sdp: sdp, iceServers: iceServers,
            deadline: Int(answerDeadline / .milliseconds(1)))
        let deadline = Task { [clock, answerDeadline] in
            try await clock.sleep(for: answerDeadline)
            self.settle(id, .failure(.timeout))
        }
        defer { deadline.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending[id] = PendingOffer(
                    attachment: attachment, session: session, message: offer, continuation: continuation)
                if let connection = connections[device], connection.isWelcome { send(id, by: connection.link) }
            }
        } onCancel: {
            Task { await self.settle(id, .failure(.cancelled)) }
        }
        let answer = try result.get()
        remember(session, of: device)
        return LiveAnswer(session: session, sdp: answer)
    }

    /// Ends a view, whose camera hears of it now or when it is back; false when there is none with this address.
    func endLive(_ session: String) -> Bool {
        guard let device = sessions[session] else { return false }
        forget(session)
        tellEnd(of: session, to: device)
        return true
    }

    /// Hears a camera that is connected. What belongs to another camera's offers or views is not touched.
    /// - Throws: What to tell the camera before its connection is ended.
    func receive(_ message: CameraSocketMessage, from attachment: Attachment) throws(APIError) {
        switch message {
        case .answer(let id, let sdp):
            guard sdp.utf8.count <= Self.longestAnswer else {
                throw APIError(code: .badField, message: "The answer is longer than 128 KiB.", field: "sdp")
            }
            settle(id, .success(sdp), from: attachment)
        case .failure(let id, let reason):
            settle(id, .failure(.refused(reason: String(reason.prefix(200)))), from: attachment)
        case .sessionEnded(let session):
            if sessions[session] == attachment.device { forget(session) }
        case .hello, .proof:
            throw APIError(code: .badField, message: "The handshake is over.", field: "type")
        }
    }

    // MARK: Parts

    /// Tells a camera that a view has ended, or notes that it has to be told.
    private func tellEnd(of session: String, to device: DeviceID) {
        if let connection = connections[device], connection.isWelcome,
            connection.link.send(.endSession(session: session))
        {
            return
        }
        owedEnds[device, default: []].append(session)
        if let all = owedEnds[device], all.count > Self.mostSessions { owedEnds[device] = Array(all.dropFirst()) }
    }

    private func send(_ id: String, by link: any CameraLink) {
        if let offer = pending[id], !link.send(offer.message) { settle(id, .failure(.offline)) }
    }

    private func settle(_ id: String, _ result: Result<String, LiveFailure>, from attachment: Attachment? = nil) {
        guard let offer = pending[id], attachment == nil || offer.attachment == attachment else { return }
        pending[id] = nil
        switch result {
        case .failure(.timeout), .failure(.cancelled):
            // The camera may be about to answer, and would keep a view open that nobody watches.
            guard connections[offer.attachment.device]?.isWelcome == true else { break }
            tellEnd(of: offer.session, to: offer.attachment.device)
        case .success, .failure: break
        }
        offer.continuation.resume(returning: result)
    }

    private func failOffers(of attachment: Attachment) {
        for (id, offer) in pending where offer.attachment == attachment { settle(id, .failure(.offline)) }
    }

    private func remember(_ session: String, of device: DeviceID) {
        sessions[session] = device
        sessionsByAge[device, default: []].append(session)
        if let all = sessionsByAge[device], all.count > Self.mostSessions, let oldest = all.first { forget(oldest) }
    }

    private func forget(_ session: String) {
        guard let device = sessions.removeValue(forKey: session) else { return }
        sessionsByAge[device]?.removeAll { $0 == session }
        if sessionsByAge[device]?.isEmpty == true { sessionsByAge[device] = nil }
    }
}
