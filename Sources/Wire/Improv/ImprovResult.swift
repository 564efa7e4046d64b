public import Foundation

/// An Improv device's answer to a command: strings, whose meaning follows from the command.
public struct ImprovResult: Sendable, Hashable {
    /// Which command is answered: an ``ImprovCommand/Code``, or a byte that no revision knows.
    public var code: UInt8
    /// Any bytes; most are UTF-8, but an SSID need not be.
    public var strings: [Data]

    /// Describes an answer.
    public init(code: ImprovCommand.Code, strings: [Data]) {
        self.code = code.rawValue
        self.strings = strings
    }

    /// Reads one whole frame.
    public init(decoding data: Data) throws(WireError) { (code, strings) = try ImprovFrame.decode(data) }

    /// The frame.
    public func encoded() throws(WireError) -> Data { try ImprovFrame.encode(code, strings: strings) }

    /// Which command is answered, if it is one that is known.
    public var command: ImprovCommand.Code? { ImprovCommand.Code(rawValue: code) }

    /// The page at which the person goes on after a join: an http or https address. Nil when there is none, and for
    /// addresses of any other kind, which a device on a desk has no business to make an app open.
    public var redirect: URL? {
        guard command == .join, let first = strings.first,
            let text = String(validating: first, as: UTF8.self),
            let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil
        else { return nil }
        return url
    }
}

/// What an Improv device says of itself.
public struct ImprovDeviceInfo: Sendable, Hashable {
    /// Such as `ESPHome`.
    public var firmware: String
    /// Such as `2021.11.0`.
    public var version: String
    /// Such as `ESP32-C3`.
    public var hardware: String
    /// What its owner calls it; can be empty.
    public var name: String

    /// Reads the answer to ``ImprovCommand/deviceInfo``; strings after the fourth are of later revisions and ignored.
    public init(_ result: ImprovResult) throws(WireError) {
        guard result.command == .deviceInfo else {
            throw .value(field: "device info", reason: "an answer to command \(result.code)")
        }
        guard result.strings.count >= 4 else { throw .missing(field: "device info") }
        var texts: [String] = []
        for string in result.strings.prefix(4) {
            guard let text = String(validating: string, as: UTF8.self) else { throw .notText(field: "device info") }
            texts.append(text)
        }
        (firmware, version, hardware, name) = (texts[0], texts[1], texts[2], texts[3])
    }
}
