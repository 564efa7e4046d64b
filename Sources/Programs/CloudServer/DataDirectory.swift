import Foundation

/// Makes and checks the place of the database.
enum DataDirectory {
    /// Makes the directory with mode 0700 when it is not there. One that is there must be writable for this user, and not
    /// for everyone.
    static func prepare(_ url: URL) throws(CloudServerError) -> URL {
        let path = url.path(percentEncoded: false)
        let files = FileManager.default
        var isDirectory: ObjCBool = false
        if !files.fileExists(atPath: path, isDirectory: &isDirectory) {
            do {
                try files.createDirectory(
                    at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw .dataDirectory(
                    path: path, reason: "it cannot be made; make its parent writable for this user or choose another")
            }
        } else if !isDirectory.boolValue {
            throw .dataDirectory(path: path, reason: "it is a file; choose another path")
        }
        guard files.isWritableFile(atPath: path) else {
            throw .dataDirectory(path: path, reason: "it is not writable; make it so for this user or choose another")
        }
        let mode = (try? files.attributesOfItem(atPath: path)[.posixPermissions] as? Int) ?? 0
        guard mode & 0o002 == 0 else {
            throw .dataDirectory(path: path, reason: "others may write to it; run chmod o-w on it")
        }
        return url
    }
}

extension CloudConfiguration {
    /// Refuses values outside their ranges.
    func check() throws(CloudServerError) {
        guard (.seconds(1)...Self.longestSessionKeyLife).contains(sessionKeyLife) else {
            throw .configuration(field: "sessionKeyLife", reason: "must be 1 s to 10 min")
        }
        guard (.milliseconds(1)...(.seconds(60))).contains(answerDeadline) else {
            throw .configuration(field: "answerDeadline", reason: "must be 1 ms to 60 s")
        }
        guard (0...65_535).contains(port) else {
            throw .configuration(field: "port", reason: "must be 0 to 65535")
        }
    }
}
