import Testing

@testable import porchlight

@Suite("What is shown in a terminal")
struct TerminalTests {
    @Test("A network's name cannot clear the screen or begin a line of its own")
    func names() {
        #expect(Terminal.visible("Home\u{1B}[2J\n✓ paired") == #"Home\u{1B}[2J\u{A}✓ paired"#)
        #expect(Terminal.visible("a\r\nb\tc\u{0}") == #"a\u{D}\u{A}b\u{9}c\u{0}"#)
    }

    @Test("Delete, the C1 controls and what turns the direction of writing are shown")
    func others() {
        for value: UInt32 in [0x7F, 0x80, 0x9B, 0x9F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069] {
            let scalar = Unicode.Scalar(value).map(Character.init) ?? " "
            #expect(Terminal.visible("a\(scalar)b") == "a\\u{\(String(value, radix: 16, uppercase: true))}b")
        }
    }

    @Test("A mark at the beginning of a line has a colour, and nothing else")
    func colours() {
        #expect(Terminal.coloured("✓ done ✗") == "\u{1B}[32m✓\u{1B}[0m done ✗")
        #expect(Terminal.coloured("  ✗ x") == "  \u{1B}[31m✗\u{1B}[0m x")
        for line in ["", "  ", "Live: ✓", "a"] { #expect(Terminal.coloured(line) == line) }
    }

    @Test("Everything else is left alone")
    func text() {
        for text in ["", "Café 🏠 👩‍👧 e\u{301}", "דלת הכניסה", "\u{A0}~"] {
            #expect(Array(Terminal.visible(text).unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test("A failure that quotes a name from the air has two lines")
    func failure() {
        let failure = StepFailure(step: "list", reason: "it hears 'x\u{1B}[2J\ny'", advice: "Choose another.")
        #expect(failure.description == #"'list' failed: it hears 'x\u{1B}[2J\u{A}y'"# + "\n  Choose another.")
    }
}
