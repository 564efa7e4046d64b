import CloudServer
import Foundation
import Wire

/// The owner's way into a cloud of this machine: a space and a token in a file that only its owner can read.
struct OwnerAccess: Sendable {
    let spaceId: String
    let token: Secret
    let file: URL

    /// Reads the file, or makes the space (or just a new token, when the file was lost) and writes it.
    static func establish(in directory: URL, of cloud: CloudServer) async throws -> OwnerAccess {
        let file = directory.appending(path: "owner-token")
        if let credentials = try await cloud.bootstrap(spaceNamed: "Home") {
            return try write(credentials.spaceId, credentials.token, to: file)
        }
        guard let space = try await cloud.spaces().first else {
            throw CommandError.failed("The cloud in \(directory.path) has no space. Choose another with --data.")
        }
        if let text = try? String(contentsOf: file, encoding: .utf8) {
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if !token.isEmpty { return OwnerAccess(spaceId: space.id, token: Secret(token), file: file) }
        }
        return try write(space.id, try await cloud.createToken(spaceId: space.id), to: file)
    }

    /// Writes the token into a new file of mode 0600: there is no moment at which somebody else could open it.
    private static func write(_ spaceId: String, _ token: Secret, to file: URL) throws -> OwnerAccess {
        // What stands there is a lost or empty token's file, or somebody's trap; a new one must be made.
        try? FileManager.default.removeItem(at: file)
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandError.failed("\(file.path) cannot be written: \(reason). Check the directory's permissions.")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data("\(token.revealed)\n".utf8))
        try handle.synchronize()
        try handle.close()
        return OwnerAccess(spaceId: spaceId, token: token, file: file)
    }
}
