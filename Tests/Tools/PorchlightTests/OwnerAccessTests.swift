import CloudServer
import Foundation
import TestSupport
import Testing

@testable import porchlight

@Suite("The owner's way into a cloud of this machine")
struct OwnerAccessTests {
    @Test("The file is the owner's alone, and a second start finds the same space and token")
    func established() async throws {
        let directory = try TemporaryDirectory()
        let cloud = try await CloudServer.start(CloudConfiguration(dataDirectory: directory.url))
        let first = try await OwnerAccess.establish(in: directory.url, of: cloud)
        let mode = try FileManager.default.attributesOfItem(atPath: first.file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let second = try await OwnerAccess.establish(in: directory.url, of: cloud)
        #expect(second.spaceId == first.spaceId)
        #expect(second.token == first.token)

        try FileManager.default.removeItem(at: first.file)
        let third = try await OwnerAccess.establish(in: directory.url, of: cloud)
        #expect(third.spaceId == first.spaceId)
        #expect(third.token != first.token)
        await cloud.stop()
    }
}
