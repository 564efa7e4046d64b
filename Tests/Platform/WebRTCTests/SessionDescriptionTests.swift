import Testing

@testable import WebRTC

@Suite("A session description")
struct SessionDescriptionTests {
    @Test("of Chromium is read, and the constrained baseline payload type is chosen")
    func chromium() throws {
        let offer = try SessionDescription(parsing: RecordedOffer.chromium)
        try offer.checkOffer()
        #expect(offer.sections.map(\.kind) == [.video, .audio, .application])
        #expect(offer.sections.map(\.mid) == ["0", "1", "2"] && offer.bundle == ["0", "1", "2"])
        #expect(offer.sections[0].direction == .recvonly && offer.sections[0].multiplexesRTCP)
        let codec = try #require(offer.sections[0].videoCodec)
        #expect(codec.payloadType == 108 && codec.parameter("profile-level-id") == "42e01f")
        #expect(offer.sections[0].retransmission(of: codec)?.payloadType == 109)
        #expect(codec.feedback.contains("nack pli"))
        #expect(offer.sections[2].sctpPort == 5000 && offer.sections[2].maximumMessageSize == 262_144)
        #expect(offer.transport?.user == "GbY/" && offer.transport?.setup == .actpass)
        #expect(offer.sessionID == 8_133_446_968_353_687_591 && offer.sessionVersion == 2)
    }

    @Test("of aiortc is read, with the strongest fingerprint and its candidates")
    func aiortc() throws {
        let offer = try SessionDescription(parsing: RecordedOffer.aiortc)
        try offer.checkOffer()
        #expect(offer.sections[0].videoCodec?.payloadType == 101)
        #expect(offer.transport?.fingerprint?.algorithm == "sha-512")
        #expect(offer.sections[0].candidates.map(\.address) == ["192.0.2.2", "fd00::2"])
        #expect(offer.sections[0].candidates.first?.text.hasSuffix("1 UDP 2130706431 192.0.2.2 38632 typ host") == true)
    }

    @Test("of Safari's form gets its baseline payload type, whatever stands first")
    func safari() throws {
        let offer = try SessionDescription(parsing: RecordedOffer.safariLike)
        try offer.checkOffer()
        #expect(offer.sections[0].videoCodec?.payloadType == 98)
    }

    @Test(
        "is matched by profile and packetization mode",
        arguments: [
            ("packetization-mode=1;profile-level-id=42e01f", 0), ("packetization-mode=1;profile-level-id=42C01F", 0),
            ("packetization-mode=1;profile-level-id=42e00a", 1),
            ("packetization-mode=1;profile-level-id=42e00a;level-asymmetry-allowed=1", 0),
            ("packetization-mode=1", 2), ("packetization-mode=1;profile-level-id=42001f", 2),
            ("packetization-mode=1;profile-level-id=4d001f", 3), ("packetization-mode=1;profile-level-id=640c1f", 4),
            ("packetization-mode=1;profile-level-id=f4001f", nil),
            ("packetization-mode=0;profile-level-id=42e01f", nil),
            ("profile-level-id=42e01f", nil), ("packetization-mode=1;profile-level-id=xyz", nil),
            ("packetization-mode=1;profile-level-id=42e01f42e01f", nil),
        ] as [(String, Int?)])
    func ranks(parameters: String, rank: Int?) throws {
        let offer = try SessionDescription(parsing: RecordedOffer.small(codecs: [(96, parameters)]))
        #expect(offer.sections[0].codecs[0].constrainedBaselineRank == rank)
    }

    @Test("reaches the engine with the chosen payload type and nothing that is not understood")
    func canonical() throws {
        let offer = try SessionDescription(parsing: RecordedOffer.chromium)
        let codec = try #require(offer.sections[0].videoCodec)
        let text = offer.canonicalText(keeping: [0: codec])
        #expect(text.contains("m=video 9 UDP/TLS/RTP/SAVPF 108 109\r\n"))
        for unwanted in ["VP8", "extmap", "goog-remb", "transport-cc", "rtcp-xr", "msid-semantic"] {
            #expect(!text.contains(unwanted))
        }
        // What was written means the same when it is read again.
        let again = try SessionDescription(parsing: text)
        try again.checkOffer()
        #expect(again.transport == offer.transport && again.bundle == offer.bundle)
        #expect(again.sections[0].videoCodec?.payloadType == 108)
        #expect(again.canonicalText(keeping: [0: codec]) == text)
    }

