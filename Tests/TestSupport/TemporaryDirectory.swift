public import Foundation

/// A directory of its own, removed with the last reference to it.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let url: URL

    /// Makes the directory under the system's temporary one, with mode 0700.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "porchlight-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in it.
    public func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }
}
