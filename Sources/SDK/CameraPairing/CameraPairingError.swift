public import Wire

/// Why a step over Bluetooth did not succeed, and what to do.
public enum CameraPairingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Bluetooth is switched off.
    case bluetoothOff
    /// The person or the system does not allow Bluetooth to this program.
    case bluetoothNotAllowed
    /// This machine has no Bluetooth.
    case bluetoothUnsupported
    /// The scan ended and no camera in pairing mode was heard.
    case noCameraFound
    /// The chosen camera is not in the list any more.
    case cameraUnknown
    /// The camera did not become ready in time.
    case connectionTimedOut
    /// The camera refused the connection or the connection broke while it was set up.
    case connectionFailed(String)
    /// The connection was lost before the step under way had finished.
    case linkLost
    /// The device has our service without what the protocol asks for.
    case notACamera(missing: String)
    /// A command was given without a connected camera.
    case notConnected
    /// The camera did not list a single network within the guard time.
    case noNetworks
    /// The camera could not scan for networks.
    case networkScanFailed
    /// A field cannot be what it has to be; nothing was written.
    case invalidField(WireError)
    /// The camera did not accept a field.
    case fieldRefused(field: String, refusal: PairingService.WriteRefusal?)
    /// The camera did not acknowledge the credentials in time.
    case writeTimedOut
    /// The camera did not get onto the network or into the cloud, and says why.
    case notJoined(PairingFailure)
    /// The camera has the credentials, and neither came back nor said how it went.
    case noOutcome
    /// The camera has lost the credentials that it took: it was restarted before it had joined.
    case cameraRestarted
    /// The camera has credentials under way, or another client pairs it.
    case cameraBusy
    /// The setup code is not the camera's. Each costs a try, and the fifth in a row closes pairing for a minute.
    case wrongSetupCode
    /// What was given as the setup code cannot be one; nothing was tried.
    case invalidSetupCode(WireError)
    /// The camera takes nobody without its setup code.
    case setupCodeRequired
    /// Too many wrong setup codes.
    case pairingLocked
    /// The app insists on the protected layout, and the camera does not offer it.
    case protectedPairingNotOffered
    /// The camera does not talk to this client.
    case refused(PairingService.WriteRefusal)
    /// The camera says that it offers a better layout than those that can be seen.
    case layoutHidden
    /// The camera does not know the conversation any more, or somebody has meddled with it.
    case sessionLost
    /// The camera did not answer.
    case noAnswer(to: String)
    /// The camera told of networks without end.
    case networkListEndless
    /// Nobody pressed the button that the camera asks for before it takes credentials.
    case buttonNotPressed
    /// The camera is on a network and does not take another.
    case alreadyOnNetwork

    /// What happened and the next step.
    public var description: String {
        switch self {
        case .bluetoothOff: "Bluetooth is off. Turn it on, then scan again."
        case .bluetoothNotAllowed: "This program may not use Bluetooth. Allow it in the system's settings."
        case .bluetoothUnsupported: "This machine has no Bluetooth. Plug in an adapter, or pair with a QR code."
        case .noCameraFound: "No camera was found. Check that it has power and is in pairing mode, then scan again."
        case .cameraUnknown: "That camera is not in the list any more. Scan again."
        case .connectionTimedOut: "The camera did not become ready in time. Move closer and try again."
        case .connectionFailed(let reason): "The connection to the camera failed: \(reason). Try again."
        case .linkLost: "The connection to the camera was lost. Move closer and try again."
        case .notACamera(let missing): "The device does not speak the pairing protocol: it has no \(missing)."
        case .notConnected: "No camera is connected. Connect to one first."
        case .noNetworks: "The camera has not listed any network. Give it a minute after power-on, then scan again."
        case .networkScanFailed: "The camera could not scan for networks. Try again."
        case .invalidField(let error): "The credentials cannot be used: \(error)."
        case .fieldRefused(let field, let refusal):
            "The camera did not accept the \(field)\(refusal.map { " (\($0))" } ?? ""). Check it and try again."
        case .writeTimedOut: "The camera did not confirm the credentials. Scan and try again."
        case .notJoined(let failure): failure.description
        case .noOutcome:
            "The camera has the credentials and has not said how it went. If it does not appear in the cloud, the Wi-Fi "
                + "password is wrong or the network is on a band that the camera does not hear, such as 5 GHz: "
                + "scan and try again."
        case .cameraRestarted: "The camera was restarted before it had joined. Connect to it and try again."
        case .cameraBusy:
            "The camera is busy: it has credentials under way, or somebody else is pairing it. Wait and try again."
        case .wrongSetupCode:
            "The setup code is wrong. Compare it with the eight digits printed on the camera; after five wrong ones the "
                + "camera is closed for a minute."
        case .invalidSetupCode(let error): "That is no setup code: \(error). It has eight digits."
        case .setupCodeRequired: "The camera asks for the setup code that is printed on it."
        case .pairingLocked:
            "The camera is closed after too many wrong setup codes. Wait a minute, or switch it off and on, and try again."
        case .protectedPairingNotOffered:
            "The camera does not offer protected pairing, which this app insists on. Check that it is yours and update it."
        case .refused(let refusal): "The camera refused (\(refusal)). Wait a minute and try again."
        case .layoutHidden:
            "The camera offers a safer way of pairing than can be seen here. Somebody may be in between: "
                + "move closer and scan again."
        case .sessionLost: "The conversation with the camera was broken off. Connect and try again."
        case .noAnswer(let question): "The camera did not answer \(question). Restart it and try again."
        case .networkListEndless: "The camera told of networks without end. Restart it and try again."
        case .buttonNotPressed:
            "Nobody pressed the button on the camera. Try again, and press it when asked to; its manual says which it is."
        case .alreadyOnNetwork: "The camera is on a network already. Reset it to pair it again."
        }
    }
}
