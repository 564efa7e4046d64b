import Foundation
import Glibc
import SQLite
import Wire

/// The store in one SQLite file.
///
/// An actor on a queue of its own: a write blocks until the disk has it, and that must hold up neither the service thread
/// nor the shared pool.
actor SQLiteStore: Store {
    private let connection: Connection
    private let queue = StorageQueue(label: "cloud.storage")

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// How long a session is remembered after its key has expired, so that a late poll still learns how it ended.
    private static let memoryOfSessions: Duration = .seconds(24 * 60 * 60)

    /// Opens or makes the file at `path` and brings its schema up to date. A new file is readable by its owner only.
    /// - Parameter busyTimeout: How long an operation waits while another process holds the lock.
    init(path: String, busyTimeout: Duration = .seconds(5)) throws(StoreError) {
        connection = try Self.translating {
            try Self.makeFile(at: path)
            let connection = try Connection(path: path, configuration: .init(busyTimeout: busyTimeout))
            try connection.migrate(Schema.migrations)
            return connection
        }
    }

    /// Makes the file when it is not there. It is the owner's from its first moment, and SQLite gives its side files the
    /// mode of this one. A file that is there keeps the mode that its owner gave it.
    private static func makeFile(at path: String) throws(SQLiteError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            close(descriptor)
            return
        }
        switch errno {
        case EEXIST: return
        case ENOSPC, EDQUOT: throw .diskFull(path: path)
        case EROFS: throw .readOnly(path: path)
        default: throw .cannotOpen(path: path)
        }
    }

    func check() throws(StoreError) {
        try perform { _ = try $0.row("SELECT 1 FROM space LIMIT 1") }
    }

    func newestTimestamp() throws(StoreError) -> Timestamp? {
        try perform { connection in
            let newest: Int64? = try connection.row("SELECT max(created_at) AS newest FROM pairing_session")?["newest"]
            return newest.map(Timestamp.init(rawValue:))
        }
    }

    // MARK: Spaces and tokens

    func createSpace(_ space: Space, token: CredentialDigest, at now: Timestamp) throws(StoreError) {
        try perform { connection in
            try connection.transaction { try Self.insert(space, token: token, at: now, into: connection) }
        }
    }

    func createFirstSpace(_ space: Space, token: CredentialDigest, at now: Timestamp) throws(StoreError) -> Bool {
        try perform { connection in
            try connection.transaction {
                guard try connection.row("SELECT 1 FROM space LIMIT 1") == nil else { return false }
                try Self.insert(space, token: token, at: now, into: connection)
                return true
            }
        }
    }

    func spaces() throws(StoreError) -> [Space] {
        try perform { connection in
            try connection.rows("SELECT id, name FROM space ORDER BY created_at, id").map { row in
                Space(id: try row["id"], name: try row["name"])
            }
        }
    }

    func addToken(_ token: CredentialDigest, space: String, at now: Timestamp) throws(StoreError) -> Bool {
        try perform { connection in
            try connection.transaction {
                guard try connection.row("SELECT 1 FROM space WHERE id = ?", space) != nil else { return false }
                try Self.insert(token, space: space, at: now, into: connection)
                return true
            }
        }
    }

    func spaces(openedBy token: CredentialDigest) throws(StoreError) -> Set<String>? {
        try perform { connection in
            let rows = try connection.rows(
                """
                SELECT token_space.space AS space
                FROM token LEFT JOIN token_space ON token_space.token = token.digest
                WHERE token.digest = ?
                """, token.bytes)
            guard !rows.isEmpty else { return nil }
            var spaces: Set<String> = []
            for row in rows {
                let space: String? = try row["space"]
                if let space { spaces.insert(space) }
            }
            return spaces
        }
    }

    // MARK: Pairing sessions

    func createSession(_ session: PairingSession) throws(StoreError) {
        let forDevice: String? =
            if case .fourG(let deviceId) = session.sessionType { deviceId } else { nil }
        let forgotten = Timestamp(
            rawValue: session.createdAt.rawValue - Int64(Self.memoryOfSessions / .milliseconds(1)))
        try perform { connection in
            try connection.transaction {
                try connection.execute("DELETE FROM pairing_session WHERE expires_at < ?", forgotten.rawValue)
                try connection.execute(
                    """
                    INSERT INTO pairing_session
                        (key_digest, space, timezone_id, timezone_format, for_device, created_at, expires_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """, session.key.bytes, session.space, session.timezoneSettings.id,
                    session.timezoneSettings.tzFormat, forDevice, session.createdAt.rawValue,
                    session.expiresAt.rawValue)
            }
        }
    }

    func session(_ key: CredentialDigest, space: String) throws(StoreError) -> PairingSession? {
        try perform { connection in
            try Self.session(key, in: connection).flatMap { $0.space == space ? $0 : nil }
        }
    }

    func redeem(
        _ key: CredentialDigest, by device: DeviceIdentity, at now: Timestamp
    ) throws(StoreError) -> Redemption {
        try perform { connection in
            try connection.transaction {
                // The one place where a key is used up. Everything that must hold is in its condition.
                let used = try connection.execute(
                    """
                    UPDATE pairing_session SET redeemed_at = ?, redeemed_by = ?, failure = NULL
                    WHERE key_digest = ? AND redeemed_at IS NULL AND expires_at > ?
                        AND (for_device IS NULL OR for_device = ?)
                        AND NOT EXISTS (
                            SELECT 1 FROM device
                            WHERE device.id = ?
                                AND (device.space <> pairing_session.space OR device.public_key <> ?))
                    """, now.rawValue, device.id.rawValue, key.bytes, now.rawValue, device.id.rawValue,
                    device.id.rawValue, device.publicKey)
                guard let session = try Self.session(key, in: connection) else { return .refused(.unknown) }
                guard used == 1 else {
                    return try Self.explainRefusal(of: session, to: device, at: now, in: connection)
                }
                try connection.execute(
                    """
                    INSERT INTO device (id, space, name, model, public_key, registered_at) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET
                        model = excluded.model, registered_at = excluded.registered_at, paired_at = NULL
                    """, device.id.rawValue, session.space, device.defaultName, device.model, device.publicKey,
                    now.rawValue)
                return .registered(try Self.receipt(for: device, of: session, in: connection))
            }
        }
    }

    func recordFailure(
        _ failure: PairingFailure, key: CredentialDigest, at now: Timestamp
    ) throws(StoreError) -> KeyState {
        try perform { connection in
            try connection.transaction {
                guard let session = try Self.session(key, in: connection) else { return .unknown }
                let state = session.keyState(at: now)
                if state == .valid { try Self.note(failure, on: key, in: connection) }
                return state
            }
        }
    }

    func markConnected(_ device: DeviceID, at now: Timestamp) throws(StoreError) {
        try perform { connection in
            // Nearly every call finds nothing to do: a reconnection costs a read, not a write to the disk.
            let pending = try connection.row(
                """
                SELECT 1 FROM device WHERE id = ?1 AND paired_at IS NULL
                UNION ALL
                SELECT 1 FROM pairing_session WHERE redeemed_by = ?1 AND paired_at IS NULL
                """, device.rawValue)
            guard pending != nil else { return }
            try connection.transaction {
                try connection.execute(
                    "UPDATE device SET paired_at = ? WHERE id = ? AND paired_at IS NULL", now.rawValue, device.rawValue)
                try connection.execute(
                    "UPDATE pairing_session SET paired_at = ? WHERE redeemed_by = ? AND paired_at IS NULL",
                    now.rawValue, device.rawValue)
            }
        }
    }

    // MARK: Devices

    func device(_ id: DeviceID) throws(StoreError) -> DeviceModel? {
        try perform { connection in
            try connection.row("SELECT * FROM device WHERE id = ?", id.rawValue).map(DeviceModel.init(row:))
        }
    }

    func devices(space: String) throws(StoreError) -> [DeviceModel] {
        try perform { connection in
            try connection.rows("SELECT * FROM device WHERE space = ? ORDER BY id", space).map(DeviceModel.init(row:))
        }
    }

    // MARK: Parts

    private func perform<Result>(_ body: (Connection) throws -> Result) throws(StoreError) -> Result {
        try Self.translating { try body(connection) }
    }

    private static func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as SQLiteError {
            throw StoreError(error)
        } catch {
            throw .fault(reason: "\(error)")
        }
    }

    private static func insert(
        _ space: Space, token: CredentialDigest, at now: Timestamp, into connection: Connection
    ) throws(SQLiteError) {
        try connection.execute(
            "INSERT INTO space (id, name, created_at) VALUES (?, ?, ?)", space.id, space.name, now.rawValue)
        try insert(token, space: space.id, at: now, into: connection)
    }

    private static func insert(
        _ token: CredentialDigest, space: String, at now: Timestamp, into connection: Connection
    ) throws(SQLiteError) {
        try connection.execute("INSERT INTO token (digest, created_at) VALUES (?, ?)", token.bytes, now.rawValue)
        try connection.execute("INSERT INTO token_space (token, space) VALUES (?, ?)", token.bytes, space)
    }

    private static func session(_ key: CredentialDigest, in connection: Connection) throws -> PairingSession? {
        try connection.row("SELECT * FROM pairing_session WHERE key_digest = ?", key.bytes).map { row in
            try PairingSession(row: row, key: key)
        }
    }

    private static func explainRefusal(
        of session: PairingSession, to device: DeviceIdentity, at now: Timestamp, in connection: Connection
    ) throws -> Redemption {
        let state = session.keyState(at: now)
        if session.redeemed?.by == device.id, now < session.expiresAt,
            try Self.publicKey(of: device.id, in: connection) == device.publicKey
        {
            return .repeated(try receipt(for: device, of: session, in: connection))
        }
        guard state == .valid else { return .refused(state) }
        if case .fourG(let other) = session.sessionType, other != device.id.rawValue { return .otherDevice }
        try note(.alreadyClaimed, on: session.key, in: connection)
        return .claimed
    }

    private static func receipt(
        for device: DeviceIdentity, of session: PairingSession, in connection: Connection
    ) throws -> DeviceRegistrationReceipt {
        guard let row = try connection.row("SELECT name FROM device WHERE id = ?", device.id.rawValue) else {
            throw StoreError.fault(reason: "a device is gone within the transaction that found it")
        }
        return DeviceRegistrationReceipt(
            deviceId: device.id, name: try row["name"], timezoneSettings: session.timezoneSettings)
    }

    private static func publicKey(of device: DeviceID, in connection: Connection) throws(SQLiteError) -> Data? {
        try connection.row("SELECT public_key FROM device WHERE id = ?", device.rawValue)?["public_key"]
    }

    private static func note(
        _ failure: PairingFailure, on key: CredentialDigest, in connection: Connection
    ) throws(SQLiteError) {
        try connection.execute(
            "UPDATE pairing_session SET failure = ? WHERE key_digest = ?", failure.rawValue, key.bytes)
    }
}
