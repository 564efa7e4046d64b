internal import Basics
import CGStreamer
import Dispatch

extension RTCPeerConnection {
    /// Makes an offer of what was added. It takes effect with ``setLocalDescription(_:)``.
    /// - Throws: ``WebRTCError/invalidState(reason:)`` when nothing was added or a negotiation has begun,
    ///   ``WebRTCError/negotiationFailed(reason:)``, ``WebRTCError/closed``.
    public func offer(for constraints: RTCMediaConstraints) async throws(WebRTCError) -> RTCSessionDescription {
        try await operations.run { () async throws(WebRTCError) in
            try self.requireOpen()
            let (isFresh, transceivers, hasChannel) = self.state.withLock { state in
                (state.local == nil && state.remote == nil, state.transceivers, !state.channels.isEmpty)
            }
            guard isFresh else { throw .invalidState(reason: "it has been negotiated, and that can be done once") }
            guard hasChannel || !transceivers.isEmpty else {
                throw .invalidState(reason: "there is nothing to offer; add a transceiver or a data channel")
            }
            for transceiver in transceivers { try self.realize(transceiver, nil) }
            let text = try await self.bin.create(.offer)
            return self.remember(RTCSessionDescription(type: .offer, sdp: text))
        }
    }

    /// Makes the answer to the remote offer. It takes effect with ``setLocalDescription(_:)``.
    /// - Throws: ``WebRTCError/invalidState(reason:)`` when there is no offer, ``WebRTCError/negotiationFailed(reason:)``,
    ///   ``WebRTCError/closed``.
    public func answer(for constraints: RTCMediaConstraints) async throws(WebRTCError) -> RTCSessionDescription {
        try await operations.run { () async throws(WebRTCError) in
            try self.requireOpen()
            guard self.state.withLock({ $0.remoteDescription?.type == .offer && $0.local == nil }) else {
                throw .invalidState(reason: "there is no remote offer to answer")
            }
            let text = try await self.bin.create(.answer)
            return self.remember(RTCSessionDescription(type: .answer, sdp: text))
        }
    }

    /// Puts the own description in force and begins to gather candidates.
    /// - Parameter description: What ``offer(for:)`` or ``answer(for:)`` has just made, unaltered.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)`` for any other,
    ///   ``WebRTCError/negotiationFailed(reason:)``, ``WebRTCError/closed``.
    public func setLocalDescription(_ description: RTCSessionDescription) async throws(WebRTCError) {
        try await operations.run { () async throws(WebRTCError) in
            try self.requireOpen()
            let created = self.state.withLock { $0.created }
            guard let created, created.type == description.type, created.sdp == description.sdp else {
                throw .unacceptableDescription(
                    reason: "only the description that offer(for:) or answer(for:) made last can be set locally")
            }
            let local = try SessionDescription(parsing: description.sdp)
            self.state.withLock { state in
                state.local = local
                state.localType = description.type
            }
            try await self.bin.setLocal(description.type, description.sdp)
            self.noteLines()
            if description.type == .answer { try self.completed() }
        }
    }

    /// Takes the peer's offer or answer.
    ///
    /// The text is read and judged first, and the engine is given a text of our own making with the same meaning: no
    /// description can make it abort.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)`` when it is malformed, or unusable here; the state is then
    ///   as before. ``WebRTCError/invalidState(reason:)``, ``WebRTCError/negotiationFailed(reason:)``,
    ///   ``WebRTCError/closed``.
    public func setRemoteDescription(_ description: RTCSessionDescription) async throws(WebRTCError) {
        try await operations.run { () async throws(WebRTCError) in
            try self.requireOpen()
            let remote = try SessionDescription(parsing: description.sdp)
            switch description.type {
            case .offer: try await self.take(offer: remote, description)
            case .answer: try await self.take(answer: remote, description)
            case .prAnswer, .rollback:
                throw .unacceptableDescription(reason: "only offers and answers are taken")
            }
        }
    }

    /// Takes a candidate of the peer, as it trickles in. One that is of no use here is passed over.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)`` when it is malformed,
    ///   ``WebRTCError/invalidState(reason:)`` before there is a remote description, ``WebRTCError/closed``.
    public func add(_ candidate: RTCIceCandidate) async throws(WebRTCError) {
        try await operations.run { () async throws(WebRTCError) in
            try self.requireOpen()
            guard let remote = self.state.withLock({ $0.remote }) else {
                throw .invalidState(reason: "a candidate comes after the remote description")
            }
            let text = candidate.sdp.hasPrefix("a=") ? candidate.sdp.dropFirst(2) : candidate.sdp[...]
            // The end of candidates.
            guard !text.isEmpty else { return }
            guard text.utf8.count <= SessionDescription.Limit.line, text.hasPrefix("candidate:"),
                text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
            else { throw .unacceptableDescription(reason: "the candidate is malformed") }
            guard
                candidate.sdpMid.map({ mid in remote.sections.contains { $0.mid == mid } })
                    ?? remote.sections.indices.contains(Int(candidate.sdpMLineIndex))
            else { throw .unacceptableDescription(reason: "the candidate belongs to no media section") }
            switch IceCandidateLine.read(text.dropFirst("candidate:".count)) {
            case .malformed: throw .unacceptableDescription(reason: "the candidate is malformed")
            case .useless: break
            // All sections share the transport of the first of the bundle.
            case .candidate(let line): self.bin.add(line, line: UInt32(remote.bundleIndex))
            }
        }
    }

