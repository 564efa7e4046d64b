import Foundation
import TestSupport
import Testing
import WebSockets

@testable import CloudServer

@Suite struct ConsolePagesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for (name, text) in [
            ("index.html", "<p>page</p>"), ("live.js", "// script"), ("style.css", "p {}"), ("secret.txt", "canary"),
            (".hidden.js", "canary"), ("README.md", "canary"),
        ] {
            try Data(text.utf8).write(to: directory.url.appending(path: name))
        }
        let outside = directory.url.deletingLastPathComponent()
        try FileManager.default.createSymbolicLink(
            at: directory.url.appending(path: "link.js"), withDestinationURL: outside)
        try FileManager.default.createDirectory(
            at: directory.url.appending(path: "folder.js"), withIntermediateDirectories: false)
    }

    private func fixture() async throws -> CloudFixture {
        let url = directory.url
        return try await CloudFixture { $0.consoleDirectory = url }
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/index.html", "text/html; charset=utf-8"),
        ("/live.js", "text/javascript; charset=utf-8"), ("/style.css", "text/css; charset=utf-8"),
    ])
    func aPageIsServedWithItsTypeAndItsRules(_ path: String, _ type: String) async throws {
        let response = await (try fixture()).send("GET", path)
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == type)
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        #expect(response.headers["Cache-Control"] == "no-store")
        #expect(response.headers["Referrer-Policy"] == "no-referrer")
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'self';"))
        #expect(!policy.contains("unsafe") && !policy.contains("\n"))
        #expect(!response.body.isEmpty)
    }

    @Test(arguments: [
        "/secret.txt", "/.hidden.js", "/README.md", "/link.js", "/folder.js", "/../secret.txt", "/./index.html",
        "/x/../index.html", "//index.html", "/index.html/", "/INDEX.HTML", "/..", "/live.js\0", "/%2e%2e/secret.txt",
    ])
    func nothingElseIs(_ path: String) async throws {
        let response = await (try fixture()).send("GET", path)
        #expect(response.status == 404)
        #expect(!response.text.contains("canary"))
    }

    @Test func pagesAreNotWritten() async throws {
        let response = await (try fixture()).send("POST", "/index.html")
        #expect(response.status == 405)
        #expect(response.headers["Allow"] == "GET, HEAD")
    }

    @Test func aDirectoryWithoutAPageIsAnErrorAtStart() throws {
        let empty = try TemporaryDirectory()
        let path = empty.url.path(percentEncoded: false)
        #expect(
            throws: CloudServerError.console(
                path: path, reason: "it has no index.html; name the directory that holds it")
        ) { _ = try ConsolePages(directory: empty.url) }
        let missing = empty.url.appending(path: "missing")
        #expect(throws: CloudServerError.self) { _ = try ConsolePages(directory: missing) }
    }
}
