import Foundation
import Glibc

/// A Unix-domain socket that takes connections and never says a word.
public final class SilentSocket: Sendable {
    /// Where it is.
    public let path: String
    private let directory: TemporaryDirectory
    private let descriptor: Int32

    /// Makes it in a directory of its own.
    public init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("silent")
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(descriptor, 4) == 0
            }
        }
        precondition(isListening, "no socket at \(path)")
    }

    deinit { close(descriptor) }
}
