/// The header fields of a request or response: ordered, with case-insensitive names (RFC 9110 section 5.1).
public struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One header line.
    public struct Field: Sendable, Equatable {
        /// The name as it was written.
        public var name: String
        /// The value, without surrounding white space.
        public var value: String

        /// Names are compared without case, values with.
        public static func == (left: Field, right: Field) -> Bool {
            left.isNamed(right.name) && left.value == right.value
        }

        func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
    }

    /// The lines, in order; a name may stand more than once.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// One field for each pair, in order.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The first value under a name. Setting replaces all of that name; setting nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.isNamed(name) }?.value }
        set {
            guard let newValue else { return fields.removeAll { $0.isNamed(name) } }
            set(name, newValue)
        }
    }

    /// All values under a name, in order.
    public func values(_ name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }

    /// Appends a line, and keeps others of the same name (`Set-Cookie` needs that).
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Replaces all lines of a name with one, at the place of the first.
    public mutating func set(_ name: String, _ value: String) {
        guard let first = fields.firstIndex(where: { $0.isNamed(name) }) else { return add(name, value) }
        fields[first] = Field(name: name, value: value)
        let rest = fields.index(after: first)
        fields = Array(fields[..<rest] + fields[rest...].filter { !$0.isNamed(name) })
    }

    /// Whether a comma-separated field such as `Connection` holds a token, without case.
    func contains(_ token: String, in name: String) -> Bool {
        values(name).contains { line in
            line.split(separator: ",").contains { $0.trimmed().lowercased() == token }
        }
    }
}

extension Substring {
    /// Without the blanks and tabs (RFC 9110's optional white space) at either end.
    func trimmed() -> Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
