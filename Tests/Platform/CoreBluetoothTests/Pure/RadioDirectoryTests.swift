import Foundation
import Glibc
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("The directory where radios meet")
struct RadioDirectoryTests {
    private let place: TemporaryDirectory
    private let path: String

    init() throws {
        place = try TemporaryDirectory()
        path = place.path("air")
    }

    private func make(mode: Int) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        // Apart from making it, so that the process's mask does not count.
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private var mode: Int? {
        get throws { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
    }

    @Test("one that is made is for this user alone")
    func made() throws {
        try RadioDirectory(path: path).prepare()
        #expect(try mode == 0o700)
        try RadioDirectory(path: path).prepare()
    }

    @Test("one that is there keeps its mode", arguments: [0o700, 0o750, 0o755])
    func kept(_ mode: Int) throws {
        try make(mode: mode)
        try RadioDirectory(path: path).prepare()
        #expect(try self.mode == mode)
    }

    @Test("one that others can write to is refused as it is", arguments: [0o770, 0o702, 0o777, 0o1777])
    func writable(_ mode: Int) throws {
        try make(mode: mode)
        #expect(throws: RadioDirectoryRefusal.othersMayWrite(path: path)) { try RadioDirectory(path: path).prepare() }
        #expect(try self.mode == mode)
    }

    @Test("one of another user is refused")
    func foreign() throws {
        // The root directory is somebody else's, unless this is root, who can give one away.
        var path = "/"
        if getuid() == 0 {
            try make(mode: 0o700)
            path = self.path
            try #require(chown(path, 1, 1) == 0)
        }
        let user: UInt32 = getuid() == 0 ? 1 : 0
        #expect(throws: RadioDirectoryRefusal.belongsToAnother(path: path, user: user)) {
            try RadioDirectory(path: path).prepare()
        }
    }

    @Test("a file is refused")
    func file() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(throws: SystemCallError(call: "use \(path)", number: ENOTDIR)) {
            try RadioDirectory(path: path).prepare()
        }
    }
}
