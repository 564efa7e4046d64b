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

    private static func write(_ spaceId: String, _ token: Secret, to file: URL) throws -> OwnerAccess {
        let made = FileManager.default.createFile(
            atPath: file.path, contents: Data("\(token.revealed)\n".utf8), attributes: [.posixPermissions: 0o600])
        guard made else {
            throw CommandError.failed("\(file.path) cannot be written. Check the directory's permissions.")
        }
        return OwnerAccess(spaceId: spaceId, token: token, file: file)
    }
}
