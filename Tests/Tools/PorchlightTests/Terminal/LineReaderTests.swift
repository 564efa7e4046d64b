import Foundation
import Testing

@testable import porchlight

@Suite("Lines of a pipe", .timeLimit(.minutes(1)))
struct LineReaderTests {
    private func lines(_ pieces: [Data]) async -> [String] {
        let pipe = Pipe()
        let stream = LineReader.lines(of: pipe.fileHandleForReading)
        Thread.detachNewThread {
            for piece in pieces { pipe.fileHandleForWriting.write(piece) }
            try? pipe.fileHandleForWriting.close()
        }
        return await stream.reduce(into: []) { $0.append($1) }
    }

    @Test("They come as they were written, also empty ones and a last one without an end")
    func whole() async {
        #expect(await lines([]) == [])
        #expect(await lines([Data("a\n\nb".utf8), Data("c\nd".utf8)]) == ["a", "", "bc", "d"])
        #expect(await lines([Data("a\n".utf8)]) == ["a"])
    }

    @Test("One that is too long is cut, and the next one is whole")
    func long() async {
        let long = Data(repeating: UInt8(ascii: "x"), count: LineReader.longest * 3)
        let cut = String(repeating: "x", count: LineReader.longest)
        #expect(await lines([Data("a\n".utf8), long, Data("\nb\n".utf8)]) == ["a", cut, "b"])
    }

    @Test("One that has no end as yet is given when it is too long")
    func endless() async throws {
        let pipe = Pipe()
        let stream = LineReader.lines(of: pipe.fileHandleForReading)
        let long = Data(repeating: UInt8(ascii: "x"), count: LineReader.longest)
        Thread.detachNewThread { pipe.fileHandleForWriting.write(long) }
        let first = await stream.first { _ in true }
        #expect(first?.utf8.count == LineReader.longest)
        try pipe.fileHandleForWriting.close()
    }
}
