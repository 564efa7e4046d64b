internal import Basics
import CGStreamer

/// One `webrtcbin` in a pipeline of its own: the C side of a peer connection.
///
/// Everything may be called from any thread but those of GStreamer. Events are delivered on GStreamer's threads, and the
/// receiver hops to its own queue. Element pads and transceivers that are handed out live as long as this object.
final class WebRTCBin: Sendable {
    /// What the engine reports by itself.
    enum Event: Sendable {
        case signalingStateChanged
        case iceConnectionStateChanged
        case iceGatheringStateChanged
        case connectionStateChanged
        case candidate(line: UInt32, String)
        /// The pad where a stream comes out, and the transceiver it belongs to.
        case receiving(Pad, OwnedObject)
        /// A channel that the peer opened, before anything can arrive on it.
        case channelPrepared(OwnedObject)
        /// The same channel, open.
        case channelOpened(OwnedObject)
        case failed(String)
    }

    private let pipeline: Pipeline
    private let element: Element
    private let connections = Locked<[SignalConnection]>([])

    /// Makes the element and starts its pipeline.
    /// - Throws: ``WebRTCError/missingElement(name:debianPackage:)`` or
    ///   ``WebRTCError/invalidConfiguration(reason:)``.
    init(_ configuration: RTCConfiguration, onEvent: @escaping @Sendable (Event) -> Void) throws(WebRTCError) {
        pipeline = Pipeline { onEvent(.failed($0)) }
        element = try Element(
            "webrtcbin",
            [
                "bundle-policy": "max-bundle", "latency": String(configuration.jitterBufferMilliseconds),
                "ice-transport-policy": configuration.iceTransportPolicy == .relay ? "relay" : "all",
            ])
        pipeline.add(element)
        pipeline.countFromEpoch()
        try configureIce(configuration)
        listen(onEvent)
        guard pipeline.play() else {
            throw .negotiationFailed(reason: "webrtcbin does not start")
        }
    }

    deinit { shutDown() }

    /// Ends everything. Waits for GStreamer's threads.
    func shutDown() {
        let connections = self.connections.withLock { connections in
            defer { connections = [] }
            return connections
        }
        for connection in connections { connection.disconnect() }
        pipeline.shutDown()
    }

    private func configureIce(_ configuration: RTCConfiguration) throws(WebRTCError) {
        for server in configuration.iceServers {
            for url in server.urlStrings {
                switch try IceServerURL(url, of: server) {
                case .stun(let text): element.set("stun-server", text: text)
                case .turn(let text):
                    guard pl_add_turn_server(element.raw, text) != 0 else {
                        throw .invalidConfiguration(reason: "the TURN server \(url) is refused")
                    }
                }
            }
        }
        guard let ice = pl_get_object(element.raw, "ice-agent") else { return }
        let agentOwner = OwnedObject(adopting: ice)
        if LocalAddresses.onlyLoopback { _ = pl_add_local_address(agentOwner.pointer, "127.0.0.1") }
        if pl_has_property(agentOwner.pointer, "agent") != 0, let agent = pl_get_object(agentOwner.pointer, "agent") {
            let owner = OwnedObject(adopting: agent)
            // Looking for a UPnP router costs 200 ms of each gathering.
            pl_set_boolean(owner.pointer, "upnp", 0)
            // Keep-alives that want an answer: without them a peer that vanishes is never missed.
            pl_set_boolean(owner.pointer, "keepalive-conncheck", 1)
        }
    }

