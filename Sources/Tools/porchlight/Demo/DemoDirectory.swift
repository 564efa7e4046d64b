import Foundation

/// Where a demo keeps its cloud and its camera.
///
/// The camera is a new one each time, as out of its box; only the cloud may be kept.
struct DemoDirectory: Sendable {
    /// The cloud's data.
    let cloud: URL
    private let temporary: URL

    /// - Parameter cloud: A directory for the cloud that is left at the end, or nil for a temporary one.
    init(cloud: URL?) throws(StepFailure) {
        temporary = FileManager.default.temporaryDirectory.appending(
            path: "porchlight-demo-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        self.cloud = cloud ?? temporary.appending(path: "cloud", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(
                at: temporary, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StepFailure(
                step: "prepare", reason: "\(temporary.path) cannot be made: \(error.localizedDescription)",
                advice: "Set TMPDIR to a directory that can be written.")
        }
    }

    /// The camera's key and registration.
    var camera: URL { temporary.appending(path: "camera", directoryHint: .isDirectory) }
    /// The air of the software radio: a short path, since socket paths are.
    var radio: URL { temporary.appending(path: "radio", directoryHint: .isDirectory) }
    /// What CoreBluetooth remembers of peripherals.
    var state: URL { temporary.appending(path: "state", directoryHint: .isDirectory) }

    /// Removes all that is temporary.
    func remove() {
        // Left-overs in the temporary directory are no reason to fail after the work is done.
        try? FileManager.default.removeItem(at: temporary)
    }
}
