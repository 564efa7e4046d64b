import Foundation
import TestSupport
import Testing

@testable import CameraDevice

@Suite struct StateDirectoryTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func isMadeWithItsParents() throws {
        let path = directory.path("a/b/c")
        let state = try StateDirectory(path: path)
        try state.replace("file", with: Data("content".utf8))
        #expect(try state.read("file") == Data("content".utf8))
        #expect(state.mode(of: "file") == 0o600)
        #expect(try state.read("other") == nil)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func isMadeForThisAccountOnly() throws {
        let parent = directory.path("parent")
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: parent)
        _ = try StateDirectory(path: parent + "/camera")
        #expect(try mode(parent + "/camera") == 0o700)
        #expect(try mode(parent) == 0o755, "a directory above that was there is somebody else's")
    }

    @Test(arguments: [0o755, 0o750, 0o770, 0o1777, 0o701])
    func anOpenDirectoryIsRefusedAndLeftAlone(bits: Int) throws {
        let path = directory.path("shared")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: path)
        let error = try #require(throws: CameraError.self) { try StateDirectory(path: path) }
        #expect(error == .stateDirectoryExposed(path: path))
        #expect(error.description.contains("`chmod 700 \(path)`"))
        #expect(!error.description.contains("\n"))
        #expect(try mode(path) == bits)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    @Test func aDirectoryOfThisAccountIsTaken() throws {
        let path = directory.path("mine")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        _ = try StateDirectory(path: path)
    }

    @Test func aSecondCameraIsKeptOut() throws {
        let state = try StateDirectory(path: directory.path("camera"))
        #expect(throws: CameraError.stateDirectoryInUse(path: directory.path("camera"))) {
            try StateDirectory(path: directory.path("camera"))
        }
        _ = state
    }

    @Test func isFreeAgainWhenLetGo() throws {
        _ = try StateDirectory(path: directory.path("camera"))
        _ = try StateDirectory(path: directory.path("camera"))
    }

    @Test func aFileInItsPlaceIsAnErrorWithThePath() throws {
        let path = directory.path("file")
        try Data().write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: CameraError.self) { try StateDirectory(path: path) }
        guard case .stateDirectoryNotWritable(path, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(!error.description.contains("\n"))
    }

    @Test func aReplacedFileIsTheOldOneOrTheNewOne() throws {
        let state = try StateDirectory(path: directory.path("camera"))
        try state.replace("file", with: Data("old".utf8))
        // What a killed process leaves behind does not disturb the next one.
        try Data("half".utf8).write(to: URL(fileURLWithPath: state.path(of: ".file.new")))
        #expect(try state.read("file") == Data("old".utf8))
        try state.replace("file", with: Data("new".utf8))
        #expect(try state.read("file") == Data("new".utf8))
        #expect(!FileManager.default.fileExists(atPath: state.path(of: ".file.new")))
    }

    @Test func aFailedWriteKeepsTheOldContent() throws {
        let state = try StateDirectory(path: directory.path("camera"))
        try state.replace("file", with: Data("old".utf8))
        // A directory in the way of the temporary file makes every write fail, for root as well.
        try FileManager.default.createDirectory(atPath: state.path(of: ".file.new"), withIntermediateDirectories: true)
        #expect(throws: StateDirectory.FileFailure.self) { try state.replace("file", with: Data("new".utf8)) }
        #expect(try state.read("file") == Data("old".utf8))
    }

    @Test func removingTwiceIsNoError() throws {
        let state = try StateDirectory(path: directory.path("camera"))
        try state.replace("file", with: Data())
        try state.remove("file")
        try state.remove("file")
        #expect(try state.read("file") == nil)
    }
}