    // MARK: - Taking descriptions

    private func take(offer: SessionDescription, _ description: RTCSessionDescription) async throws(WebRTCError) {
        guard state.withLock({ $0.local == nil && $0.remote == nil }) else {
            throw .invalidState(reason: "it has been negotiated, and that can be done once")
        }
        try offer.checkOffer()
        var chosen: [Int: SessionDescription.Codec] = [:]
        for (index, section) in offer.sections.enumerated() where section.kind == .video {
            chosen[index] = section.videoCodec ?? section.codecs.first
        }
        try await bin.setRemote(.offer, offer.canonicalText(keeping: chosen))
        let codecs = chosen
        state.withLock { state in
            (state.remote, state.remoteDescription, state.chosen) = (offer, description, codecs)
        }
        for (index, section) in offer.sections.enumerated() { try place(section, at: index, chosen[index]) }
        noteTrust(offer)
        announceReceivers(of: offer)
    }

    private func take(answer: SessionDescription, _ description: RTCSessionDescription) async throws(WebRTCError) {
        let (local, type, remote) = state.withLock { ($0.local, $0.localType, $0.remote) }
        guard let local, type == .offer, remote == nil else {
            throw .invalidState(reason: "there is no local offer that this could answer")
        }
        try answer.checkAnswer()
        try answer.checkAnswers(local)
        var chosen: [Int: SessionDescription.Codec] = [:]
        for (index, section) in answer.sections.enumerated() where section.kind == .video {
            chosen[index] = section.videoCodec(within: local.sections[index]) ?? local.sections[index].codecs.first
        }
        let codecs = chosen
        state.withLock { state in
            (state.remote, state.remoteDescription, state.chosen) = (answer, description, codecs)
        }
        noteTrust(answer)
        try await bin.setRemote(.answer, answer.canonicalText(keeping: chosen))
        try completed()
        announceReceivers(of: answer)
    }

    /// Gives a section of the remote offer a transceiver: one that waits, or a new one.
    private func place(
        _ section: SessionDescription.Section, at line: Int, _ codec: SessionDescription.Codec?
    ) throws(WebRTCError) {
        switch section.kind {
        case .application: return
        case .audio:
            // Sound is declined by a transceiver that takes no part, which keeps the engine from taking it.
            let codec = section.codecs.first
            let caps = Caps(
                "application/x-rtp,media=audio,payload=\(codec?.payloadType ?? 0),clock-rate=\(codec?.clockRate ?? 8000)"
            )
            _ = bin.addTransceiver(GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_INACTIVE, caps)
        case .video:
            let waiting = transceivers.filter { $0.state.withLock { $0.engine == nil && !$0.isStopped } }
            let sender =
                section.direction.receives ? waiting.first { $0.outgoingTrack != nil && $0.direction.sends } : nil
            let receiver = section.direction.sends ? waiting.first { $0.direction.receives } : nil
            let transceiver =
                sender ?? receiver
                ?? Self.makeTransceiver(section.direction.sends ? .recvOnly : .inactive, sending: nil, [])
            if sender == nil, receiver == nil { state.withLock { $0.transceivers.append(transceiver) } }
            try realize(transceiver, Place(line: line, codec: codec, direction: section.direction))
            transceiver.state.withLock { state in
                state.line = line
                state.mid = section.mid
            }
        }
    }

    /// What a remote offer fixes of a transceiver.
    private struct Place {
        var line: Int
        var codec: SessionDescription.Codec?
        var direction: SessionDescription.Direction
    }

