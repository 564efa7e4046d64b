public import Foundation
import HTTPClient
public import Wire

/// A camera's answer to an offer, and the session it opens.
public struct LiveAnswer: Sendable, Hashable {
    /// The answer, with all its candidates.
    public var sdp: String
    /// The address of the session, on the cloud's own origin. Whoever has it can end the session.
    public var session: URL
    /// The STUN and TURN servers that the cloud recommends.
    public var iceServers: [ICEServer]
    /// The entity tag, where the server can restart ICE.
    public var eTag: String?

    /// Describes an answer.
    public init(sdp: String, session: URL, iceServers: [ICEServer] = [], eTag: String? = nil) {
        self.sdp = sdp
        self.session = session
        self.iceServers = iceServers
        self.eTag = eTag
    }
}

extension LiveAnswer {
    init(_ answer: HTTPClient.Answer) throws(CloudError) {
        func refusal(_ reason: String) -> CloudError { .unexpectedAnswer(status: answer.status, reason: reason) }
        let mediaType = (answer["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased()
        guard mediaType.trimmingCharacters(in: .whitespaces) == "application/sdp" else {
            throw refusal("its media type is not application/sdp")
        }
        guard let sdp = String(validating: answer.body, as: UTF8.self), sdp.hasPrefix("v=0") else {
            throw refusal("the body is not a session description")
        }
        guard let location = answer["Location"], let session = URL(string: location, relativeTo: answer.url) else {
            throw refusal("it names no session in Location")
        }
        let url = session.absoluteURL
        guard let origin = try? Origin(cloud: url), origin == (try? Origin(cloud: answer.url)) else {
            throw refusal("its session lies on another server")
        }
        self.init(
            sdp: sdp, session: url, iceServers: answer["Link"].map(LinkHeader.iceServers) ?? [], eTag: answer["ETag"])
    }
}
