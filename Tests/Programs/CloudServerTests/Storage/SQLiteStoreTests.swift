import Foundation
import SQLite
import TestSupport
import Testing
import Wire

@testable import CloudServer

/// What holds for the store on SQLite alone.
@Suite struct SQLiteStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("cloud.sqlite")
    }

    @Test(arguments: [0o700, 0o755])
    func itsFilesAreTheOwnersOnly(inADirectoryOfMode mode: Int) async throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: directory.url.path(percentEncoded: false))
        let store = try SQLiteStore(path: path)
        try await store.createSpace(
            Space(id: "a", name: "A"), token: CredentialDigest(of: Secret("token")), at: Timestamp(rawValue: 1))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path(percentEncoded: false))
        #expect(Set(names) == ["cloud.sqlite", "cloud.sqlite-wal", "cloud.sqlite-shm"])
        for name in names {
            let mode = try FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test func aFileThatCannotBeMadeIsSaidSo() throws {
        let nowhere = directory.path("missing/cloud.sqlite")
        #expect(throws: StoreError.unavailable(reason: "\(SQLiteError.cannotOpen(path: nowhere))")) {
            _ = try SQLiteStore(path: nowhere)
        }
    }

    /// What the operator chose, say for a group that makes backups, stays.
    @Test func aFileThatIsThereKeepsItsMode() throws {
        try #require(
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o640]))
        _ = try SQLiteStore(path: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test func noSecretStandsInItsFiles() async throws {
        let fixture = try await CloudFixture()
        let key = try await fixture.newSessionKey()
        let device = TestDevice()
        _ = try await fixture.post(CloudRoute.registrations, try device.registration(key))
        let files = try FileManager.default.contentsOfDirectory(
            at: fixture.directory.url, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let bytes = try Data(contentsOf: file)
            #expect(bytes.range(of: Data(key.revealed.utf8)) == nil, "\(file.lastPathComponent)")
            #expect(bytes.range(of: Data(fixture.home.token.revealed.utf8)) == nil, "\(file.lastPathComponent)")
        }
        let all = try files.map { try Data(contentsOf: $0) }.reduce(Data(), +)
        #expect(all.range(of: Data(device.id.rawValue.utf8)) != nil, "the search finds nothing that is there either")
    }

    @Test func aLockThatIsHeldIsUnavailableAndPasses() async throws {
        let store = try SQLiteStore(path: path, busyTimeout: .milliseconds(50))
        let digest = CredentialDigest(of: Secret("token"))
        let holder = try Connection(path: path)
        await #expect(throws: StoreError.unavailable(reason: "\(SQLiteError.locked(path: path))")) {
            try holder.execute("BEGIN IMMEDIATE")
            try await store.createSpace(Space(id: "a", name: "A"), token: digest, at: Timestamp(rawValue: 1))
        }
        try holder.execute("ROLLBACK")
        try await store.createSpace(Space(id: "a", name: "A"), token: digest, at: Timestamp(rawValue: 1))
        #expect(try await store.spaces().count == 1)
    }

    @Test func aFileOfANewerProgramIsLeftAlone() throws {
        do {
            _ = try SQLiteStore(path: path)
            let connection = try Connection(path: path)
            try connection.execute("PRAGMA user_version = 99")
        }
        let error = #expect(throws: StoreError.self) { _ = try SQLiteStore(path: path) }
        #expect(error?.description.contains("schema version 99") == true)
    }
}
