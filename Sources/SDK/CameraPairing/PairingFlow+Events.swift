import CoreBluetooth
import Foundation
import Wire

/// What goes into the flow of pairing, and what comes out.
extension PairingFlow {
    /// How long each wait may take.
    struct Limits: Sendable {
        /// Until a scan that has found nothing ends.
        var scan: Duration = .seconds(30)
        /// From the choice of a camera until it is ready.
        var connection: Duration = .seconds(20)
        /// From `getWiFiList()` until the first network.
        var networks: Duration = .seconds(90)
        /// From the first field until the last is acknowledged.
        var write: Duration = .seconds(30)
    }

    /// What observers see.
    struct Published: Sendable, Equatable {
        var cBManagerState: CBManagerState?
        var authorizationStatus = BLEManager.AuthorizationStatus.none
        var cameraList: [BLECamera] = []
        var noCameraFound = false
        var cameraConnectionStatus = CameraConnectionStatus.none
        var bleCameraDIDFetched = false
        var bleCameraDID = ""
        var wifiList: [WifiNetwork] = []
        var credentialsSent = false
        var setback: PairingFailure?
        var failure: CameraPairingError?
    }

    enum Timer: Hashable, CaseIterable { case scan, connection, networks, write }

    enum Event {
        case startScan
        case stopScan
        case connect(UUID?)
        case disconnect
        case fetchDeviceID
        case scanNetworks
        case guardNetworks
        case write(WiFiDetailModel)
        case watchForSetback

        case managerState(CBManagerState, CBManagerAuthorization)
        case discovered(UUID, advertisedName: String?, rssi: Int, state: PairingState? = nil)
        case linkReady(UUID)
        case linkFailed(UUID, CameraPairingError)
        case linkEnded(UUID)
        case deviceID(String)
        case record(NetworkListRecord)
        case written(CameraPairingError?)
        case expired(Timer)
    }

    enum Action: Equatable {
        case startScanning
        case stopScanning
        case connect(UUID)
        case cancelConnection(UUID)
        case readDeviceID
        case requestNetworks
        case write(PairingCredentials)
        case start(Timer, Duration)
        case stop(Timer)
    }
}
