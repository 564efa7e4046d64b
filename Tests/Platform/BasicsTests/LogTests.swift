import Foundation
import Testing

@testable import Basics

@Suite struct LogTests {
    @Test func aLineIsWritten() throws {
        let pipe = Pipe()
        Log.append("a line\n", to: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() == Data("a line\n".utf8))
    }

    /// `/dev/full` refuses every write as a full disk does.
    @Test func aFullDiskDoesNotEndTheProgram() throws {
        let file = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        #expect(throws: (any Error).self) { try file.write(contentsOf: Data("x".utf8)) }
        Log.append("a line that is lost\n", to: file)
    }
}
