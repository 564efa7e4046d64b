import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct MigrationTests {
    private let directory: TemporaryDirectory
    private let path: String

    private static let first = Migration("people", "CREATE TABLE person (name TEXT NOT NULL);")
    private static let second = Migration(
        "ages", "ALTER TABLE person ADD COLUMN age INTEGER; CREATE INDEX person_age ON person (age);")

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("test.sqlite")
    }

    @Test func runsEachStepOnceInOrder() throws {
        do {
            let connection = try Connection(path: path)
            try connection.migrate([Self.first])
            try connection.execute("INSERT INTO person VALUES (?)", "Ada")
            #expect(try connection.row("PRAGMA user_version")?["user_version"] == 1)
        }
        let connection = try Connection(path: path)
        try connection.migrate([Self.first, Self.second])
        try connection.migrate([Self.first, Self.second])
        #expect(try connection.row("PRAGMA user_version")?["user_version"] == 2)
        let row = try #require(try connection.row("SELECT * FROM person"))
        #expect(row.columns == ["name", "age"])
        #expect(row.values == [.text("Ada"), .null])
    }

    @Test func aStatementPreparedBeforeSeesTheNewSchema() throws {
        let connection = try Connection(path: path)
        try connection.migrate([Self.first])
        #expect(try connection.rows("SELECT * FROM person").isEmpty)
        try connection.migrate([Self.first, Self.second])
        try connection.execute("INSERT INTO person VALUES (?, ?)", "Ada", 36)
        #expect(try connection.row("SELECT * FROM person")?["age"] == 36)
    }

    @Test func aStepThatFailsLeavesTheFileAsItWas() throws {
        let connection = try Connection(path: path)
        let broken = Migration("broken", "CREATE TABLE half (a); CREATE TABLE person (name);")
        #expect(throws: SQLiteError.self) { try connection.migrate([Self.first, broken]) }
        #expect(try connection.row("PRAGMA user_version")?["user_version"] == 1)
        #expect(try connection.rows("SELECT name FROM sqlite_schema WHERE name = 'half'").isEmpty)
        try connection.migrate([Self.first, Self.second])
        #expect(try connection.row("PRAGMA user_version")?["user_version"] == 2)
    }

    @Test func refusesAFileFromTheFuture() throws {
        let connection = try Connection(path: path)
        try connection.migrate([Self.first, Self.second])
        #expect(throws: SQLiteError.newerSchema(path: path, found: 2, known: 1)) {
            try connection.migrate([Self.first])
        }
    }

    @Test func manyProgramsMigrateTheSameFile() async throws {
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { try Connection(path: path).migrate([Self.first, Self.second]) }
            }
            try await group.waitForAll()
        }
        #expect(try Connection(path: path).row("PRAGMA user_version")?["user_version"] == 2)
    }
}
