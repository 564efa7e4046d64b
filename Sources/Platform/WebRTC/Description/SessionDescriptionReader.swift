extension SessionDescription {
    /// The bounds of what is read at all.
    enum Limit {
        static let bytes = 64 * 1024
        static let sections = 16
        static let codecs = 128
        static let candidates = 64
        static let sources = 32
        static let line = 4096
    }

    /// Reads a description, line by line, with work proportional to its length.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)`` at the first line that is malformed or at the first
    ///   limit that is passed. What is unknown is skipped.
    init(parsing text: String) throws(WebRTCError) {
        guard text.utf8.count <= Limit.bytes else { throw .refused("it is larger than 64 KB") }
        var reader = SessionDescriptionReader()
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            try reader.take(Substring(line))
        }
        self = try reader.finish()
    }
}

extension WebRTCError {
    /// Short for a description that is not acceptable.
    static func refused(_ reason: String) -> WebRTCError { .unacceptableDescription(reason: reason) }
}

/// Takes the lines of a description one after the other.
struct SessionDescriptionReader {
    private typealias Description = SessionDescription

    private var description = SessionDescription()
    /// What the session part says for all sections that do not say it themselves.
    private var shared = SessionDescription.Transport()
    private var sharedDirection: SessionDescription.Direction?
    private var bundles = 0
    private var number = 0
    /// The payload types of the section being read, in its order.
    private var formats: [UInt8] = []
    private var bundleOnly = false
    private var portIsZero = false
    private var ownDirection = false
    private var ended = false

