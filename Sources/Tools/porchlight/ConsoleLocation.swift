import Foundation

/// Where the web console's files are.
enum ConsoleLocation {
    /// The directory named by `--console`, the one installed beside the program, or the one of the checkout it was built
    /// in; nil when there is none.
    static func find(named directory: URL?) throws(CommandError) -> URL? {
        if let directory {
            guard isConsole(directory) else {
                throw .failed("\(directory.path) holds no index.html. Name the directory of the web console.")
            }
            return directory
        }
        guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
        var above = program.deletingLastPathComponent()
        let installed = above.deletingLastPathComponent().appending(path: "share/porchlight/console")
        if isConsole(installed) { return installed }
        while above.pathComponents.count > 1 {
            let candidate = above.appending(path: "Console", directoryHint: .isDirectory)
            if isConsole(candidate) { return candidate }
            above.deleteLastPathComponent()
        }
        return nil
    }

    private static func isConsole(_ directory: URL) -> Bool {
        FileManager.default.fileExists(atPath: directory.appending(path: "index.html").path)
    }
}
