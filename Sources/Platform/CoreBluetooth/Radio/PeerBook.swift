import Basics
import Foundation

/// The identifiers of peripherals, kept by address in a small file so that they outlive the program.
///
/// Several programs of one user share the file `bluetooth-peers`: a line is added under a file lock, and each book reads
/// what others added before it makes up an identifier. Each line is `address identifier name`, the last one of an address
/// counts. When the file cannot be written, identifiers last as long as the program, which is logged once.
/// Safe from any thread.
final class PeerBook: Sendable {
    /// What is known of a peripheral.
    struct Peer: Equatable, Sendable {
        var address: RadioAddress
        var identifier: UUID
        var name: String?
    }

    fileprivate struct State {
        var byAddress: [RadioAddress: Peer] = [:]
        var byIdentifier: [UUID: RadioAddress] = [:]
        var readBytes: UInt64 = 0
        var fileNumber: UInt64 = 0
        var warned = false
    }

    /// Lines after which the older half is dropped.
    static let limit = 4096

    private let file: SharedFile
    private let state = Locked(State())

    /// A book in `directory`, which is made when the first peripheral is written down.
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

    /// The peripheral at an address, made known if it is new. A name that differs from the known one replaces it.
    func peer(at address: RadioAddress, name: String? = nil) -> Peer {
        state.withLock { state in
            if let known = state.byAddress[address], name == nil || known.name == name { return known }
            return inFile(&state) { state, file in
                var peer = state.byAddress[address] ?? Peer(address: address, identifier: UUID(), name: name)
                if let known = state.byAddress[address], name == nil || known.name == name { return known }
                peer.name = name ?? peer.name
                state.learn(peer)
                if let file { try append(peer, to: file, &state) }
                return peer
            }
        }
    }

    /// The peripheral of an identifier, if it was ever seen.
    func peer(identifier: UUID) -> Peer? {
        state.withLock { state in
            if let address = state.byIdentifier[identifier] { return state.byAddress[address] }
            return inFile(&state, creating: false) { state, _ in
                state.byIdentifier[identifier].flatMap { state.byAddress[$0] }
            }
        }
    }

    // MARK: The file, with `state` locked

    /// Runs `body` with the file locked and read up to its end; with nil when there is no usable file.
    private func inFile<Result>(
        _ state: inout State, creating: Bool = true, _ body: (inout State, FileHandle?) throws -> Result
    ) -> Result where Result: Sendable {
        do {
            return try file.exclusively(creating: creating) { handle in
                if let handle { try catchUp(&state, handle) }
                return try body(&state, handle)
            }
        } catch {
            if !state.warned {
                state.warned = true
                Log("radio").warning(
                    "identifiers of peripherals cannot be kept in \(file.url.path): \(error). They last until this program ends;"
                        + " make the directory writable or set PORCHLIGHT_STATE")
            }
            guard let result = try? body(&state, nil) else { preconditionFailure("only file access throws") }
            return result
        }
    }

    private func catchUp(_ state: inout State, _ handle: FileHandle) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path)
        let number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        let end = try handle.seekToEnd()
        // Somebody shortened or replaced the file: begin again. What is already known stays.
        if number != state.fileNumber || end < state.readBytes { state.readBytes = 0 }
        state.fileNumber = number
        try handle.seek(toOffset: state.readBytes)
        let added = try handle.readToEnd() ?? Data()
        state.readBytes = end
        for line in added.split(separator: UInt8(ascii: "\n")) {
            if let peer = Peer(line: String(decoding: line, as: UTF8.self)) { state.learn(peer) }
        }
    }

    private func append(_ peer: Peer, to handle: FileHandle, _ state: inout State) throws {
        if state.byAddress.count > Self.limit {
            try handle.seek(toOffset: 0)
            let lines = (try handle.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
            let kept = Data(lines.suffix(Self.limit / 2).joined(separator: [UInt8(ascii: "\n")])) + Data("\n".utf8)
            state.byAddress = [:]
            state.byIdentifier = [:]
            for line in lines.suffix(Self.limit / 2) {
                if let peer = Peer(line: String(decoding: line, as: UTF8.self)) { state.learn(peer) }
            }
            state.learn(peer)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: kept)
        }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((peer.line + "\n").utf8))
        state.readBytes = try handle.offset()
    }
}

extension PeerBook.State {
    fileprivate mutating func learn(_ peer: PeerBook.Peer) {
        byAddress[peer.address] = peer
        byIdentifier[peer.identifier] = peer.address
    }
}

extension PeerBook.Peer {
    fileprivate init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, let address = RadioAddress(parts[0]),
            let identifier = UUID(uuidString: String(parts[1]))
        else { return nil }
        self.address = address
        self.identifier = identifier
        name = parts.count == 3 ? String(parts[2]).removingPercentEncoding : nil
    }

    fileprivate var line: String {
        let encoded = name?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return "\(address) \(identifier.uuidString)" + (encoded.map { " " + $0 } ?? "")
    }
}
