extension LiveAnswer {
    /// The codec of the picture, by its name in the answer (`H264`); nil when the answer has no picture.
    ///
    /// The first payload type of the first video section, looked up in its `rtpmap` lines (RFC 8866, section 6.6).
    public var videoCodec: String? {
        let lines = sdp.split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("m=video ") }) else { return nil }
        let words = lines[start].split(separator: " ")
        guard words.count > 3 else { return nil }
        let prefix = "a=rtpmap:\(words[3]) "
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("m=") }
        return section.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count).split(separator: "/").first.map(
            String.init)
    }
}
