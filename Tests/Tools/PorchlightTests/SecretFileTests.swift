import Foundation
import TestSupport
import Testing
import Wire

@testable import porchlight

@Suite("A secret in a file")
struct SecretFileTests {
    @Test("It is the first line, without the line's end", arguments: ["t", "t\n", "t\r\nmore", "t\nmore\n"])
    func firstLine(text: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("token")
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(try Secret(inFile: path, "token") == Secret("t"))
    }

    @Test("The longest is whole, and what follows the first line does not count")
    func longest() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("token")
        let token = String(repeating: "x", count: 4096)
        try (Data(token.utf8) + Data([0x0A, 0xFF]) + Data(count: 1 << 20)).write(to: URL(filePath: path))
        #expect(try Secret(inFile: path, "token") == Secret(token))
    }

    @Test("What cannot be read is told in words, with the file's name")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        let (binary, empty) = (directory.path("binary"), directory.path("empty"))
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(filePath: binary))
        try Data("\n".utf8).write(to: URL(filePath: empty))
        let long = directory.path("long")
        try Data(repeating: UInt8(ascii: "x"), count: 4097).write(to: URL(filePath: long))
        for (path, words) in [
            (directory.url.path, "it is a directory"), (directory.path("none"), "there is no such file"),
            (binary, "no text in UTF-8"), (empty, "holds no token"), (long, "longer than 4096 bytes"),
            ("/dev/zero", "longer than 4096 bytes"),
        ] {
            let failure = #expect(throws: StepFailure.self) { try Secret(inFile: path, "token") }
            #expect(failure?.reason.contains(words) == true)
            #expect(failure?.reason.contains(path) == true)
        }
    }
}
