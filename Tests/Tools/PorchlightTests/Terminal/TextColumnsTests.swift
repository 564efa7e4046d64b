import Testing

@testable import porchlight

@Suite("Columns of a text")
struct TextColumnsTests {
    @Test(
        "Letters take one, those of East Asia and emoji two, marks none",
        arguments: [
            ("Café", 4), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("ｆｕ", 4), ("🏠", 2), ("👩‍👧", 2), ("🇨🇭", 2), ("❤️", 2),
            ("❤", 1),
            ("", 0), ("דלת", 3), ("▂▄▆█·…", 6),
        ])
    func count(text: String, columns: Int) { #expect(TextColumns.count(text) == columns) }

    @Test("A text that is too long is cut with an ellipsis, never in the middle of a character")
    func cut() {
        #expect(TextColumns.cut("abcdef", 6) == "abcdef")
        #expect(TextColumns.cut("abcdef", 5) == "abcd…")
        #expect(TextColumns.cut("🏠🏠🏠", 4) == "🏠…")
        #expect(TextColumns.cut("abc", 1) == "…")
        #expect(TextColumns.cut("abc", 0) == "")
    }

    @Test("Wrapped, it is broken between words")
    func wrap() {
        #expect(TextColumns.wrap("one two  three", 7) == ["one two", "three"])
        #expect(TextColumns.wrap("日本 語", 4) == ["日本", "語"])
        #expect(TextColumns.wrap("abcdefgh ij", 5) == ["abcd…", "ij"])
        #expect(TextColumns.wrap("", 5).isEmpty)
    }

    @Test("Fitted, it takes exactly its columns")
    func fit() {
        for text in ["", "a", "🏠🏠🏠🏠🏠", "日本語の名前", "abcdefghij"] {
            for columns in 1...12 { #expect(TextColumns.count(TextColumns.fit(text, columns)) == columns) }
        }
    }
}
