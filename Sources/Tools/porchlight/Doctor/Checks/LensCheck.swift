import Foundation
import WebRTC

/// Cameras of the kernel (V4L2), and whether this account can film with them.
struct LensCheck: Check {
    var sysfs = URL(filePath: "/sys/class/video4linux")
    var devices = URL(filePath: "/dev")
    /// Opens a device and looks at what it offers.
    var open: @Sendable (_ path: String) async throws(WebRTCError) -> Void = { path throws(WebRTCError) in
        try await RTCPeerConnectionFactory().checkCapture(with: RTCVideoSourceSettings(capture: .device(path: path)))
    }

    let title = "Lens"
    let area = "lens"
    let roles: Set<Role> = [.camera]
    /// It starts the media engine.
    let limit = Duration.seconds(20)
    let isHeavy = true

    func findings(for roles: Set<Role>) async -> [Finding] {
        let names = await Self.apart { nodes() }
        guard !names.isEmpty else {
            return [
                .note(
                    "lens.device", "there is no camera device: a test pattern with a clock is filmed",
                    "Plug a camera in, or load its driver.")
            ]
        }
        var findings: [Finding] = []
        var refusals: [Finding] = []
        for name in names {
            let path = devices.appending(path: name).path
            let files = FileManager.default
            guard files.fileExists(atPath: path) else {
                refusals.append(
                    .problem("lens.device", "the kernel has \(name), and there is no \(path)", "Is udev running?"))
                continue
            }
            guard files.isReadableFile(atPath: path), files.isWritableFile(atPath: path) else {
                refusals.append(
                    .problem(
                        "lens.permission", "this account may not use \(path)",
                        "usermod -aG video \(NSUserName()), and log in anew."))
                continue
            }
            do throws(WebRTCError) {
                try await open(path)
                findings.append(.ok("lens.device", "\(path) (\(title(of: name))) can be filmed with"))
            } catch {
                refusals.append(
                    .problem(
                        "lens.device", "\(error)",
                        "Name another with 'porchlight camera --video', or film with '--video pattern'."))
            }
        }
        // A webcam has nodes beside its pictures', for data about them.
        return findings.isEmpty ? refusals : findings
    }

    private func nodes() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: sysfs.path)) ?? []
        return names.filter { $0.hasPrefix("video") }.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    private func title(of name: String) -> String {
        let file = sysfs.appending(path: name).appending(path: "name")
        return (try? String(contentsOf: file, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines) ?? name
    }
}