    private func listen(_ onEvent: @escaping @Sendable (Event) -> Void) {
        let raw = element.raw
        let made = [
            SignalConnection(raw, property: "signaling-state") { onEvent(.signalingStateChanged) },
            SignalConnection(raw, property: "ice-connection-state") { onEvent(.iceConnectionStateChanged) },
            SignalConnection(raw, property: "ice-gathering-state") { onEvent(.iceGatheringStateChanged) },
            SignalConnection(raw, property: "connection-state") { onEvent(.connectionStateChanged) },
            SignalConnection(raw, numberAndText: "on-ice-candidate") { onEvent(.candidate(line: $0, $1)) },
            SignalConnection(raw, pointer: "pad-added") { pointer in
                guard let pointer else { return }
                let pad = Pad(retaining: pointer.assumingMemoryBound(to: GstPad.self))
                guard pad.pointer.pointee.direction == GST_PAD_SRC,
                    let transceiver = pl_get_object(pointer, "transceiver").map(OwnedObject.init(adopting:))
                else { return }
                onEvent(.receiving(pad, transceiver))
            },
            SignalConnection(raw, pointerAndFlag: "prepare-data-channel") { pointer, isLocal in
                if let pointer, !isLocal { onEvent(.channelPrepared(OwnedObject(retaining: pointer))) }
            },
            SignalConnection(raw, pointer: "on-data-channel") { pointer in
                if let pointer { onEvent(.channelOpened(OwnedObject(retaining: pointer))) }
            },
        ]
        connections.withLock { $0 = made }
    }

    // MARK: - State

    /// A state property's number.
    func state(_ property: String) -> Int { Int(pl_get_int(element.raw, property)) }

    /// The text of the local description with the candidates that are known by now.
    var localDescription: String? {
        guard let description = pl_get_description(element.raw, "local-description") else { return nil }
        defer { gst_webrtc_session_description_free(description) }
        return Self.text(of: description)
    }

