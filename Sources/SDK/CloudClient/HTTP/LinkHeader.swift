import Wire

/// Reads STUN and TURN servers from the `Link` fields of a live answer.
///
/// The form is RFC 8288's; the relation `ice-server` and its parameters are those of the WHIP and WHEP drafts. What is
/// malformed or of another relation is passed over: a viewer can do without it.
enum LinkHeader {
    /// More servers than this slow a connection down, and nobody needs them.
    static let maximumServers = 16

    static func iceServers(in field: String) -> [ICEServer] {
        var servers: [ICEServer] = []
        for link in split(field, at: ",") where servers.count < maximumServers {
            var parts = split(link, at: ";")
            let target = parts.removeFirst()
            guard target.hasPrefix("<"), target.hasSuffix(">") else { continue }
            let url = String(target.dropFirst().dropLast())
            let scheme = url.prefix { $0 != ":" }.lowercased()
            guard ["stun", "stuns", "turn", "turns"].contains(scheme) else { continue }
            var parameters: [String: String] = [:]
            for part in parts {
                guard let equals = part.firstIndex(of: "=") else { continue }
                let name = trim(part[..<equals]).lowercased()
                if parameters[name] == nil { parameters[name] = unquote(trim(part[part.index(after: equals)...])) }
            }
            let relations = (parameters["rel"] ?? "").lowercased().split(separator: " ")
            guard relations.contains("ice-server") else { continue }
            servers.append(
                ICEServer(
                    urls: [url], username: parameters["username"], credential: parameters["credential"].map(Secret.init)
                ))
        }
        return servers
    }

    /// Splits at a separator that stands neither in quotes nor in angle brackets. There is at least one part.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        var isBracketed = false
        for character in text {
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "<" where !isQuoted: isBracketed = true
            case ">" where !isQuoted: isBracketed = false
            case separator where !isQuoted && !isBracketed:
                parts.append("")
                continue
            default: break
            }
            parts[parts.count - 1].append(character)
        }
        return parts.map { trim($0[...]) }
    }

    private static func trim(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }

    private static func unquote(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}
