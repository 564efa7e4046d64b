import Foundation

/// One object of a report: a stream, a pair of candidates, a transport.
public struct RTCStatistics: Sendable, Equatable {
    /// A number or a text.
    public enum Value: Sendable, Equatable {
        /// Yes or no.
        case boolean(Bool)
        /// A number, whatever its kind in the engine.
        case number(Double)
        /// A text.
        case text(String)
    }

    /// The object's name, by which others of the report refer to it.
    public var id: String
    /// `inbound-rtp`, `outbound-rtp`, `remote-inbound-rtp`, `remote-outbound-rtp`, `candidate-pair`, `local-candidate`,
    /// `remote-candidate`, `transport`, `codec`, `peer-connection`, `data-channel`, `stream` or `certificate` (W3C
    /// WebRTC Statistics).
    public var type: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// When it was taken, in microseconds since 1970.
    public var timestamp_us: Double
    /// The members by their W3C names: `packetsReceived`, `bytesSent`, `selectedCandidatePairId` and so on, as far as the
    /// engine has them.
    public var values: [String: Value]

    /// A member that is a number.
    public func number(_ name: String) -> Double? {
        guard case .number(let number) = values[name] else { return nil }
        return number
    }

    /// A member that is a text.
    public func text(_ name: String) -> String? {
        guard case .text(let text) = values[name] else { return nil }
        return text
    }
}

/// What a connection knows of its own working at one moment.
public struct RTCStatisticsReport: Sendable, Equatable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// When it was taken, in microseconds since 1970.
    public var timestamp_us: Double
    /// The objects by their names.
    public var statistics: [String: RTCStatistics]

    /// All objects of one type, by name.
    public func statistics(ofType type: String) -> [RTCStatistics] {
        statistics.values.filter { $0.type == type }.sorted { $0.id < $1.id }
    }

    /// The engine's types, by their numbers.
    private static let types = [
        1: "codec", 2: "inbound-rtp", 3: "outbound-rtp", 4: "remote-inbound-rtp", 5: "remote-outbound-rtp", 6: "csrc",
        7: "peer-connection", 8: "data-channel", 9: "stream", 10: "transport", 11: "candidate-pair",
        12: "local-candidate", 13: "remote-candidate", 14: "certificate",
    ]

    init(engine fields: [String: StructureValue]) {
        timestamp_us = Date().timeIntervalSince1970 * 1_000_000
        statistics = [:]
        for (name, field) in fields {
            guard case .structure(let members) = field, case .enumeration(let number) = members["type"],
                let type = Self.types[number]
            else { continue }
            var id = name
            if case .text(let text) = members["id"] { id = text }
            var values: [String: RTCStatistics.Value] = [:]
            for (key, member) in members where !["id", "type", "timestamp"].contains(key) {
                values[Self.camelCase(key)] = RTCStatistics.Value(member)
            }
            statistics[id] = RTCStatistics(id: id, type: type, timestamp_us: timestamp_us, values: values)
        }
    }

    /// `packets-received` → `packetsReceived`.
    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "-")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension RTCStatistics.Value {
    /// What is neither a number nor a text has no place in a report.
    init?(_ value: StructureValue) {
        switch value {
        case .boolean(let value): self = .boolean(value)
        case .signed(let value): self = .number(Double(value))
        case .unsigned(let value): self = .number(Double(value))
        case .real(let value): self = .number(value)
        case .text(let value): self = .text(value)
        case .enumeration, .structure: return nil
        }
    }
}
