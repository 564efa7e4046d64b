import Foundation
import Testing

@testable import porchlight

@Suite("A list to choose from")
struct ListRowTests {
    private let rows = [
        ListRow(number: 2, name: "Camera A1B2", rssi: -48, note: "protected", isDefault: true),
        ListRow(number: 1, name: "Camera C3D4", rssi: -71, note: ""),
        ListRow(number: 11, name: "Camera E5F6", rssi: nil, note: "Improv"),
    ]

    @Test("Columns stand below each other")
    func wide() {
        #expect(
            ListRow.lines(rows, columns: 80) == [
                "›  2  Camera A1B2  ▂▄▆█  -48 dBm   protected",
                "   1  Camera C3D4  ▂▄··  -71 dBm",
                "  11  Camera E5F6  ····            Improv",
            ])
    }

    @Test("Where there is little room the words go first, then the strength, then the bars, then the name's end")
    func narrow() {
        func first(_ columns: Int) -> String { ListRow.lines(rows, columns: columns)[0] }
        #expect(first(44) == "›  2  Camera A1B2  ▂▄▆█  -48 dBm")
        #expect(first(33) == "›  2  Camera A1B2  ▂▄▆█")
        #expect(first(23) == "›  2  Camera A1B2")
        #expect(first(14) == "›  2  Camera…")
    }

    @Test("No line is wider than the terminal, whatever the names", arguments: [10, 20, 33, 44, 80, 200])
    func width(columns: Int) {
        let names = ["", "日本語の名前がとても長い", "🏠🌷🐆🏠🌷🐆🏠🌷", "Home\u{1B}[2J\n", String(repeating: "x", count: 32), "e\u{301}"]
        let rows = names.enumerated().map {
            ListRow(number: $0.offset, name: $0.element, rssi: -100, note: "locked, WPA2")
        }
        for line in ListRow.lines(rows, columns: columns) {
            #expect(TextColumns.count(line) < columns)
            #expect(!line.contains("\u{1B}") && !line.contains("\n"))
        }
    }

    @Test("A long list says how many more there are")
    func long() {
        let rows = (1...30).map { ListRow(number: $0, name: "n\($0)", rssi: -50, note: "") }
        let lines = ListRow.lines(rows, columns: 80, limit: 10)
        #expect(lines.count == 10)
        #expect(lines.last == "   … and 21 more")
    }

    @Test("A number stays with what got it")
    func numbering() {
        var numbers = Numbering<String>()
        numbers.add(["a", "b"])
        numbers.add(["c", "b", "a"])
        #expect(["a", "b", "c", "d"].map { numbers[$0] } == [1, 2, 3, 0])
        #expect(Numbering<String>.number(in: "12") == 12)
        for text in ["", "-1", "1a", "٣", "1234"] { #expect(Numbering<String>.number(in: text) == nil) }
    }
}
