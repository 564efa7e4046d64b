import SQLite

/// The history of the database's schema. A released step is never changed; the next change goes to the end.
///
/// Times are milliseconds since 1970; digests are SHA-256, 32 bytes.
enum Schema {
    static let migrations = [
        Migration(
            "spaces, tokens, devices, pairing sessions",
            """
            CREATE TABLE space (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                created_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE token (
                digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
                created_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE token_space (
                token BLOB NOT NULL REFERENCES token ON DELETE CASCADE,
                space TEXT NOT NULL REFERENCES space ON DELETE CASCADE,
                PRIMARY KEY (token, space)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE device (
                id TEXT PRIMARY KEY,
                space TEXT NOT NULL REFERENCES space ON DELETE CASCADE,
                name TEXT NOT NULL,
                model TEXT NOT NULL,
                public_key BLOB NOT NULL UNIQUE CHECK (length(public_key) = 32),
                registered_at INTEGER NOT NULL,
                paired_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX device_space ON device (space, id);

            CREATE TABLE pairing_session (
                key_digest BLOB PRIMARY KEY CHECK (length(key_digest) = 32),
                space TEXT NOT NULL REFERENCES space ON DELETE CASCADE,
                timezone_id TEXT NOT NULL,
                timezone_format TEXT NOT NULL,
                for_device TEXT,
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                redeemed_at INTEGER,
                redeemed_by TEXT REFERENCES device ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                paired_at INTEGER,
                failure TEXT,
                CHECK ((redeemed_at IS NULL) = (redeemed_by IS NULL))
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX pairing_session_created ON pairing_session (created_at);
            CREATE INDEX pairing_session_expires ON pairing_session (expires_at);
            CREATE INDEX pairing_session_redeemed ON pairing_session (redeemed_by);
            """)
    ]
}
