import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct ConnectionTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("test.sqlite")
    }

    private func open(_ configuration: Connection.Configuration = .init()) throws -> Connection {
        try Connection(path: path, configuration: configuration)
    }

    @Test func isOpenedDurableAndStrict() throws {
        let connection = try open()
        #expect(try connection.row("PRAGMA journal_mode")?["journal_mode"] == "wal")
        #expect(try connection.row("PRAGMA synchronous")?["synchronous"] == 2)
        #expect(try connection.row("PRAGMA foreign_keys")?["foreign_keys"] == 1)
        #expect(try connection.row("PRAGMA busy_timeout")?["timeout"] == 5000)
    }

    @Test(arguments: [
        SQLiteValue.null, .integer(.min), .integer(.max), .real(0.1), .text(""), .text("naïve ☃ '; DROP TABLE t; --"),
        .text("a\0b"), .blob(Data()), .blob(Data([0, 1, 255])),
    ])
    func aValueComesBackAsItWasBound(_ value: SQLiteValue) throws {
        let connection = try open()
        #expect(try connection.row("SELECT ? AS value", value)?.values == [value])
        try connection.execute("CREATE TABLE t (value)")
        #expect(try connection.execute("INSERT INTO t VALUES (?)", value) == 1)
        #expect(try connection.rows("SELECT value FROM t").map(\.values) == [[value]])
    }

    @Test func readsTypesAndRefusesOthers() throws {
        let connection = try open()
        let row = try #require(
            try connection.row(
                "SELECT ? AS number, ? AS flag, ? AS text, ? AS none, ? AS real", 7, true, "x", SQLiteValue.null, 1.5
            ))
        let number: Int = try row["number"]
        let flag: Bool = try row["flag"]
        let nothing: String? = try row["none"]
        let present: String? = try row["text"]
        let real: Double = try row["real"]
        #expect(number == 7 && flag && nothing == nil && present == "x" && real == 1.5)
        #expect(throws: SQLiteError.column(name: "text", expected: "Int", found: "text")) {
            let _: Int = try row["text"]
        }
        #expect(throws: SQLiteError.column(name: "number", expected: "Bool", found: "an integer")) {
            let _: Bool = try row["number"]
        }
        #expect(throws: SQLiteError.column(name: "none", expected: "String", found: "null")) {
            let _: String = try row["none"]
        }
        #expect(throws: SQLiteError.column(name: "other", expected: "Int", found: "missing")) {
            let _: Int = try row["other"]
        }
    }

    @Test func refusesAWrongNumberOfArguments() throws {
        let connection = try open()
        #expect(throws: SQLiteError.self) { try connection.rows("SELECT ?") }
        #expect(throws: SQLiteError.self) { try connection.rows("SELECT 1", 1) }
        #expect(throws: SQLiteError.self) { try connection.rows("") }
        #expect(try connection.rows("SELECT ? AS a", 1).count == 1)
    }

    @Test func namesTheStatementThatDoesNotParse() throws {
        let connection = try open()
        let error = try #require(throws: SQLiteError.self) { try connection.execute("SELEKT 1") }
        #expect("\(error)".contains("SELEKT 1"))
        #expect("\(error)".contains("syntax error"))
    }

    @Test func aStatementWorksAgainAfterAnError() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        try connection.execute("INSERT INTO t VALUES (?, ?)", 1, "canary")
        let taken = try #require(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (?, ?)", 2, "canary")
        }
        #expect(taken == .constraint(code: .constraintUnique, message: "UNIQUE constraint failed: t.name"))
        #expect(!"\(taken)".contains("canary"), "a bound value stands in an error")
        #expect(try connection.execute("INSERT INTO t VALUES (?, ?)", 2, "other") == 1)
        #expect(throws: SQLiteError.constraint(code: .constraintNotNull, message: "NOT NULL constraint failed: t.name"))
        {
            try connection.execute("INSERT INTO t VALUES (?, ?)", 3, SQLiteValue.null)
        }
    }

    @Test func foreignKeysHold() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        try connection.execute("CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent)")
        #expect(
            throws: SQLiteError.constraint(code: .constraintForeignKey, message: "FOREIGN KEY constraint failed")
        ) {
            try connection.execute("INSERT INTO child VALUES (1)")
        }
    }

    @Test func whatIsCommittedIsThereAfterReopening() throws {
        do {
            let connection = try open()
            try connection.execute("CREATE TABLE t (value)")
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (42)") }
        }
        #expect(try open().row("SELECT value FROM t")?["value"] == 42)
    }

    @Test func aThrowingTransactionLeavesNothing() throws {
        struct Stop: Error {}
        let connection = try open()
        try connection.execute("CREATE TABLE t (value)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(try connection.rows("SELECT * FROM t").isEmpty)
        try connection.transaction { try connection.execute("INSERT INTO t VALUES (2)") }
        #expect(try connection.rows("SELECT * FROM t").count == 1)
    }

    @Test func waitsForALockNoLongerThanItsLimit() throws {
        let holder = try open()
        let waiter = try open(.init(busyTimeout: .milliseconds(50)))
        try holder.execute("CREATE TABLE t (value)")
        try holder.transaction {
            let start = ContinuousClock.now
            #expect(throws: SQLiteError.locked(path: path)) {
                try waiter.execute("INSERT INTO t VALUES (1)")
            }
            let waited = ContinuousClock.now - start
            #expect(waited >= .milliseconds(45) && waited < .seconds(4), "\(waited)")
            let visible = try waiter.rows("SELECT * FROM t")
            #expect(visible.isEmpty, "a reader is held up, or sees what is not committed")
        }
        try waiter.execute("INSERT INTO t VALUES (1)")
    }

    @Test func saysThatTheDiskIsFullAndRecovers() throws {
        let connection = try open()
        // The page limit plays the full disk: the same result code, by the same way.
        try connection.migrate([Migration("a small disk", "CREATE TABLE t (value); PRAGMA max_page_count = 8;")])
        #expect(throws: SQLiteError.diskFull(path: path)) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO t VALUES (?)", Data(count: 100_000))
            }
        }
        #expect(try connection.rows("SELECT * FROM t").isEmpty, "half a transaction is there")
        try connection.transaction { try connection.execute("INSERT INTO t VALUES (2)") }
        #expect(try connection.row("SELECT value FROM t")?["value"] == 2)
    }

    @Test func saysWhatIsWrongWithThePath() throws {
        let missing = directory.path("missing/test.sqlite")
        #expect(throws: SQLiteError.cannotOpen(path: missing)) { try Connection(path: missing) }
        let text = directory.path("text")
        try Data(String(repeating: "this is no database. ", count: 300).utf8).write(to: URL(filePath: text))
        #expect(throws: SQLiteError.corrupt(path: text)) { try Connection(path: text) }
        #expect(throws: SQLiteError.cannotOpen(path: path)) { try open(.init(readOnly: true)) }
    }

    @Test func aReadOnlyConnectionReadsAndDoesNotWrite() throws {
        let writer = try open()
        try writer.execute("CREATE TABLE t (value)")
        try writer.execute("INSERT INTO t VALUES (1)")
        let reader = try open(.init(readOnly: true))
        #expect(try reader.rows("SELECT * FROM t").count == 1)
        #expect(throws: SQLiteError.readOnly(path: path)) { try reader.execute("INSERT INTO t VALUES (2)") }
    }

    @Test func aDamagedFileIsReported() throws {
        do {
            let connection = try open()
            try connection.execute("CREATE TABLE t (value)")
            for number in 0..<200 { try connection.execute("INSERT INTO t VALUES (?)", "row \(number) of the table") }
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.replaceSubrange(4096..., with: Data(repeating: 0x5A, count: bytes.count - 4096))
        try bytes.write(to: URL(filePath: path))
        #expect(throws: SQLiteError.corrupt(path: path)) { try open().rows("SELECT * FROM t") }
    }

    @Test func resultCodesKnowTheirKind() {
        #expect(SQLiteResultCode.constraintUnique.primary == .constraint)
        #expect(SQLiteResultCode.ioErrorFsync.primary == .ioError)
        #expect(SQLiteResultCode(rawValue: 2067) == .constraintUnique)
        #expect(SQLiteResultCode(rawValue: 1034) == .ioErrorFsync)
    }
}
