import Testing

@testable import porchlight

@Suite("A line that is being typed")
struct TypedLineTests {
    private func events(_ bytes: [UInt8], keys: Bool = true) -> [TypedLine.Event] {
        var line = TypedLine(hasKeys: keys)
        return bytes.compactMap { line.take($0) }.filter { $0 != .edited }
    }

    private func text(_ bytes: [UInt8]) -> String {
        var line = TypedLine(hasKeys: true)
        for byte in bytes { _ = line.take(byte) }
        return line.text
    }

    @Test("Enter gives the line, and the next one begins empty")
    func enter() {
        #expect(events(Array("one\rtwo\n\n".utf8)) == [.entered("one"), .entered("two"), .entered("")])
    }

    @Test("Backspace takes a whole character, and Ctrl-U the line")
    func editing() {
        #expect(text(Array("aé👩‍👧\u{7F}".utf8)) == "aé")
        #expect(text(Array("aé\u{8}\u{8}\u{8}b".utf8)) == "b")
        #expect(text(Array("abc\u{15}d".utf8)) == "d")
    }

    @Test("A character of which bytes are missing is not shown yet")
    func partial() {
        let bytes = Array("a👋".utf8)
        for count in 2..<bytes.count { #expect(text(Array(bytes[..<count])) == "a") }
        #expect(text(bytes) == "a👋")
    }

    @Test("Arrows, function keys and other controls type nothing")
    func controls() {
        #expect(text(Array("a\u{1B}[A\u{1B}OP\u{1B}[15~\u{1B}xb\u{1}\u{9}".utf8)) == "ab")
    }

    @Test("Ctrl-D ends the input on an empty line only")
    func end() {
        #expect(events([0x04]) == [.ended])
        #expect(events(Array("a\u{4}b\n".utf8)) == [.entered("ab")])
    }

    @Test("A pipe has no keys: what is no line end is text; a last line needs none")
    func pipe() {
        #expect(events(Array("a\u{7F}\u{4}\r\nb\n".utf8), keys: false) == [.entered("a\u{7F}\u{4}"), .entered("b")])
        var line = TypedLine(hasKeys: false)
        _ = line.take(UInt8(ascii: "x"))
        #expect(line.end() == .entered("x"))
        #expect(line.end() == .ended)
    }

    @Test("What is typed beyond any name or password does not count")
    func long() {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: TypedLine.longest + 100) + [0x0A]
        #expect(events(bytes) == [.entered(String(repeating: "x", count: TypedLine.longest))])
    }
}
