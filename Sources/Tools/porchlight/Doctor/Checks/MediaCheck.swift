import Foundation
import WebRTC

/// GStreamer's elements, and the Debian package of each that is missing.
struct MediaCheck: Check {
    /// What is missing, as the media engine says; the parameter is whether something is to be filmed.
    var missingElements: @Sendable (_ capturing: Bool) -> [WebRTCError] =
        RTCPeerConnectionFactory.missingElements(capturing:)

    let title = "Video"
    let area = "media"
    let roles: Set<Role> = [.app, .camera]
    /// The first look after an installation reads all plug-ins, which takes a small board seconds.
    let limit = Duration.seconds(20)
    let isHeavy = true

    func findings(for roles: Set<Role>) async -> [Finding] {
        let capturing = roles.contains(.camera)
        let errors = await Self.apart { missingElements(capturing) }
        var packages: [String: [String]] = [:]
        var others: [Finding] = []
        for error in errors {
            if case .missingElement(let name, let package) = error {
                packages[package, default: []].append(name)
            } else {
                others.append(.problem("media.elements", "\(error)", "Mend that, then try again."))
            }
        }
        let missing = packages.sorted { $0.key < $1.key }.map { package, names in
            Finding.problem(
                "media.elements", "GStreamer has no \(names.joined(separator: ", "))", "apt-get install \(package)")
        }
        guard missing.isEmpty, others.isEmpty else { return missing + others }
        return [
            .ok("media.elements", "GStreamer has all elements that \(capturing ? "filming and " : "")watching need")
        ]
    }
}
