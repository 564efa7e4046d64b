import Porchlight

/// A line of a list to choose from: its number, a name from the air, how strong it is heard, and a word.
struct ListRow: Sendable, Equatable {
    var number: Int
    var name: String
    /// In dBm; nil where the radio does not tell.
    var rssi: Int?
    var note: String
    /// Whether Enter alone takes it.
    var isDefault = false

    /// Steps that rise with the strength.
    var bars: String {
        guard let rssi else { return "····" }
        let step = BLECamera.Signal(rssi: rssi).rawValue
        return "▂▄▆█".prefix(step + 1) + String(repeating: "·", count: BLECamera.Signal.allCases.count - 1 - step)
    }

    /// Such as `-48 dBm`.
    var strength: String { rssi.map { "\($0) dBm" } ?? "" }

    /// The rows in columns that stand below each other. Where there is little room the words go first, then the strength,
    /// then the bars; a name that is too long is cut.
    static func lines(_ rows: [ListRow], columns: Int, limit: Int = .max) -> [String] {
        let limit = max(1, limit)
        let shown = rows.count > limit ? rows.prefix(limit - 1) : rows[...]
        let head = 4 + (rows.map { "\($0.number)".count }.max() ?? 1)
        // The last column is left free: some terminals go to the next line when it is written.
        let room = columns - 1 - head
        let names = shown.map { Terminal.visible($0.name) }
        let longest = names.map(TextColumns.count).max() ?? 0
        var tails: [(width: Int, text: (ListRow) -> String)] = []
        var taken = 0
        for (width, text) in [(4, \ListRow.bars), (8, \.strength), (shown.map(\.note.count).max() ?? 0, \.note)] {
            guard width > 0 else { continue }
            guard taken + 2 + width + min(longest, Self.usefulName) <= room else { break }
            tails.append((width, { $0[keyPath: text] }))
            taken += 2 + width
        }
        let width = max(1, min(longest, room - taken))
        var lines = zip(shown, names).map { row, name in
            let number = "\(row.number)"
            let padding = String(repeating: " ", count: head - 3 - number.count)
            var line = "\(row.isDefault ? "›" : " ")\(padding)\(number)  " + TextColumns.fit(name, width)
            for tail in tails { line += "  " + TextColumns.fit(tail.text(row), tail.width) }
            return TextColumns.cut(String(line.reversed().drop { $0 == " " }.reversed()), columns - 1)
        }
        if shown.count < rows.count {
            lines.append(TextColumns.cut("   … and \(rows.count - shown.count) more", columns - 1))
        }
        return lines
    }

    /// So much of a name comes before words about it.
    private static let usefulName = 20
}

/// Numbers that stay with what got them, while a list changes its order under a person's hands.
struct Numbering<ID: Hashable & Sendable>: Sendable {
    private var numbers: [ID: Int] = [:]

    /// Gives each that has none the next number, from 1.
    mutating func add(_ ids: some Sequence<ID>) {
        for id in ids where numbers[id] == nil { numbers[id] = numbers.count + 1 }
    }

    /// 0 for what was never added.
    subscript(id: ID) -> Int { numbers[id] ?? 0 }

    /// A number as a person types it; nil for what is none.
    static func number(in text: String) -> Int? {
        text.count <= 3 && !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
    }
}