    @Test(
        "is refused for what is missing or wrong in it",
        arguments: [
            ("a=group:BUNDLE 0\r\n", "", "bundle"), ("a=rtcp-mux\r\n", "", "rtcp-mux"),
            ("a=ice-ufrag:abcd\r\n", "", "ice-ufrag"), ("a=ice-pwd:abcdefghijklmnopqrstuv\r\n", "", "ice-pwd"),
            ("a=fingerprint:", "a=fingerprints:", "fingerprint"), ("a=setup:actpass\r\n", "", "setup"),
            ("a=mid:0\r\n", "", "mid"), ("BUNDLE 0", "BUNDLE 0 1", "bundle"), ("BUNDLE 0", "BUNDLE 0 0", "bundle"),
            ("BUNDLE 0", "BUNDLE 7", "bundle"), ("a=group:BUNDLE 0", "a=group:BUNDLE 0\r\na=group:BUNDLE 0", "bundle"),
            ("m=video 9", "m=video 0", "rejected"), ("m=video 9", "m=video 99999", "m="), ("m=video", "m=text", "kind"),
            ("SAVPF 96", "SAVPF 128", "payload type"), ("SAVPF 96", "SAVPF 96 96", "payload type"),
            ("SAVPF 96", "SAVPF -1", "payload type"), ("SAVPF 96", "SAVPF 97", "H.264"),
            ("UDP/TLS/RTP/SAVPF", "RTP/AVP", "SRTP"), ("H264", "VP8", "H.264"), ("v=0", "v=1", "v=0"),
            ("s=-", "k=clear:secret", "key"), ("a=ice-pwd:abcdefghij", "a=ice-pwd:abc defghij", "ice-pwd"),
            ("a=ice-ufrag:abcd", "a=ice-ufrag:abc", "ice-ufrag"), ("sha-256 0A:", "sha-256 0A:0B:", "fingerprint"),
            ("sha-256 0A:", "sha-256 ZZ:", "fingerprint"), ("sha-256", "md5", "fingerprint"),
            ("a=setup:actpass", "a=setup:holdconn", "setup"), ("a=mid:0", "a=mid:0 1", "mid"),
            ("t=0 0", "T=0 0", "line 4"),
            ("t=0 0", "t=\u{7}", "line 4"), ("t=0 0", "t", "line 4"), ("t=0 0\r\n", "t=0 0\r\n\r\n", "malformed"),
            ("a=recvonly", "a=recvonly\r\na=sendonly", "direction"),
            ("rtpmap:96 H264/90000", "rtpmap:96 H264", "rtpmap"),
            ("rtpmap:96 H264/90000", "rtpmap:96 H264/0", "rtpmap"), ("fmtp:96 ", "fmtp:x ", "fmtp"),
            ("a=rtcp-mux", "a=rtcp-mux\r\na=candidate:1 1 UDP", "candidate"),
            ("a=rtcp-mux", "a=rtcp-mux\r\na=ssrc:4294967296 cname:x", "ssrc"),
            ("o=- 1 2 IN", "o=- one 2 IN", "o="),
        ])
    func refusals(wanted: String, replacement: String, word: String) throws {
        let good = RecordedOffer.small(codecs: [(96, "packetization-mode=1;profile-level-id=42e01f")])
        try RTCSessionDescription(type: .offer, sdp: good).validate()
        let bad = good.replacing(wanted, with: replacement, maxReplacements: 1)
        #expect(bad != good)
        let error = #expect(throws: WebRTCError.self) { try RTCSessionDescription(type: .offer, sdp: bad).validate() }
        guard case .unacceptableDescription(let reason) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(reason.contains(word), "\(reason)")
    }

    @Test("is refused when it is too large, has too many sections, or nothing")
    func limits() throws {
        let good = RecordedOffer.small(codecs: [(96, "packetization-mode=1;profile-level-id=42e01f")])
        let padding = String(repeating: "a=x:0123456789\r\n", count: 5000)
        let media = "m=video" + good.split(separator: "m=video")[1]
        let sections = String(repeating: media, count: 17)
        let long = good + "a=x:" + String(repeating: "y", count: 5000) + "\r\n"
        let candidates = String(repeating: "a=candidate:1 1 UDP 1 127.0.0.1 9 typ host\r\n", count: 65)
        let payloads = (0..<200).map { _ in " 96" }.joined()
        let texts = [
            good + padding, good.prefix(100) + sections, long, good + candidates, "", "\r\n", "v=0", "v=0\r\n",
            good.replacing("SAVPF 96", with: "SAVPF" + payloads),
        ].map { String($0) }
        for text in texts {
            for type in [RTCSdpType.offer, .answer] {
                #expect(throws: WebRTCError.self) { try RTCSessionDescription(type: type, sdp: text).validate() }
            }
        }
        #expect(throws: WebRTCError.self) { try RTCSessionDescription(type: .rollback, sdp: good).validate() }
    }

