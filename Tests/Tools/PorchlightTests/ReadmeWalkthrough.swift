import Foundation
import Porchlight

/// Pairs the nearest camera with a network, and saves a picture of what it sees.
func firstPicture(ssid: String, password: String, space: String, cloud: URL, token: Secret) async throws {
    InstaSDK.configure(environment: .production, region: .us, cloud: cloud, token: token)

    let ble = BLEManager.instance
    ble.startScan()
    for await cameras in ble.$cameraList.values where !cameras.isEmpty {
        ble.connectToCamera(camera: cameras[0])  // the strongest signal comes first
        break
    }
    for await status in ble.$cameraConnectionStatus.values where status == .connected { break }

    ble.sendWiFiScanCommand()
    ble.getWiFiList()
    for await networks in ble.$wifiList.values where networks.contains(where: { $0.ssid == ssid }) { break }

    let zone = TimezoneSettings(id: "America/New_York", tzFormat: "EST+5EDT,M3.2.0/2,M11.1.0/2")
    let session = try await Factory.spaceService.createPairingSessionKey(
        spaceId: space, request: PairingSessionKeyRequest(timezoneSettings: zone))
    ble.updateWifiInfo(
        wifiInfo: WiFiDetailModel(
            ssid: ssid, password: password, sessionKey: session.sessionKey, env: "production", region: session.region))

    let pairing = PairingSession(spaceId: space, sessionKey: session.sessionKey)
    let deviceId = try await pairing.deviceId()  // throws the reason, such as a wrong password
    _ = try await pairing.pairedDevice(deviceId: deviceId)

    let live = LiveViewModel.model(spaceId: space, deviceId: deviceId)
    live.connect()
    try await live.connected()
    try await live.snapshot().write(to: URL(filePath: "porch.png"))
    live.disconnect()
    await live.closed()
}