    /// Makes the engine's half of a transceiver.
    /// - Parameter offered: What a remote offer fixes; `nil` when this side offers.
    private func realize(_ transceiver: RTCRtpTransceiver, _ offered: Place?) throws(WebRTCError) {
        guard transceiver.state.withLock({ $0.engine == nil }) else { return }
        let sends =
            transceiver.direction.sends && transceiver.outgoingTrack != nil && offered?.direction.receives != false
        let receives = transceiver.direction.receives && offered?.direction.sends != false
        var text = OutgoingVideo.caps(
            payloadType: offered?.codec?.payloadType ?? 96, ssrc: sends ? transceiver.ssrc : nil)
        if offered == nil {
            text += ",packetization-mode=(string)1,profile-level-id=(string)42e01f,level-asymmetry-allowed=(string)1"
        } else if let profile = offered?.codec?.parameter("profile-level-id"), profile.utf8.allSatisfy(\.isTokenLetter)
        {
            // The engine forgets the profile of an offer that lets levels differ, and an answer must name it.
            text += ",profile-level-id=(string)\(profile)"
        }
        let caps = Caps(text)
        if sends {
            let direction =
                receives
                ? GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDRECV : GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY
            guard let (pad, engine) = bin.addSender(line: offered?.line, direction, caps) else {
                throw .negotiationFailed(reason: "the engine gives no place to send from")
            }
            if let stream = transceiver.sender.streamIds.first(where: { $0.utf8.allSatisfy(\.isTokenCharacter) }) {
                pl_set_string(UnsafeMutableRawPointer(pad.pointer), "msid", stream)
            }
            transceiver.state.withLock { ($0.engine, $0.pad) = (engine, pad) }
        } else {
            let direction =
                receives
                ? GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY : GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_INACTIVE
            guard let engine = bin.addTransceiver(direction, caps) else {
                throw .negotiationFailed(reason: "the engine gives no place to receive at")
            }
            transceiver.state.withLock { $0.engine = engine }
        }
    }

    // MARK: - After an exchange

    /// Builds the branches of what is sent, once both descriptions are in force.
    private func completed() throws(WebRTCError) {
        noteLines()
        let (local, remote, chosen) = state.withLock { ($0.local, $0.remote, $0.chosen) }
        guard let local, let remote else { return }
        for transceiver in transceivers {
            guard let line = transceiver.state.withLock({ $0.line }), local.sections.indices.contains(line),
                remote.sections.indices.contains(line)
            else { continue }
            let (mine, theirs) = (local.sections[line], remote.sections[line])
            let sends = mine.direction.sends && theirs.direction.receives && !mine.rejected && !theirs.rejected
            let receives = mine.direction.receives && theirs.direction.sends && !mine.rejected && !theirs.rejected
            let current: RTCRtpTransceiverDirection =
                sends ? (receives ? .sendRecv : .sendOnly) : (receives ? .recvOnly : .inactive)
            let pad: Pad? = transceiver.state.withLock { state in
                state.current = current
                state.mid = mine.mid
                return state.outgoing == nil ? state.pad : nil
            }
            guard sends, let pad, let track = transceiver.outgoingTrack, let codec = chosen[line] else { continue }
            let outgoing = try OutgoingVideo(
                track, payloadType: codec.payloadType, ssrc: transceiver.ssrc, to: pad, of: bin)
            transceiver.state.withLock { $0.outgoing = outgoing }
        }
        // If the connection came up while the branches were built, nobody else opens them.
        queue.async { [weak self] in
            guard let self, connectionState == .connected else { return }
            for transceiver in transceivers { transceiver.state.withLock { $0.outgoing }?.open() }
        }
    }

    /// Learns from the engine which section each transceiver got.
    private func noteLines() {
        for transceiver in transceivers {
            transceiver.state.withLock { state in
                guard let engine = state.engine else { return }
                let line = pl_get_int(engine.pointer, "mlineindex")
                if line >= 0 { state.line = Int(line) }
            }
        }
    }

    private func noteTrust(_ remote: SessionDescription) {
        let engines = transceivers.compactMap { $0.state.withLock { $0.engine } }
        trust.expect(remote.transport?.fingerprint, transceivers: engines)
    }

    private func announceReceivers(of remote: SessionDescription) {
        for transceiver in transceivers {
            guard let line = transceiver.state.withLock({ $0.line }), remote.sections.indices.contains(line) else {
                continue
            }
            let section = remote.sections[line]
            guard section.direction.sends, !section.rejected, transceiver.direction.receives,
                let track = transceiver.incomingTrack
            else { continue }
            let streams = section.streams.map { RTCMediaStream(streamId: $0, videoTracks: [track]) }
            notify { $0.peerConnection($1, didAdd: transceiver.receiver, streams: streams) }
        }
    }

    private func remember(_ description: RTCSessionDescription) -> RTCSessionDescription {
        state.withLock { $0.created = description }
        return description
    }

    private func requireOpen() throws(WebRTCError) {
        if state.withLock({ $0.isClosed }) { throw .closed }
    }
}

extension SessionDescription {
    /// The index of the section whose transport all share.
    var bundleIndex: Int { sections.firstIndex { $0.mid == bundle.first } ?? 0 }
}
