/// One step of a schema's history.
///
/// A migration that has been released is never changed or removed; the next change is a new one at the end of the list.
public struct Migration: Sendable {
    /// What it brings, for a reader.
    public let name: StaticString
    /// One or more statements, separated by semicolons.
    public let script: StaticString

    /// Describes a step.
    public init(_ name: StaticString, _ script: StaticString) {
        self.name = name
        self.script = script
    }
}
