import CameraDevice
import CloudServer
import Foundation
import Porchlight

/// Our side of the benchmark: a viewer in this process, the cloud and the camera in another one.
///
/// Started with `host DIR` it is that other process: it runs the cloud and the camera until its input ends. Started with
/// `view DIR` it pairs the camera, then answers each line `go` with the milliseconds from `connect()` to the first
/// decoded frame. Offer and answer go over HTTP and the camera's socket, media between the two processes.
@main
struct FirstFrame {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3 else { throw CocoaError(.featureUnsupported) }
        let directory = URL(filePath: words[2], directoryHint: .isDirectory)
        if words[1] == "host" { try await host(directory) } else { try await view(directory) }
    }

    private static func host(_ directory: URL) async throws {
        let cloud = try await CloudServer.start(CloudConfiguration(dataDirectory: directory.appending(path: "cloud")))
        guard let owner = try await cloud.bootstrap(spaceNamed: "Benchmark"),
            let address = URL(string: "http://\(cloud.host):\(cloud.port)")
        else { throw CocoaError(.fileWriteUnknown) }
        var configuration = CameraConfiguration(
            stateDirectory: directory.appending(path: "camera").path, destinations: try .init(everywhere: address))
        configuration.videoInput = .testPattern
        let camera = Camera(configuration)
        try await camera.start()
        print(address.absoluteString, owner.spaceId, owner.token.revealed)
        fflush(nil)
        while readLine() != nil {}
        await camera.stop()
        await cloud.stop()
    }

    private static func view(_ directory: URL) async throws {
        guard let words = readLine()?.split(separator: " ").map(String.init), words.count == 3,
            let address = URL(string: words[0])
        else { throw CocoaError(.fileReadCorruptFile) }
        InstaSDK.configure(environment: .production, region: .us, cloud: address, token: Secret(words[2]))
        let deviceID = try await pair(space: words[1])
        try await LiveViewModel.prepare()
        let model = LiveViewModel.model(spaceId: words[1], deviceId: deviceID)
        while readLine() == "go" {
            model.connect()
            try await model.connected()
            guard let duration = model.firstFrameDuration else { throw CocoaError(.fileReadUnknown) }
            model.disconnect()
            await model.closed()
            print(String(format: "%.1f", duration / .milliseconds(1)))
            fflush(nil)
        }
    }

    private static func pair(space: String) async throws -> String {
        let ble = BLEManager.instance
        ble.startScan()
        for await cameras in ble.$cameraList.values where !cameras.isEmpty {
            ble.connectToCamera(camera: cameras[0])
            break
        }
        for await status in ble.$cameraConnectionStatus.values where status == .connected { break }
        let session = try await Factory.spaceService.createPairingSessionKey(
            spaceId: space,
            request: PairingSessionKeyRequest(timezoneSettings: TimezoneSettings(id: "Etc/UTC", tzFormat: "GMT+00:00")))
        ble.updateWifiInfo(
            wifiInfo: WiFiDetailModel(
                ssid: "Porchlight Demo", password: "porchlight", sessionKey: session.sessionKey, env: "production",
                region: session.region))
        let following = PairingSession(spaceId: space, sessionKey: session.sessionKey)
        let deviceID = try await following.deviceId(every: .milliseconds(200))
        return try await following.pairedDevice(deviceId: deviceID, every: .milliseconds(200)).deviceId
    }
}