    private static func text(of description: UnsafeMutablePointer<GstWebRTCSessionDescription>) -> String? {
        guard let text = gst_sdp_message_as_text(description.pointee.sdp) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    // MARK: - Negotiation

    /// Makes an offer or an answer.
    func create(_ type: RTCSdpType) async throws(WebRTCError) -> String {
        let name = type == .offer ? "offer" : "answer"
        let text: String? = try await Promise.reply {
            pl_create_description(element.raw, "create-\(name)", $0)
        } _: { reply in
            guard let reply, let value = gst_structure_get_value(reply, name), let boxed = g_value_get_boxed(value)
            else {
                return nil
            }
            return Self.text(of: boxed.assumingMemoryBound(to: GstWebRTCSessionDescription.self))
        }
        guard let text else { throw .negotiationFailed(reason: "no \(name) came") }
        return text
    }

    /// Sets the local description, which also starts gathering.
    func setLocal(_ type: RTCSdpType, _ text: String) async throws(WebRTCError) {
        try await set("set-local-description", type, text)
    }

    /// Sets the remote description; `text` is canonical.
    func setRemote(_ type: RTCSdpType, _ text: String) async throws(WebRTCError) {
        try await set("set-remote-description", type, text)
    }

    private func set(_ signal: String, _ type: RTCSdpType, _ text: String) async throws(WebRTCError) {
        var message: UnsafeMutablePointer<GstSDPMessage>?
        guard gst_sdp_message_new_from_text(text, &message) == GST_SDP_OK, let message else {
            throw .negotiationFailed(reason: "the engine cannot read the description")
        }
        let kind = type == .offer ? GST_WEBRTC_SDP_TYPE_OFFER : GST_WEBRTC_SDP_TYPE_ANSWER
        guard let description = gst_webrtc_session_description_new(kind, message) else {
            throw .negotiationFailed(reason: "the engine cannot take the description")
        }
        defer { gst_webrtc_session_description_free(description) }
        try await Promise.reply {
            pl_set_description(element.raw, signal, description, $0)
        } _: { _ in
        }
    }

    /// Adds a candidate of the peer.
    func add(_ candidate: IceCandidateLine, line: UInt32) { pl_add_candidate(element.raw, line, candidate.text) }

    // MARK: - Media

    /// Adds a transceiver that sends nothing.
    func addTransceiver(_ direction: GstWebRTCRTPTransceiverDirection, _ caps: Caps) -> OwnedObject? {
        guard let pointer = pl_add_transceiver(element.raw, direction, caps.pointer) else { return nil }
        let transceiver = OwnedObject(adopting: pointer)
        pl_set_boolean(transceiver.pointer, "do-nack", 1)
        return transceiver
    }

    /// Adds a transceiver that sends what arrives at its pad.
    /// - Parameter line: The index of the media section, when a remote offer has fixed it.
    func addSender(
        line: Int?, _ direction: GstWebRTCRTPTransceiverDirection, _ caps: Caps
    ) -> (Pad, OwnedObject)? {
        let template = gst_element_get_pad_template(element.pointer, "sink_%u")
        let requested =
            if let line { gst_element_request_pad(element.pointer, template, "sink_\(line)", caps.pointer) } else {
                gst_element_request_pad(element.pointer, template, nil, caps.pointer)
            }
        guard let made = requested else { return nil }
        let pad = Pad(adopting: made)
        guard let pointer = pl_get_object(UnsafeMutableRawPointer(made), "transceiver") else { return nil }
        let transceiver = OwnedObject(adopting: pointer)
        pl_set_caps(transceiver.pointer, "codec-preferences", caps.pointer)
        gst_util_set_object_arg(
            transceiver.pointer.assumingMemoryBound(to: GObject.self), "direction",
            direction == GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY ? "sendonly" : "sendrecv")
        pl_set_boolean(transceiver.pointer, "do-nack", 1)
        return (pad, transceiver)
    }

    /// Adds elements to the pipeline of this connection.
    func add(_ elements: Element...) {
        for element in elements { pipeline.add(element) }
    }

    /// Links elements in a row.
    func link(_ first: Element, _ second: Element) throws(WebRTCError) { try pipeline.link(first, second) }

    /// Lets a received stream that nobody wants run out.
    func discard(_ pad: Pad) throws(WebRTCError) {
        let sink = try Element("fakesink", ["sync": "false", "async": "false"])
        add(sink)
        sink.followParent()
        guard let end = sink.staticPad("sink"), pad.link(to: end) else {
            throw .negotiationFailed(reason: "a received stream cannot be discarded")
        }
    }

    /// Makes a data channel.
    func makeChannel(_ label: String, _ configuration: RTCDataChannelConfiguration) -> OwnedObject? {
        let options = pl_channel_options(
            configuration.isOrdered ? 1 : 0, configuration.maxPacketLifeTime, configuration.maxRetransmits,
            configuration.protocol, configuration.isNegotiated ? 1 : 0,
            configuration.isNegotiated ? configuration.channelId : -1)
        defer { gst_structure_free(options) }
        return pl_create_data_channel(element.raw, label, options).map(OwnedObject.init(adopting:))
    }

    // MARK: - What is known of the peer

    /// The certificate that the peer has shown, in PEM.
    /// - Parameter transceivers: Those of this connection, through which the shared transport is reached.
    func remoteCertificate(transceivers: [OwnedObject]) -> String? {
        var owners: [UnsafeMutableRawPointer] = []
        for transceiver in transceivers {
            for side in ["receiver", "sender"] {
                if let owner = pl_get_object(transceiver.pointer, side) { owners.append(owner) }
            }
        }
        if let sctp = pl_get_object(element.raw, "sctp-transport") { owners.append(sctp) }
        defer { owners.forEach(g_object_unref) }
        for owner in owners {
            guard let transport = pl_get_object(owner, "transport") else { continue }
            defer { g_object_unref(transport) }
            guard let text = pl_get_string(transport, "remote-certificate") else { continue }
            defer { g_free(text) }
            return String(cString: text)
        }
        return nil
    }

    /// The engine's statistics, as a tree of values.
    func statistics() async throws(WebRTCError) -> [String: StructureValue] {
        try await Promise.reply {
            pl_get_stats(element.raw, $0)
        } _: { reply in
            reply.map(StructureValue.fields(of:)) ?? [:]
        }
    }
}
