import Foundation
import TestSupport
import Testing
import WebRTC

@testable import porchlight

@Suite("What doctor finds out about video")
struct MediaCheckTests {
    @Test("Everything is there, for filming and for watching")
    func works() async {
        for roles: Set<Role> in [[.app], [.camera], [.app, .camera]] {
            #expect(await MediaCheck().findings(for: roles).map(\.level) == [.ok])
        }
    }

    @Test("Each package that is missing is a line with its elements; an app need not film")
    func missing() async {
        let check = MediaCheck { capturing in
            let nice = WebRTCError.missingElement(name: "nicesink", debianPackage: "gstreamer1.0-nice")
            let filming: [WebRTCError] = [
                .missingElement(name: "x264enc", debianPackage: "gstreamer1.0-plugins-ugly"),
                .missingElement(name: "other", debianPackage: "gstreamer1.0-plugins-ugly"),
            ]
            return [nice] + (capturing ? filming : [])
        }
        let camera = await check.findings(for: [.app, .camera])
        #expect(camera.map(\.level) == [.problem, .problem])
        #expect(camera[0].remedy == "apt-get install gstreamer1.0-nice")
        #expect(camera[1].says == "GStreamer has no x264enc, other")
        #expect(await check.findings(for: [.app]).count == 1)
    }

    // MARK: The lens

    private func lens(
        _ names: [String], devices: [String], refusing: Set<String> = []
    ) async throws -> [Finding] {
        let directory = try TemporaryDirectory()
        let files = FileManager.default
        for place in ["sys", "dev"] {
            try files.createDirectory(at: directory.url.appending(path: place), withIntermediateDirectories: true)
        }
        for name in names {
            let place = directory.url.appending(path: "sys/\(name)")
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            try Data("Webcam \(name)\n".utf8).write(to: place.appending(path: "name"))
        }
        for device in devices { try Data().write(to: directory.url.appending(path: "dev/\(device)")) }
        let check = LensCheck(
            sysfs: directory.url.appending(path: "sys"), devices: directory.url.appending(path: "dev"),
            open: { path throws(WebRTCError) in
                if refusing.contains(URL(filePath: path).lastPathComponent) {
                    throw .captureFailed(source: path, reason: "it is no camera")
                }
            })
        return await check.findings(for: [.camera])
    }

    @Test("A camera is named; the node beside it, which has no pictures, is not told of")
    func webcam() async throws {
        let findings = try await lens(["video0", "video1"], devices: ["video0", "video1"], refusing: ["video1"])
        #expect(findings.map(\.level) == [.ok])
        #expect(findings[0].says.hasSuffix("/dev/video0 (Webcam video0) can be filmed with"))
    }

    @Test("None is a note; one that cannot be used, or has no device, is a problem")
    func noLens() async throws {
        #expect(try await lens([], devices: []).map(\.level) == [.note])
        #expect(try await lens(["vbi0"], devices: []).map(\.level) == [.note])
        let refused = try await lens(["video0"], devices: ["video0"], refusing: ["video0"])
        #expect(refused.map(\.level) == [.problem])
        #expect(refused[0].says.contains("it is no camera"))
        let gone = try await lens(["video2"], devices: [])
        #expect(gone.map(\.level) == [.problem])
        #expect(gone[0].says.contains("there is no"))
    }

    @Test("A file that is no camera is refused by the real media engine")
    func noCamera() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            at: directory.url.appending(path: "video0"), withIntermediateDirectories: true)
        // The directory stands for the kernel's list; the device beside it is a plain file.
        let devices = try TemporaryDirectory()
        try Data().write(to: devices.url.appending(path: "video0"))
        let check = LensCheck(sysfs: directory.url, devices: devices.url)
        #expect(await check.findings(for: [.camera]).map(\.level) == [.problem])
    }
}