    @Test("that is cut, doubled or scrambled anywhere is refused or understood, and never a trap")
    func mutilated() {
        var generator = Sequence64(state: 42)
        var (refused, understood) = (0, 0)
        for original in [RecordedOffer.chromium, RecordedOffer.aiortc, RecordedOffer.safariLike] {
            let bytes = Array(original.utf8)
            for round in 0..<600 {
                var mutilated = bytes
                let place = Int(generator.next() % UInt64(bytes.count))
                switch round % 4 {
                case 0: mutilated = Array(bytes[..<place])
                case 1: mutilated[place] = UInt8(truncatingIfNeeded: generator.next())
                case 2: mutilated.removeSubrange(place..<min(bytes.count, place + Int(generator.next() % 40)))
                default: mutilated.insert(contentsOf: bytes[place..<min(bytes.count, place + 200)], at: place)
                }
                let text = String(decoding: mutilated, as: UTF8.self)
                do throws(WebRTCError) {
                    try RTCSessionDescription(type: .offer, sdp: text).validate()
                    understood += 1
                    // What passes can be written, and what is written passes.
                    let read = try SessionDescription(parsing: text)
                    let chosen = read.sections[0].videoCodec.map { [0: $0] } ?? [:]
                    try SessionDescription(parsing: read.canonicalText(keeping: chosen)).checkOffer()
                } catch {
                    refused += 1
                }
            }
        }
        #expect(refused > 300 && understood > 200)
    }

    @Test("of a candidate that is well-formed but of no use is told from one that is malformed")
    func candidates() {
        #expect(IceCandidateLine.read("1 1 udp 1 a1b2.local 9 typ host") == .useless)
        #expect(IceCandidateLine.read("1 2 udp 1 127.0.0.1 9 typ host") == .useless)
        #expect(IceCandidateLine.read("1 1 tcp 1 127.0.0.1 9 typ host") == .useless)
        #expect(IceCandidateLine.read("1 1 sctp 1 127.0.0.1 9 typ host") == .useless)
        #expect(IceCandidateLine.read("1 1 udp 1 127.0.0.1 9 typ other") == .useless)
        for text in [
            "", "1", "1 1 udp 1 127.0.0.1 9 host typ", "1 1 udp x 127.0.0.1 9 typ host",
            "1 1 udp 1 127.0.0.1 99999 typ host",
        ] {
            #expect(IceCandidateLine.read(text) == .malformed)
        }
        let text = "f 1 UDP 7 2001:db8::1 9 typ relay raddr 192.0.2.1 rport 8 generation 0 network-cost 999"
        guard case .candidate(let candidate) = IceCandidateLine.read(text) else {
            Issue.record("not read")
            return
        }
        #expect(candidate.text == "candidate:f 1 UDP 7 2001:db8::1 9 typ relay raddr 192.0.2.1 rport 8")
    }

    @Test("of an answer must answer what was offered")
    func answers() throws {
        let codec = (96, "packetization-mode=1;profile-level-id=42e01f")
        let offer = try SessionDescription(parsing: RecordedOffer.small(codecs: [codec]))
        let text = RecordedOffer.small(codecs: [codec]).replacing("actpass", with: "active")
            .replacing("recvonly", with: "sendonly")
        let answer = try SessionDescription(parsing: text)
        try answer.checkAnswer()
        try answer.checkAnswers(offer)
        let spoilers: [(String, String)] = [
            ("sendonly", "recvonly"), ("sendonly", "sendrecv"), ("a=mid:0\r\n", "a=mid:1\r\n"), ("96", "97"),
            ("H264", "VP8"),
        ]
        for (wanted, replacement) in spoilers {
            let bad = text.replacing(wanted, with: replacement).replacing(
                "BUNDLE 0", with: replacement.contains("mid") ? "BUNDLE 1" : "BUNDLE 0")
            #expect(throws: WebRTCError.self) { try SessionDescription(parsing: bad).checkAnswers(offer) }
        }
        #expect(throws: WebRTCError.self) {
            try SessionDescription(parsing: text.replacing("active", with: "actpass")).checkAnswer()
        }
        #expect(throws: WebRTCError.self) {
            try SessionDescription(parsing: text.replacing("m=video 9", with: "m=video 0")).checkAnswer()
        }
        #expect(throws: WebRTCError.self) {
            try answer.checkAnswers(SessionDescription(parsing: RecordedOffer.chromium))
        }
    }
}

/// A repeatable sequence of numbers (SplitMix64).
private struct Sequence64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
