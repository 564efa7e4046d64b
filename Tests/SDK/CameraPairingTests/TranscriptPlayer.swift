import Foundation
import TestSupport

/// Plays the camera's part of a recorded conversation, and notes where the client does something else.
struct TranscriptPlayer: Sendable {
    private var rest: ArraySlice<Transcript.Line>
    /// Where the client left the transcript.
    private(set) var deviations: [String] = []

    init(_ transcript: Transcript) { rest = transcript.lines[...] }

    /// Everything has been said.
    var isOver: Bool { rest.isEmpty }

    /// Takes what the client writes.
    /// - Returns: What the camera notifies then.
    mutating func write(_ bytes: Data, to characteristic: String) -> [Data] {
        guard expect(.write, characteristic, bytes) else { return [] }
        let answers = rest.prefix { $0.operation == .notify }
        rest = rest.dropFirst(answers.count)
        return answers.map(\.bytes)
    }

    /// What the client reads.
    mutating func read(_ characteristic: String) -> Data {
        let bytes = rest.first?.bytes ?? Data()
        return expect(.read, characteristic, bytes) ? bytes : Data()
    }

    private mutating func expect(
        _ operation: Transcript.Operation, _ characteristic: String, _ bytes: Data
    ) -> Bool {
        let found = "\(operation) \(characteristic) \(hex(bytes))"
        guard let next = rest.popFirst() else {
            deviations.append("\(found) came after the end")
            return false
        }
        let expected = "\(next.operation) \(next.characteristic) \(hex(next.bytes))"
        if expected != found { deviations.append("\(found) came where \(expected) was due") }
        return expected == found
    }

    private func hex(_ bytes: Data) -> String { bytes.map { String(format: "%02X", $0) }.joined(separator: " ") }
}
