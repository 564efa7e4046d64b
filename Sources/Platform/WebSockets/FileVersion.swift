import Glibc

/// Which contents a file had, without reading it: a replaced or rewritten file has another version.
struct FileVersion: Hashable {
    private let path: String
    private let node: UInt64
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    /// - Returns: nil when the file cannot be read; `errno` says why.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else { return nil }
        self.path = path
        node = UInt64(status.st_ino)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
        size = Int(status.st_size)
    }
}
