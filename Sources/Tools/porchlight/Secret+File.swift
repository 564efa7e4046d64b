import Foundation
import Wire

extension Secret {
    /// More than any token or password has, in bytes: a file that is none of them may have no end.
    private static let longest = 4096

    /// The first line of a file, of at most 4096 bytes.
    /// - Parameter what: Names it in the error.
    init(inFile path: String, _ what: String) throws(StepFailure) {
        let unreadable = { (reason: String) in
            StepFailure(
                step: "prepare", reason: "the \(what) cannot be read from \(path): \(reason)",
                advice: "Check the file's name and who may read it.")
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw unreadable("there is no such file")
        }
        guard !isDirectory.boolValue else { throw unreadable("it is a directory, no file that can be read") }
        // Through a handle, since `<(command)` of a shell is a pipe.
        guard let data = try? Self.firstBytes(ofFile: path) else { throw unreadable("it is no file that can be read") }
        let first = data.prefix { $0 != UInt8(ascii: "\n") }
        guard first.count <= Self.longest else {
            throw unreadable("its first line is longer than \(Self.longest) bytes")
        }
        guard let text = String(data: first, encoding: .utf8) else { throw unreadable("it is no text in UTF-8") }
        let line = text.prefix { !$0.isNewline }
        guard !line.isEmpty else {
            throw StepFailure(
                step: "prepare", reason: "\(path) holds no \(what) in its first line",
                advice: "Write it there, or name another file.")
        }
        self.init(String(line))
    }

    /// What tells whether the first line is too long, at the most. A pipe gives it piece by piece.
    private static func firstBytes(ofFile path: String) throws -> Data {
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? handle.close() }
        var data = Data()
        while data.count <= longest, let piece = try handle.read(upToCount: longest + 1 - data.count), !piece.isEmpty {
            data += piece
        }
        return data
    }
}
