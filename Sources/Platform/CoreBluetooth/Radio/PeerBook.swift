import Basics
import Foundation

/// The identifiers of other devices, kept by address in a small file so that they outlive the program.
///
/// Several programs of one user share the file `bluetooth-peers`: a line is added under a file lock, and each book reads
/// what others added before it makes up an identifier. Each line is `address identifier name`, the last one of an address
/// counts, and a `+` before the address says that the device was used: when the file has grown to its limit, those that
/// were only heard are the first to go. The first line, `# UUID`, is another one in each file that replaces an earlier
/// one. When the file cannot be written, identifiers last as long as the program, which is logged once.
/// Safe from any thread.
final class PeerBook: Sendable {
    /// What is known of a device.
    struct Peer: Equatable, Sendable {
        var address: RadioAddress
        var identifier: UUID
        var name: String?
        /// It was connected, or asked for by its identifier.
        var isUsed = false
    }

    /// Lines, or devices in memory, at which all but half as many are forgotten.
    static let limit = 4096

    private let file: SharedFile
    private let state = Locked(State())

    /// A book in `directory`, which is made when the first device is written down.
    init(directory: URL) { file = SharedFile(url: directory.appendingPathComponent("bluetooth-peers")) }

    /// The directory that the environment names: `PORCHLIGHT_STATE`, else `$XDG_STATE_HOME/porchlight`, else
    /// `~/.local/state/porchlight`.
    static func directory(environment: [String: String]) -> URL {
        if let path = environment["PORCHLIGHT_STATE"], !path.isEmpty { return URL(fileURLWithPath: path) }
        if let path = environment["XDG_STATE_HOME"], !path.isEmpty {
            return URL(fileURLWithPath: path).appendingPathComponent("porchlight")
        }
        let home = environment["HOME"].map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        return home.appendingPathComponent(".local/state/porchlight")
    }

    /// The device at an address, made known if it is new. A name that differs from the known one replaces it; it is
    /// written down when the device is used, so that one that changes its name for ever fills no disk.
    func peer(at address: RadioAddress, name: String? = nil) -> Peer {
        state.withLock { state in
            if let known = state.rename(address, name) { return known }
            return inFile(&state) { state, handle in
                if let known = state.rename(address, name) { return known }
                let peer = Peer(address: address, identifier: UUID(), name: name)
                try write(peer, to: handle, &state)
                return peer
            }
        }
    }

    /// Writes down that a device was used, and its name.
    func use(_ address: RadioAddress) {
        state.withLock { state in
            guard var peer = state.entries[address]?.peer else { return }
            peer.isUsed = true
            guard peer != state.entries[address]?.written else { return }
            inFile(&state) { [peer] state, handle in try write(peer, to: handle, &state) }
        }
    }

    /// The device of an identifier, if it was ever seen.
    func peer(identifier: UUID) -> Peer? {
        state.withLock { state in
            if let known = state.peer(identifier) { return known }
            return inFile(&state, creating: false) { state, _ in state.peer(identifier) }
        }
    }

    // MARK: The file, with `state` locked

    /// Runs `body` with the file locked and read up to its end; with nil when there is no usable file.
    private func inFile<Result: Sendable>(
        _ state: inout State, creating: Bool = true, _ body: (inout State, FileHandle?) throws -> Result
    ) -> Result {
        do {
            return try file.exclusively(creating: creating) { handle in
                if let handle { try catchUp(&state, handle) }
                return try body(&state, handle)
            }
        } catch {
            if !state.hasWarned {
                state.hasWarned = true
                Log("radio").warning(
                    "identifiers of peripherals cannot be kept in \(file.url.path): \(error). They last until this program ends;"
                        + " make the directory writable or set PORCHLIGHT_STATE")
            }
            guard let result = try? body(&state, nil) else { preconditionFailure("only file access throws") }
            return result
        }
    }

    private func catchUp(_ state: inout State, _ handle: FileHandle) throws {
        try handle.seek(toOffset: 0)
        let heading = try handle.read(upToCount: State.headingBytes) ?? Data()
        // Another file than the one that was read: begin again. What is already known stays.
        if heading != state.heading {
            state.heading = heading
            state.readBytes = 0
            state.lines = 0
        }
        try handle.seek(toOffset: state.readBytes)
        let added = try handle.readToEnd() ?? Data()
        state.readBytes += UInt64(added.count)
        if let last = added.last { state.isTorn = last != UInt8(ascii: "\n") }
        for line in added.split(separator: UInt8(ascii: "\n")) {
            state.lines += 1
            if let peer = Peer(line: String(decoding: line, as: UTF8.self)) { state.learn(peer, isWritten: true) }
        }
    }

