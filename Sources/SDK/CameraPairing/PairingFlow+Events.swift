import CoreBluetooth
import Foundation
import Wire

/// What goes into the flow of pairing, and what comes out.
extension PairingFlow {
    /// How long each wait may take.
    struct Limits: Sendable {
        /// Until a scan that has found nothing ends.
        var scan: Duration = .seconds(30)
        /// Between two looks at who has fallen silent; a camera is dropped from the list at the third.
        var fade: Duration = .seconds(5)
        /// From the choice of a camera until it is ready.
        var connection: Duration = .seconds(20)
        /// Until the camera has said its device id.
        var deviceID: Duration = .seconds(15)
        /// From `getWiFiList()` until the first network.
        var networks: Duration = .seconds(90)
        /// From the first network until the last.
        var list: Duration = .seconds(30)
        /// Without another network until a list that has no end mark is taken for complete.
        var pause: Duration = .seconds(1)
        /// How many networks one list may tell of, also again and again.
        var records = 2048
        /// From the first field until the last is acknowledged.
        var write: Duration = .seconds(30)
        /// For a person to press the camera's button, while credentials wait for it.
        var button: Duration = .seconds(120)
        /// Until a link is taken to have survived a doubtful refusal.
        var doubt: Duration = .seconds(1)
        /// From the credentials until the camera has told the outcome: joining takes it up to 60 s, registering 30 s.
        var outcome: Duration = .seconds(120)
        /// The same of an Improv device, which has given up by then.
        var improvOutcome: Duration = ImprovService.joinLimit + .seconds(5)
        /// From `watchForSetback()` until a camera that has not come back is taken for gone.
        var setback: Duration = .seconds(180)
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
        var wifiListComplete = false
        var wifiListUnavailable = false
        var buttonPressAwaited = false
        var credentialsSent = false
        /// The camera's own word on its attempt, while it makes one.
        var attempt: PairingState?
        var pairingOutcome: PairingOutcome?
        var onboardingPage: URL?
        var setback: PairingFailure?
        var failure: CameraPairingError?
    }

    enum Timer: Hashable, CaseIterable {
        case scan, fade, connection, deviceID, networks, list, pause, button, write, doubt, outcome, setback
    }

    enum Event {
        case startScan
        case stopScan
        case connect(UUID?)
        /// A command that cannot be carried out as it was given.
        case misuse(CameraPairingError)
        case disconnect
        case fetchDeviceID
        case scanNetworks
        case guardNetworks
        case write(WiFiDetailModel)
        case watchForSetback

        case managerState(CBManagerState, CBManagerAuthorization)
        case discovered(UUID, Sighting)
        case linkReady(UUID, ConversationKind)
        case linkFailed(UUID, CameraPairingError)
        case linkEnded(UUID)
        case deviceID(String)
        case named(String)
        case record(NetworkListRecord)
        /// Nothing more may come of the list, or another part of it; Improv does not say.
        case networksPaused
        /// The camera cannot tell of networks.
        case networksUnavailable
        /// Whether a person has to press the camera's button before it takes credentials.
        case buttonPress(awaited: Bool)
        /// The credentials are acknowledged.
        case written
        /// The camera does not take a command. In doubt it may be the way in which a radio says that the link ends.
        case refused(CameraPairingError, inDoubt: Bool)
        /// Where the camera is on its way into the network; told where the kind of conversation keeps the link.
        case state(PairingState)
        /// Where the person goes on once the camera is on the network.
        case page(URL)
        case expired(Timer)
    }

    enum Action: Equatable {
        case startScanning
        case stopScanning
        case connect(UUID)
        case cancelConnection(UUID)
        case readDeviceID
        case requestNetworks
        case write(CameraCredentials)
        case start(Timer, Duration)
        case stop(Timer)
    }
}
