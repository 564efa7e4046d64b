extension SessionDescription {
    /// The text that the media engine is given: only what it needs, in one form.
    ///
    /// Each video section keeps one H.264 payload type and its retransmission, each audio section one codec to answer
    /// about; the transport of the bundle is repeated in every section, as the engine wants it.
    /// - Parameter chosen: The payload type to keep of each section, by the section's index.
    func canonicalText(keeping chosen: [Int: Codec]) -> String {
        let transport = self.transport ?? Transport()
        var lines = [
            "v=0", "o=- \(sessionID) \(sessionVersion) IN IP4 0.0.0.0", "s=-", "t=0 0",
            "a=group:BUNDLE \(bundle.joined(separator: " "))", "a=ice-options:trickle",
        ]
        if isIceLite { lines.append("a=ice-lite") }
        for (index, section) in sections.enumerated() {
            var codecs: [Codec] = []
            if let codec = chosen[index] ?? section.codecs.first {
                codecs = [codec]
                if let retransmission = section.retransmission(of: codec) { codecs.append(retransmission) }
            } else if section.kind != .application {
                codecs = [Codec(payloadType: 0, name: section.kind == .audio ? "PCMU" : "H264", clockRate: 8000)]
            }
            lines += Self.lines(
                of: section, codecs: codecs, transport: transport, isTransport: section.mid == bundle.first)
        }
        return lines.map { $0 + "\r\n" }.joined()
    }

    private static func lines(
        of section: Section, codecs: [Codec], transport: Transport, isTransport: Bool
    ) -> [String] {
        let port = section.rejected ? 0 : 9
        var lines: [String] = []
        if section.kind == .application {
            lines.append("m=application \(port) UDP/DTLS/SCTP webrtc-datachannel")
        } else {
            let formats = codecs.map { String($0.payloadType) }.joined(separator: " ")
            lines.append("m=\(section.kind.rawValue) \(port) UDP/TLS/RTP/SAVPF \(formats)")
        }
        lines += ["c=IN IP4 0.0.0.0", "a=mid:\(section.mid)", "a=setup:\((transport.setup ?? .actpass).rawValue)"]
        lines += ["a=ice-ufrag:\(transport.user ?? "")", "a=ice-pwd:\(transport.password ?? "")"]
        if let fingerprint = transport.fingerprint {
            lines.append("a=fingerprint:\(fingerprint.algorithm) \(fingerprint.value)")
        }
        if section.kind == .application {
            lines += ["a=sctp-port:\(section.sctpPort ?? 5000)"]
            lines += ["a=max-message-size:\(section.maximumMessageSize ?? 65_536)"]
        } else {
            lines += ["a=rtcp-mux", "a=\(section.direction.rawValue)"]
            lines += codecs.flatMap(lines(of:))
            lines += section.sources.map { "a=ssrc:\($0.ssrc) cname:\($0.name)" }
            if let stream = section.streams.first { lines.append("a=msid:\(stream) \(section.mid)") }
        }
        // The engine looks for the candidates of the bundle in its first section only.
        return isTransport ? lines + section.candidates.map { "a=" + $0.text } : lines
    }

    private static func lines(of codec: Codec) -> [String] {
        let channels = codec.channels.map { "/\($0)" } ?? ""
        var lines = ["a=rtpmap:\(codec.payloadType) \(codec.name)/\(codec.clockRate)\(channels)"]
        let known = ["level-asymmetry-allowed", "packetization-mode", "profile-level-id", "apt"]
        let parameters = codec.parameters.filter { parameter in
            known.contains(parameter.name) && parameter.value.utf8.allSatisfy(\.isTokenLetter)
        }
        if !parameters.isEmpty {
            let text = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            lines.append("a=fmtp:\(codec.payloadType) \(text)")
        }
        for feedback in ["nack", "nack pli", "ccm fir"] where codec.feedback.contains(feedback) {
            lines.append("a=rtcp-fb:\(codec.payloadType) \(feedback)")
        }
        return lines
    }
}
