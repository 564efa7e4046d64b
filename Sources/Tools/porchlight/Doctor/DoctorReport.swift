/// What `porchlight doctor` prints: lines for a person, or one JSON object.
struct DoctorReport: Encodable {
    /// Who was asked about.
    var roles: [String]
    /// Whether nothing that is needed is broken.
    var works: Bool
    var problems: Int
    var notes: Int
    var findings: [Finding]

    private let sections: [Examination.Section]

    private enum CodingKeys: CodingKey { case roles, works, problems, notes, findings }

    init(_ sections: [Examination.Section], roles: Set<Role>) {
        self.sections = sections
        self.roles = roles.sorted().map(\.rawValue)
        findings = sections.flatMap(\.findings)
        problems = findings.count { $0.level == .problem }
        notes = findings.count { $0.level == .note }
        works = problems == 0
    }

    /// For a person.
    var lines: [String] {
        var lines: [String] = []
        for section in sections {
            lines.append(section.title)
            for finding in section.findings {
                lines.append("  \(Self.mark(of: finding.level)) \(finding.says)")
                if let remedy = finding.remedy { lines.append("      \(remedy)") }
            }
        }
        return lines + ["", summary]
    }

    private var summary: String {
        let counts = [(problems, "problem"), (notes, "note")].filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: ", ")
        if problems > 0 { return "\(counts). What follows a ✗ has to be mended." }
        return "Everything that is needed works\(counts.isEmpty ? "" : " (\(counts))")."
    }

    private static func mark(of level: Finding.Level) -> String {
        switch level {
        case .ok: "✓"
        case .note: "·"
        case .problem: "✗"
        }
    }
}
