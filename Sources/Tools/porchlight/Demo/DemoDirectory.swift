import Foundation

/// Where a demo keeps its cloud and its camera.
struct DemoDirectory: Sendable {
    let root: URL
    private let isTemporary: Bool

    /// - Parameter kept: A directory to use and leave, or nil for a new temporary one.
    init(kept: URL?) throws(CommandError) {
        isTemporary = kept == nil
        root =
            kept
            ?? FileManager.default.temporaryDirectory.appending(
                path: "porchlight-demo-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(
                at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed("\(root.path) cannot be made: \(error.localizedDescription). Choose another with --data.")
        }
    }

    var cloud: URL { root.appending(path: "cloud", directoryHint: .isDirectory) }
    var camera: URL { root.appending(path: "camera", directoryHint: .isDirectory) }
    var radio: URL { root.appending(path: "radio", directoryHint: .isDirectory) }

    /// Removes a temporary one.
    func remove() {
        guard isTemporary else { return }
        // Left-overs in the temporary directory are no reason to fail after the work is done.
        try? FileManager.default.removeItem(at: root)
    }
}