    /// Takes the next line, without its end.
    mutating func take(_ line: Substring) throws(WebRTCError) {
        number += 1
        if line.isEmpty {
            // Only the end of the text may be empty.
            ended = true
            return
        }
        let bytes = line.utf8
        guard !ended, bytes.count >= 2, bytes.count <= Description.Limit.line,
            (0x61...0x7A).contains(bytes[bytes.startIndex]),
            bytes[bytes.index(after: bytes.startIndex)] == UInt8(ascii: "="),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw .refused("line \(number) is malformed") }
        let value = line.dropFirst(2)
        if number == 1 {
            guard line == "v=0" else { throw .refused("it does not begin with v=0") }
            return
        }
        switch bytes[bytes.startIndex] {
        case UInt8(ascii: "v"): throw .refused("line \(number) repeats the version")
        case UInt8(ascii: "k"): throw .refused("it carries a key in the clear (k=)")
        case UInt8(ascii: "o"): try takeOrigin(value)
        case UInt8(ascii: "m"): try takeMedia(value)
        case UInt8(ascii: "a"):
            let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            try takeAttribute(String(parts[0]), parts.count > 1 ? parts[1] : "")
        default: break
        }
    }

    /// Ends the description.
    mutating func finish() throws(WebRTCError) -> SessionDescription {
        guard number > 0, !description.sections.isEmpty else { throw .refused("it has no media section") }
        try finishSection()
        return description
    }

    private mutating func takeOrigin(_ value: Substring) throws(WebRTCError) {
        let words = value.split(separator: " ")
        guard description.sections.isEmpty, words.count == 6, let id = UInt64(words[1]), let version = UInt64(words[2])
        else { throw malformed("o=") }
        (description.sessionID, description.sessionVersion) = (id, version)
    }

    private mutating func takeMedia(_ value: Substring) throws(WebRTCError) {
        try finishSection()
        guard description.sections.count < Description.Limit.sections else {
            throw .refused("it has more than \(Description.Limit.sections) media sections")
        }
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 4, words.count <= 3 + Description.Limit.codecs, let port = UInt16(words[1]) else {
            throw malformed("m=")
        }
        guard let kind = Description.Kind(rawValue: String(words[0])) else {
            throw .refused("line \(number) asks for a kind of media that is unknown here")
        }
        formats = []
        switch kind {
        case .application:
            guard words[2].hasSuffix("DTLS/SCTP"), words.count == 4, words[3] == "webrtc-datachannel" else {
                throw .refused("line \(number) is not a data channel in the form of RFC 8841")
            }
        case .audio, .video:
            guard words[2] == "UDP/TLS/RTP/SAVPF" || words[2] == "RTP/SAVPF" else {
                throw .refused("line \(number) does not use SRTP over DTLS")
            }
            for word in words.dropFirst(3) {
                guard let format = UInt8(word), format < 128 else {
                    throw .refused("line \(number) has a payload type that is not between 0 and 127")
                }
                guard !formats.contains(format) else { throw .refused("line \(number) repeats a payload type") }
                formats.append(format)
            }
        }
        description.sections.append(Description.Section(kind: kind, direction: sharedDirection ?? .sendrecv))
        (bundleOnly, portIsZero, ownDirection) = (false, port == 0, false)
    }

    /// Puts the codecs of the section just read in the order of its `m=` line and drops what is not on it.
    private mutating func finishSection() throws(WebRTCError) {
        guard var section = description.sections.popLast() else { return }
        let codecs = section.codecs
        section.codecs = formats.compactMap { format in
            codecs.first { $0.payloadType == format }.flatMap { $0.name.isEmpty ? nil : $0 }
        }
        section.rejected = portIsZero && !bundleOnly
        section.transport.user = section.transport.user ?? shared.user
        section.transport.password = section.transport.password ?? shared.password
        section.transport.fingerprint = section.transport.fingerprint ?? shared.fingerprint
        section.transport.setup = section.transport.setup ?? shared.setup
        description.sections.append(section)
    }

    private mutating func takeAttribute(_ name: String, _ value: Substring) throws(WebRTCError) {
        switch name {
        case "group":
            let words = value.split(separator: " ")
            guard words.first == "BUNDLE" else { return }
            bundles += 1
            guard bundles == 1, description.sections.isEmpty else { throw .refused("it has more than one bundle") }
            description.bundle = words.dropFirst().map(String.init)
        case "ice-lite": description.isIceLite = true
        case "ice-ufrag", "ice-pwd", "fingerprint", "setup": try takeTransport(name, value)
        case "sendrecv", "sendonly", "recvonly", "inactive":
            guard let direction = Description.Direction(rawValue: name) else { return }
            guard !description.sections.isEmpty else { return sharedDirection = direction }
            guard !ownDirection else { throw .refused("line \(number) repeats the direction") }
            ownDirection = true
            edit { $0.direction = direction }
        default:
            guard !description.sections.isEmpty else { return }
            try takeSectionAttribute(name, value)
        }
    }

    private mutating func takeTransport(_ name: String, _ value: Substring) throws(WebRTCError) {
        var transport = description.sections.last?.transport ?? shared
        switch name {
        case "ice-ufrag":
            guard transport.user == nil, (4...256).contains(value.utf8.count), value.utf8.allSatisfy(\.isIceCharacter)
            else { throw malformed("ice-ufrag") }
            transport.user = String(value)
        case "ice-pwd":
            guard transport.password == nil, (22...256).contains(value.utf8.count),
                value.utf8.allSatisfy(\.isIceCharacter)
            else { throw malformed("ice-pwd") }
            transport.password = String(value)
        case "setup":
            guard transport.setup == nil, let setup = Description.Setup(rawValue: String(value)) else {
                throw malformed("setup")
            }
            transport.setup = setup
        default:
            guard let fingerprint = Description.Fingerprint(reading: value) else { throw malformed("fingerprint") }
            // The strongest that can be checked here, whatever the order.
            if transport.fingerprint?.strength ?? -1 < fingerprint.strength { transport.fingerprint = fingerprint }
        }
        if description.sections.isEmpty { shared = transport } else { edit { $0.transport = transport } }
    }

    private mutating func takeSectionAttribute(_ name: String, _ value: Substring) throws(WebRTCError) {
        switch name {
        case "mid":
            guard description.sections.last?.mid.isEmpty == true, (1...32).contains(value.utf8.count),
                value.utf8.allSatisfy(\.isTokenCharacter)
            else { throw malformed("mid") }
            edit { $0.mid = String(value) }
        case "rtcp-mux": edit { $0.multiplexesRTCP = true }
        case "bundle-only": bundleOnly = true
        case "rtpmap", "fmtp", "rtcp-fb": try takeCodec(name, value)
        case "candidate":
            switch IceCandidateLine.read(value) {
            case .malformed: throw malformed("candidate")
            case .useless: break
            case .candidate(let candidate):
                guard description.sections.last.map({ $0.candidates.count < Description.Limit.candidates }) == true
                else { throw .refused("a section has more than \(Description.Limit.candidates) candidates") }
                edit { $0.candidates.append(candidate) }
            }
        case "sctp-port":
            guard let port = UInt16(value), port > 0 else { throw malformed("sctp-port") }
            edit { $0.sctpPort = port }
        case "max-message-size":
            guard let size = UInt64(value) else { throw malformed("max-message-size") }
            edit { $0.maximumMessageSize = UInt32(clamping: size) }
        case "msid":
            takeStream(value)
        case "ssrc":
            let words = value.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let ssrc = UInt32(words[0]) else { throw malformed("ssrc") }
            // The older form of msid, which some still write.
            if words[1].hasPrefix("msid:") { takeStream(words[1].dropFirst(5)) }
            guard ssrc != 0, words[1].hasPrefix("cname:") else { return }
            let name = words[1].dropFirst(6)
            // The media engine only passes the name on; one of unusual form is replaced.
            let safe = (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            edit {
                if $0.sources.count < Description.Limit.sources {
                    $0.sources.append(Description.Source(ssrc: ssrc, name: safe ? String(name) : "peer"))
                }
            }
        default: break
        }
    }

    /// Takes `stream-id track-id` (RFC 8830).
    private mutating func takeStream(_ value: Substring) {
        guard let stream = value.split(separator: " ").first.map({ String($0) }), stream != "-",
            stream.utf8.count <= 64,
            stream.utf8.allSatisfy(\.isTokenCharacter)
        else { return }
        edit { section in
            if section.streams.count < Description.Limit.sources, !section.streams.contains(stream) {
                section.streams.append(stream)
            }
        }
    }

    private mutating func takeCodec(_ name: String, _ value: Substring) throws(WebRTCError) {
        guard description.sections.last?.kind != .application else { return }
        let words = value.split(separator: " ", maxSplits: 1)
        if name == "rtcp-fb", words.first == "*" { return }
        guard words.count == 2, let payloadType = UInt8(words[0]), payloadType < 128 else { throw malformed(name) }
        guard formats.contains(payloadType) else { return }
        guard let last = description.sections.indices.last else { return }
        let existing = description.sections[last].codecs.firstIndex { $0.payloadType == payloadType }
        var codec =
            existing.map { description.sections[last].codecs[$0] }
            ?? Description.Codec(payloadType: payloadType, name: "", clockRate: 0)
        switch name {
        case "rtpmap":
            let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
            guard codec.name.isEmpty, (2...3).contains(parts.count), (1...32).contains(parts[0].utf8.count),
                parts[0].utf8.allSatisfy(\.isTokenCharacter), let rate = UInt32(parts[1]), rate > 0, rate <= 1_000_000
            else { throw malformed("rtpmap") }
            (codec.name, codec.clockRate) = (parts[0].uppercased(), rate)
            if parts.count == 3 {
                guard let channels = UInt8(parts[2]), channels > 0 else { throw malformed("rtpmap") }
                codec.channels = channels
            }
        case "fmtp":
            guard codec.parameters.isEmpty else { throw malformed("fmtp") }
            for part in words[1].split(separator: ";").prefix(32) {
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { continue }
                codec.parameters.append(
                    Description.Codec.Parameter(name: pair[0].lowercased(), value: String(pair[1])))
            }
        default:
            if codec.feedback.count < 16 { codec.feedback.append(String(words[1])) }
        }
        if let existing {
            description.sections[last].codecs[existing] = codec
        } else {
            description.sections[last].codecs.append(codec)
        }
    }

    private mutating func edit(_ change: (inout SessionDescription.Section) -> Void) {
        guard let last = description.sections.indices.last else { return }
        change(&description.sections[last])
    }

    private func malformed(_ what: String) -> WebRTCError { .refused("line \(number) has a malformed \(what)") }
}

extension SessionDescription.Fingerprint {
    /// The algorithms that can be checked, weakest first, with the bytes of their hashes.
    private static let algorithms = [("sha-1", 20), ("sha-256", 32), ("sha-384", 48), ("sha-512", 64)]

    /// How strong the algorithm is; −1 for one that cannot be checked.
    var strength: Int { Self.algorithms.firstIndex { $0.0 == algorithm } ?? -1 }

    /// Reads `sha-256 AB:CD:…`. An unknown algorithm is read too, so that it can stand beside a known one.
    init?(reading text: Substring) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].utf8.count <= 16, words[1].utf8.count <= 200 else { return nil }
        let pairs = words[1].split(separator: ":", omittingEmptySubsequences: false)
        guard
            pairs.allSatisfy({
                $0.utf8.count == 2 && UInt8($0, radix: 16) != nil && $0.utf8.allSatisfy(\.isTokenLetter)
            })
        else { return nil }
        self.init(algorithm: words[0].lowercased(), value: words[1].uppercased())
        if let known = Self.algorithms.first(where: { $0.0 == algorithm }), known.1 != pairs.count { return nil }
    }
}
