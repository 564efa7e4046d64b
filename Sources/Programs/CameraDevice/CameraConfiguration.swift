public import Wire

/// What a camera is made of.
public struct CameraConfiguration: Sendable {
    /// Where pictures come from.
    public enum VideoInput: Sendable, Equatable {
        /// `/dev/video0` where there is one, else the test pattern.
        case automatic
        /// A V4L2 device by its path.
        case device(path: String)
        /// A moving picture with the camera's name and a running clock in it.
        case testPattern
    }

    /// How pictures are encoded.
    public struct Video: Sendable, Equatable {
        /// In pixels; even, 16 to 4096.
        public var width = 1280
        /// In pixels; even, 16 to 4096.
        public var height = 720
        /// Frames a second, 1 to 120.
        public var framesPerSecond = 30
        /// In bits a second, 50,000 to 50,000,000.
        public var bitrate = 2_000_000

        /// 1280 × 720 at 30 frames and 2 Mbit a second.
        public init() {}
    }

    /// How many may watch.
    public struct Limits: Sendable, Equatable {
        /// Viewers at a time, those whose set-up is under way included; at least 1.
        public var viewers = 16
        /// Set-ups under way at a time; at least 1.
        public var setUps = 8

        /// 16 viewers, 8 set-ups.
        public init() {}
    }

    /// The directory for the key and the registration; made with mode 0700 where it is missing. One that is there must
    /// be closed to other accounts.
    public var stateDirectory: String
    /// The maker's name for the model: 1 to 32 bytes of UTF-8.
    public var model = "Porchlight Reference"
    /// The clouds that the camera knows.
    public var destinations: CameraDestinations
    /// Where pictures come from.
    public var videoInput = VideoInput.automatic
    /// How pictures are encoded.
    public var video = Video()
    /// How many may watch.
    public var limits = Limits()
    /// What joins networks.
    public var networks: any NetworkJoiner
    /// What is measured beside the picture.
    public var sensors: any CameraSensors = SimulatedSensors()
    /// How often measurements are sent to viewers.
    public var sensorInterval: Duration = .seconds(5)
    /// The ways of handing over credentials that the camera offers over Bluetooth, a service each; not none.
    public var layouts: PairingInfo.Layouts = [.standard, .chunked, .protected]
    /// Whether nobody pairs the camera without its setup code: then it offers the protected layout alone.
    public var requiresSetupCode = false
    /// Whether the camera makes itself another setup code at this start; ``CameraEvent/setupCode(_:)`` tells it.
    public var renewsSetupCode = false
    /// Options for the Bluetooth peripheral manager, such as the directory of the software radio.
    public var radioOptions: [String: any Sendable] = [:]
    /// All waits and timers of the camera; those of the platform's sockets and media run on their own.
    public var clock: any Clock<Duration>
    /// All decisions by chance; keys come from the system's generator always.
    public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

    /// A wired camera with a simulated network list.
    public init(
        stateDirectory: String, destinations: CameraDestinations, networks: (any NetworkJoiner)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.stateDirectory = stateDirectory
        self.destinations = destinations
        self.clock = clock
        self.networks = networks ?? SimulatedNetworks(clock: clock)
    }

    /// Whether the camera has a setup code.
    public var offersProtectedPairing: Bool { offeredLayouts.contains(.protected) }

    /// The layouts that the camera offers.
    var offeredLayouts: PairingInfo.Layouts { requiresSetupCode ? .protected : layouts }
}