    private func write(_ peer: Peer, to handle: FileHandle?, _ state: inout State) throws {
        state.learn(peer, isWritten: handle != nil)
        guard let handle else { return state.trim() }
        if state.readBytes == 0 || state.lines >= Self.limit {
            state.trim()
            let heading = State.makeHeading()
            let lines = state.entries.values.sorted { $0.turn < $1.turn }.map(\.peer.line)
            let text = heading + Data(lines.joined().utf8)
            try file.replace(with: text)
            (state.heading, state.readBytes, state.lines) = (heading, UInt64(text.count), lines.count + 1)
            state.isTorn = false
        } else {
            // Somebody died in the middle of a line: it ends here, and takes no other along.
            let line = Data((state.isTorn ? "\n" : "").utf8) + Data(peer.line.utf8)
            state.isTorn = false
            try handle.seekToEnd()
            try handle.write(contentsOf: line)
            state.readBytes += UInt64(line.count)
            state.lines += 1
        }
    }
}

extension PeerBook {
    /// What is in memory of the file.
    fileprivate struct State {
        struct Entry {
            var peer: Peer
            /// As the file has it.
            var written: Peer?
            /// Grows with each time that it is written or read.
            var turn: UInt64

            func rank(_ newest: UInt64) -> Int { turn == newest ? 2 : peer.isUsed ? 1 : 0 }
        }

        static let headingBytes = 39

        var entries: [RadioAddress: Entry] = [:]
        var byIdentifier: [UUID: RadioAddress] = [:]
        var heading = Data()
        var readBytes: UInt64 = 0
        var lines = 0
        /// Whether the file ends within a line.
        var isTorn = false
        var hasWarned = false
        private var turn: UInt64 = 0

        static func makeHeading() -> Data { Data("# \(UUID().uuidString)\n".utf8) }

        func peer(_ identifier: UUID) -> Peer? { byIdentifier[identifier].flatMap { entries[$0]?.peer } }

        /// What is known at an address, by its new name if it has one.
        mutating func rename(_ address: RadioAddress, _ name: String?) -> Peer? {
            if let name { entries[address]?.peer.name = name }
            return entries[address]?.peer
        }

        mutating func learn(_ peer: Peer, isWritten: Bool) {
            turn += 1
            let before = entries[peer.address]
            var peer = peer
            // A line that another program wrote before it knew of the use.
            peer.isUsed = peer.isUsed || before?.peer.isUsed ?? false
            entries[peer.address] = Entry(peer: peer, written: isWritten ? peer : before?.written, turn: turn)
            byIdentifier[peer.identifier] = peer.address
        }

        /// Forgets those that matter least, if there are too many: those that were not used, and the oldest.
        mutating func trim() {
            guard entries.count > PeerBook.limit / 2, max(entries.count, lines) >= PeerBook.limit else { return }
            // The newest is what is being written just now.
            let kept = entries.values
                .sorted { ($0.rank(turn), $0.turn) > ($1.rank(turn), $1.turn) }
                .prefix(PeerBook.limit / 2)
            entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.peer.address, $0) })
            byIdentifier = Dictionary(
                kept.map { ($0.peer.identifier, $0.peer.address) }, uniquingKeysWith: { first, _ in first })
        }
    }
}

extension PeerBook.Peer {
    fileprivate init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, let identifier = UUID(uuidString: String(parts[1])) else { return nil }
        isUsed = parts[0].hasPrefix("+")
        guard let address = RadioAddress(isUsed ? parts[0].dropFirst() : parts[0]) else { return nil }
        self.address = address
        self.identifier = identifier
        name = parts.count == 3 ? String(parts[2]).removingPercentEncoding : nil
    }

    /// With its end.
    fileprivate var line: String {
        let encoded = name?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return "\(isUsed ? "+" : "")\(address) \(identifier.uuidString)" + (encoded.map { " " + $0 } ?? "") + "\n"
    }
}
