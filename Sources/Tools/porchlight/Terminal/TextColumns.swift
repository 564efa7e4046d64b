/// How much of a terminal's line a text takes.
///
/// Names come from the air, in any script: a character of East Asia or an emoji takes two columns, a mark that is put on
/// another none (Unicode Standard Annex 11; emoji by their presentation). Where a terminal's own table differs, a line of
/// the list is a column off, no more.
enum TextColumns {
    /// The columns that a text takes.
    static func count(_ text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The text in exactly so many columns: padded with spaces, or cut with an ellipsis at its end.
    static func fit(_ text: String, _ columns: Int) -> String {
        let cut = cut(text, columns)
        return cut + String(repeating: " ", count: max(0, columns - count(cut)))
    }

    /// The text in at most so many columns.
    static func cut(_ text: String, _ columns: Int) -> String {
        guard count(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var cut = ""
        var taken = 1
        for character in text {
            taken += width(of: character)
            guard taken <= columns else { break }
            cut.append(character)
        }
        return cut + "…"
    }

    /// The text in lines of at most so many columns, broken between words; a word that is too long is cut.
    static func wrap(_ text: String, _ columns: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            let longer = (lines.last.map { $0 + " " } ?? "") + word
            if !lines.isEmpty, count(longer) <= columns {
                lines[lines.count - 1] = longer
            } else {
                lines.append(cut(String(word), columns))
            }
        }
        return lines
    }

    private static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if isWide(first) { return 2 }
        // A sign that stands for text by itself, made an emoji, or two letters that are a flag.
        if scalars.count > 1, first.properties.isEmoji, scalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isEmojiPresentation { return true }
        return switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
