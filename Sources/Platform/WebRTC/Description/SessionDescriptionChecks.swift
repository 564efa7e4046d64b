extension SessionDescription {
    /// Checks what must hold of an offer before the media engine may see it.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)``.
    func checkOffer() throws(WebRTCError) {
        try checkShape()
        for section in sections {
            guard !section.rejected else {
                throw .refused("section \(section.mid) of the offer is already rejected (port 0)")
            }
            try check(section)
            guard section.kind == .video, section.direction != .inactive else { continue }
            guard section.codecs.contains(where: { $0.constrainedBaselineRank != nil }) else {
                throw .refused("section \(section.mid) asks for video, but offers no H.264 with packetization-mode 1")
            }
        }
    }

    /// Checks what must hold of an answer before the media engine may see it.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)``.
    func checkAnswer() throws(WebRTCError) {
        try checkShape()
        guard sections.contains(where: { !$0.rejected }) else { throw .refused("the answer rejects everything") }
        guard transport?.setup != .actpass else { throw .refused("the answer does not choose a DTLS role (setup)") }
        for section in sections where !section.rejected { try check(section) }
    }

    /// Checks that this answer fits the offer it answers.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)``.
    func checkAnswers(_ offer: SessionDescription) throws(WebRTCError) {
        guard sections.count == offer.sections.count else {
            throw .refused("the answer has \(sections.count) media sections, the offer \(offer.sections.count)")
        }
        for (answered, offered) in zip(sections, offer.sections) {
            guard answered.kind == offered.kind else {
                throw .refused("section \(offered.mid) is answered with another kind of media")
            }
            guard !answered.rejected else { continue }
            guard answered.mid == offered.mid else {
                throw .refused("section \(offered.mid) is answered under another name")
            }
            if answered.direction.sends && !offered.direction.receives
                || answered.direction.receives && !offered.direction.sends
            {
                throw .refused("section \(offered.mid) is answered with a direction that was not offered")
            }
            guard offered.kind == .video, answered.direction != .inactive else { continue }
            guard answered.videoCodec(within: offered) != nil else {
                throw .refused("section \(offered.mid) is answered without an H.264 payload type that was offered")
            }
        }
    }

    private func checkShape() throws(WebRTCError) {
        let names = sections.map(\.mid)
        guard names.allSatisfy({ !$0.isEmpty }) else { throw .refused("a media section has no mid") }
        guard Set(names).count == names.count else { throw .refused("two media sections have the same mid") }
        guard !bundle.isEmpty else { throw .refused("it has no bundle (a=group:BUNDLE)") }
        guard Set(bundle).count == bundle.count, bundle.allSatisfy(names.contains) else {
            throw .refused("its bundle names a section twice, or one that is not there")
        }
        guard sections.allSatisfy({ $0.rejected || bundle.contains($0.mid) }) else {
            throw .refused("a media section is outside the bundle")
        }
        guard sections.filter({ $0.kind == .application }).count <= 1 else {
            throw .refused("it has more than one section for data channels")
        }
        guard let transport else { throw .refused("it has no bundle (a=group:BUNDLE)") }
        guard transport.user != nil else { throw .refused("it has no ice-ufrag") }
        guard transport.password != nil else { throw .refused("it has no ice-pwd") }
        guard let fingerprint = transport.fingerprint, fingerprint.strength >= 0 else {
            throw .refused("it has no fingerprint that can be checked")
        }
        guard transport.setup != nil else { throw .refused("it has no DTLS role (setup)") }
    }

    private func check(_ section: Section) throws(WebRTCError) {
        switch section.kind {
        case .application:
            guard section.sctpPort != nil else { throw .refused("section \(section.mid) has no sctp-port") }
        case .audio, .video:
            guard section.multiplexesRTCP else { throw .refused("section \(section.mid) has no rtcp-mux") }
        }
    }
}

extension SessionDescription.Section {
    /// The H.264 payload type that fits best, the writer's order deciding between equals.
    var videoCodec: SessionDescription.Codec? {
        // `min(by:)` keeps the first of equals.
        codecs.filter { $0.constrainedBaselineRank != nil }
            .min { ($0.constrainedBaselineRank ?? .max) < ($1.constrainedBaselineRank ?? .max) }
    }

    /// The first H.264 payload type of this answer that was offered.
    func videoCodec(within offered: Self) -> SessionDescription.Codec? {
        codecs.first { codec in
            codec.name == "H264" && offered.codecs.contains { $0.payloadType == codec.payloadType && $0.name == "H264" }
        }
    }

    /// The retransmission payload type that belongs to `codec` (RFC 4588).
    func retransmission(of codec: SessionDescription.Codec) -> SessionDescription.Codec? {
        codecs.first {
            $0.name == "RTX" && $0.parameter("apt") == String(codec.payloadType) && $0.clockRate == codec.clockRate
        }
    }
}
