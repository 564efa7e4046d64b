/// The way back from a network that is tried: what wpa_supplicant did before.
///
/// It is written into the tried network's own block (`id_str`, which wpa_supplicant keeps and does not read). So a camera
/// that was killed in the middle finds it at its next start; and when wpa_supplicant ends, it goes together with what it is
/// about.
struct SupplicantRetreat: Sendable, Equatable {
    /// Stands in the blocks that a camera made, also those of an earlier run.
    static let mark = "porchlight-camera"
    /// Stands where no block was current; it cannot be a path.
    private static let none: Substring = "-"

    /// The path of the block that the interface was on, or was about to be on; nil for none.
    var current: String?
    /// The paths of the blocks that might be joined.
    var enabled: [String]

    /// Notes what is so now.
    init(current: String?, enabled: [String]) {
        self.current = current
        self.enabled = enabled
    }

    /// Reads ``text``; nil for anything else.
    init?(text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 2, words[0] == Self.mark else { return nil }
        current = words[1] == Self.none ? nil : String(words[1])
        enabled = words.dropFirst(2).map(String.init)
    }

    /// As it is written into a block: ``mark``, the current block, and the others, between spaces, which no path has.
    var text: String { ([Self.mark, current ?? String(Self.none)] + enabled).joined(separator: " ") }
}
