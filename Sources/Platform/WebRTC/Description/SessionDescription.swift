/// A session description, read: the part of it that this module understands, each value checked.
///
/// What reaches the media engine is written from this value (`SessionDescription.canonicalText(keeping:)`), never the
/// text that came: a line that is not understood here cannot do harm there. RFC 8866 (SDP), 8829 (JSEP), 8839 (ICE),
/// 8843 (BUNDLE), 6184 (H.264).
struct SessionDescription: Equatable, Sendable {
    /// What one media section is for.
    enum Kind: String, Sendable {
        case audio
        case video
        case application
    }

    /// Who sends, as its writer sees it.
    enum Direction: String, Sendable {
        case sendrecv
        case sendonly
        case recvonly
        case inactive

        /// Whether its writer sends.
        var sends: Bool { self == .sendrecv || self == .sendonly }
        /// Whether its writer receives.
        var receives: Bool { self == .sendrecv || self == .recvonly }
    }

    /// Who opens the DTLS handshake, as its writer sees it.
    enum Setup: String, Sendable {
        case active
        case passive
        case actpass
    }

    /// The hash of the certificate that its writer will show.
    struct Fingerprint: Equatable, Sendable {
        /// In lower case: `sha-256`.
        var algorithm: String
        /// Upper-case hexadecimal pairs with colons between.
        var value: String
    }

    /// How to reach the writer, and how to know it.
    struct Transport: Equatable, Sendable {
        var user: String?
        var password: String?
        var fingerprint: Fingerprint?
        var setup: Setup?
    }

    /// One payload type of a media section.
    struct Codec: Equatable, Sendable {
        var payloadType: UInt8
        /// In upper case.
        var name: String
        var clockRate: UInt32
        /// Of audio.
        var channels: UInt8?
        /// In the order of the line. Keys in lower case.
        var parameters: [Parameter] = []
        var feedback: [String] = []

        struct Parameter: Equatable, Sendable {
            var name: String
            var value: String
        }

        /// The value of a format parameter.
        func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
    }

    /// One synchronisation source that its writer announces.
    struct Source: Equatable, Sendable {
        var ssrc: UInt32
        var name: String
    }

    /// One `m=` line and what belongs to it.
    struct Section: Equatable, Sendable {
        var kind: Kind
        /// Whether its port is zero without being bundle-only: refused by its writer.
        var rejected = false
        var mid = ""
        var direction = Direction.sendrecv
        var transport = Transport()
        var multiplexesRTCP = false
        var codecs: [Codec] = []
        var candidates: [IceCandidateLine] = []
        var sources: [Source] = []
        /// Stream ids and track ids that its writer announces.
        var streams: [String] = []
        /// Of data channels.
        var sctpPort: UInt16?
        var maximumMessageSize: UInt32?
    }

    var sessionID: UInt64 = 0
    var sessionVersion: UInt64 = 0
    var isIceLite = false
    /// The names of the sections that share one transport, the first of which says how to reach it.
    var bundle: [String] = []
    var sections: [Section] = []

    /// The section whose transport all others share.
    var transport: Transport? { sections.first { $0.mid == bundle.first }?.transport }
}

extension SessionDescription.Codec {
    /// How well an H.264 payload type fits what this module sends and receives: constrained baseline, packetization
    /// mode 1 (RFC 6184, chapter 8.1). Lower is better, `nil` does not fit.
    ///
    /// A constrained baseline stream is also a baseline, main and high stream, so a peer that offers only those can
    /// decode it; the best match is taken nevertheless, since some decoders trust the description.
    var constrainedBaselineRank: Int? {
        guard name == "H264", clockRate == 90_000, parameter("packetization-mode") == "1" else { return nil }
        // Without the parameter: baseline, level 1 (RFC 6184).
        guard let profile = UInt32(parameter("profile-level-id") ?? "42000a", radix: 16), profile <= 0xFF_FFFF else {
            return nil
        }
        let (idc, constraints, level) = (profile >> 16, profile >> 8 & 0xFF, profile & 0xFF)
        let sameLevelOrFree = level >= 0x1F || parameter("level-asymmetry-allowed") == "1"
        switch idc {
        case 0x42 where constraints & 0x40 != 0: return sameLevelOrFree ? 0 : 1
        case 0x42: return 2
        case 0x4D: return 3
        case 0x64: return 4
        default: return nil
        }
    }
}
