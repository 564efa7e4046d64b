import CloudClient
import CloudServer
import Foundation
import Testing
import Wire

/// Every call against the project's own server: both sides keep to one contract.
@Suite struct RealCloudTests {
    private func withServer(_ body: (CloudConnection, String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cloud-client-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try await CloudServer.start(CloudConfiguration(dataDirectory: directory))
        let owner = try await server.createSpace(named: "Home")
        let connection = CloudConnection(
            CloudAccount(
                environment: .production, region: .us,
                cloud: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
                token: owner.token))
        do {
            try await body(connection, owner.spaceId)
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test func opensAndFollowsAPairingSession() async throws {
        try await withServer { connection, space in
            let key = try await connection.spaceService.createPairingSessionKey(
                spaceId: space, request: Sample.keyRequest)
            #expect(key.region == "us")
            #expect(key.expiresIn > 0)
            let status = try await connection.spaceService.getPairingSessionStatus(
                spaceId: space, sessionKey: key.sessionKey)
            #expect(!status.expired)
            #expect(status.status == DeviceAuthStatus.initialized.rawValue)
            #expect(status.deviceId.isEmpty)
        }
    }

    @Test func aReportedFailureIsTheSessionsReason() async throws {
        try await withServer { connection, space in
            let key = try await connection.spaceService.createPairingSessionKey(
                spaceId: space, request: Sample.keyRequest)
            try await connection.spaceService.reportPairingFailure(.wrongPassword, sessionKey: key.sessionKey)
            let status = try await connection.spaceService.getPairingSessionStatus(
                spaceId: space, sessionKey: key.sessionKey)
            #expect(status.pairing?.reason == PairingFailure.wrongPassword.description)
            let session = PairingSession(spaceId: space, sessionKey: key.sessionKey, connection: connection)
            let reason = PairingFailure.wrongPassword.description
            await #expect(throws: PairingSessionError.pairingFailed(reason: reason)) { try await session.deviceId() }
        }
    }

    @Test func refusals() async throws {
        try await withServer { connection, space in
            let devices = try await connection.deviceService.devices(spaceId: space)
            #expect(devices.isEmpty)
            try await connection.checkHealth()
            let spaces = connection.spaceService
            let unknownKey = await #expect(throws: CloudError.self) {
                try await spaces.getPairingSessionStatus(spaceId: space, sessionKey: "no-such-key")
            }
            #expect(unknownKey?.apiError?.code == .sessionKeyUnknown)
            let badField = await #expect(throws: CloudError.self) {
                try await spaces.createPairingSessionKey(
                    spaceId: space,
                    request: PairingSessionKeyRequest(timezoneSettings: TimezoneSettings(id: "", tzFormat: "")))
            }
            #expect(badField?.apiError?.field?.hasPrefix("timezoneSettings.") == true)
            let unknownDevice = await #expect(throws: CloudError.self) {
                try await connection.deviceService.device(spaceId: space, deviceId: Sample.deviceId)
            }
            #expect(unknownDevice?.apiError?.code == .notFound)
            let noCamera = await #expect(throws: CloudError.self) {
                try await connection.liveService.offer(spaceId: space, deviceId: Sample.deviceId, sdp: "v=0\r\n")
            }
            #expect(noCamera?.apiError != nil)

            var account = try #require(connection.account)
            account.token = Secret("wrong")
            connection.configure(account)
            let wrongToken = await #expect(throws: CloudError.self) {
                try await connection.deviceService.devices(spaceId: space)
            }
            guard case .unauthorized = wrongToken else {
                Issue.record("\(String(describing: wrongToken))")
                return
            }
        }
    }

    @Test func endsASessionThatIsGone() async throws {
        try await withServer { connection, _ in
            let cloud = try #require(connection.account?.cloud)
            let session = cloud.appending(path: CloudRoute.liveSession("unknown-session"))
            try await connection.liveService.end(LiveAnswer(sdp: "v=0", session: session))
        }
    }
}
