import Foundation
import WebSockets

/// The web page's files, read once at start.
///
/// Served from memory under the names that were found: no request names a file of the disk, so none can name another.
struct ConsolePages: Sendable {
    private struct Page: Sendable {
        var type: String
        var data: Data
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "woff2": "font/woff2",
    ]
    /// No page needs more, and all of it is held in memory.
    private static let largestFile = 4 << 20

    private var pages: [String: Page] = [:]

    /// No pages.
    init() {}

    /// The files of a directory that have a known ending; `index.html` is also `/`. Other files, links and directories are
    /// left out.
    init(directory: URL) throws(CloudServerError) {
        let path = directory.path(percentEncoded: false)
        do {
            let keys: Set<URLResourceKey> = [.isRegularFileKey, .isSymbolicLinkKey, .fileSizeKey]
            for file in try FileManager.default.contentsOfDirectory(
                at: directory, includingPropertiesForKeys: Array(keys))
            {
                let values = try file.resourceValues(forKeys: keys)
                guard let type = Self.types[file.pathExtension], values.isRegularFile == true,
                    values.isSymbolicLink != true, !file.lastPathComponent.hasPrefix(".")
                else { continue }
                guard let size = values.fileSize, size <= Self.largestFile else {
                    throw CloudServerError.console(
                        path: path, reason: "\(file.lastPathComponent) is larger than 4 MiB; make it smaller")
                }
                pages["/" + file.lastPathComponent] = Page(type: type, data: try Data(contentsOf: file))
            }
        } catch let error as CloudServerError {
            throw error
        } catch {
            throw .console(path: path, reason: "it cannot be read; name the directory that holds index.html")
        }
        guard let index = pages["/index.html"] else {
            throw .console(path: path, reason: "it has no index.html; name the directory that holds it")
        }
        pages["/"] = index
    }

    /// The paths that are served.
    var paths: [String] { Array(pages.keys) }

    /// The file at a path, which the page's own rules confine: scripts and connections of this server only, no framing, no
    /// address handed on.
    func response(path: String) -> HTTPResponse? {
        guard let page = pages[path] else { return nil }
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": page.type,
                "Content-Security-Policy": """
                default-src 'self'; img-src 'self' data:; media-src 'self' blob:; object-src 'none'; base-uri 'none'; \
                form-action 'none'; frame-ancestors 'none'
                """,
                "Referrer-Policy": "no-referrer",
                "Cross-Origin-Opener-Policy": "same-origin",
            ], body: page.data)
    }
}
