public import Foundation

/// A recorded conversation over GATT, as `docs/pairing-protocol.md` prints it: one operation a line.
///
/// `write networks 01 ; the scan command` and the same with `read` and `notify`; read stands with the value that came back.
public struct Transcript: Sendable {
    /// What was done with an attribute.
    public enum Operation: String, Sendable {
        /// The client reads it; the bytes are what it gets.
        case read
        /// The client writes it, with response.
        case write
        /// The camera notifies it.
        case notify
    }

    /// One operation.
    public struct Line: Sendable, Equatable {
        /// What was done.
        public var operation: Operation
        /// With which characteristic, by the name that the document gives it.
        public var characteristic: String
        /// The value.
        public var bytes: Data
    }

    /// The operations in their order.
    public let lines: [Line]

    /// The only transcript of that name in the document.
    public init(_ name: String, in document: ProtocolDocument) throws {
        let found = try document.examples(name).filter { $0.language == "transcript" }
        guard found.count == 1 else {
            throw ProtocolDocument.Flaw(description: "there are \(found.count) transcripts called \(name)")
        }
        lines = try found[0].lines.map { line in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count >= 2, let operation = Operation(rawValue: String(words[0])) else {
                throw ProtocolDocument.Flaw(description: "no operation of a transcript: \(line)")
            }
            return Line(
                operation: operation, characteristic: String(words[1]),
                bytes: words.count == 3 ? try ProtocolDocument.bytes(words[2]) : Data())
        }
    }
}
