import Combine
import CoreBluetooth
import Foundation
import Porchlight
import Wire

/// What an app does, from the first scan to the first picture: the public SDK and nothing else.
struct Walkthrough: Sendable {
    /// What the walk-through ends with.
    enum Ending: Sendable {
        /// The camera is in the cloud, and has been seen.
        case watched(Outcome)
        /// A device that is not ours, and has no cloud, is on the network.
        case joined(Onboarding)
    }

    /// A device that has been brought onto a network, and no more.
    struct Onboarding: Sendable {
        var name: String
        /// Where the device wants the person to go on; its own word.
        var page: URL?

        func report(_ steps: [WalkthroughReport.Step]) -> OnboardingReport {
            OnboardingReport(steps: steps, name: name, onboardingPage: page?.absoluteString)
        }
    }

    /// What has been seen of a camera.
    struct Outcome: Sendable {
        var deviceID: String
        var frames: Int
        var width: Int
        var height: Int
        var codec: String
        var firstFrame: Duration
        var rssi: Int
        var snapshot: URL

        /// What is printed of it.
        func report(_ steps: [WalkthroughReport.Step]) -> WalkthroughReport {
            WalkthroughReport(
                steps: steps, deviceId: deviceID, frames: frames, width: width, height: height, codec: codec,
                firstFrameMilliseconds: firstFrame.milliseconds, rssi: rssi, snapshot: snapshot.path)
        }
    }

    let steps: Steps
    let spaceID: String
    let answers: PairingAnswers
    /// Where the picture goes; nil for a file named after the device in the temporary directory.
    let snapshot: URL?
    /// How many decoded pictures are proof enough.
    let framesToSee: Int

    let ble = BLEManager.instance

    static let credentialsStep = "write the credentials"

    /// What to do after the walk was interrupted. Once the camera may have the credentials, it goes on without the app.
    func adviceAfterInterruption() async -> String {
        guard await steps.begun.contains(Self.credentialsStep) else { return "Start again when you like." }
        return
            "The camera has the credentials and may join by itself. To pair it anew, end it, remove its state directory "
            + "and start it again."
    }

    func run() async throws -> Ending {
        let camera = try await answers.camera(try await findCamera(), of: ble)
        try await connect(to: camera)
        guard camera.protocol == .porchlight else {
            try await listNetworks(of: camera)
            return .joined(try await join(try await answers.network(ble), camera))
        }
        try await readDeviceID()
        try await listNetworks(of: camera)
        let network = try await answers.network(ble)
        let (deviceID, sessionKey) = try await join(network)
        try await waitUntilPaired(deviceID, sessionKey)
        return .watched(try await watch(deviceID))
    }

    /// Hangs up, so that a camera that has not joined waits to be paired again.
    func leave() async { await ble.released() }

    /// Minutes of pairing are not worth a picture that cannot be kept.
    static func checkSnapshot(_ path: String?) throws(StepFailure) {
        let directory =
            path.map { URL(filePath: $0).deletingLastPathComponent().path } ?? FileManager.default.currentDirectoryPath
        guard FileManager.default.isWritableFile(atPath: directory) else {
            throw StepFailure(
                step: "prepare", reason: "\(directory) is no directory that can be written",
                advice: "Choose another file with --snapshot.")
        }
    }

    // MARK: Bluetooth

    private func findCamera() async throws -> BLECamera {
        try await steps.run(
            "turn Bluetooth on", limit: .seconds(10),
            advice: RadioWish.advice, code: .noBluetooth,
            late: { Steps.Late(reason: RadioWish.absence(ble.centralManager), advice: RadioWish.advice) },
            summary: { CBManager.radioDescription }
        ) {
            ble.initCBCentralManager()
            // A service manager may just be starting bluetoothd, which may just be finding its adapter.
            for await state in ble.$cBManagerState.values {
                if state == .poweredOn { break }
                if state == .unauthorized {
                    throw StepFailure(
                        step: "turn Bluetooth on", reason: RadioWish.absence(ble.centralManager),
                        advice: RadioWish.advice, code: .noBluetooth)
                }
            }
        }
        return try await steps.run(
            "find a camera", limit: .seconds(35),
            advice: "Check that the camera is on and near, then try again. One that is paired already does not show.",
            code: .noCamera,
            late: {
                guard let cameraChoice = answers.camera else { return nil }
                let advice = "Choose one that is heard with --camera; the camera's own terminal says its name."
                return Steps.Late(reason: cameraChoice.missing(among: ble.cameraList), advice: advice)
            },
            summary: { (camera: BLECamera) in answers.asksForCamera ? "" : "\(camera.name), \(camera.rssi) dBm" }
        ) {
            let heard = try await ble.findCameras()
            guard let cameraChoice = answers.camera else { return heard[0] }
            for await list in ble.$cameraList.values {
                if let camera = list.first(where: cameraChoice.matches) { return camera }
            }
            throw CancellationError()
        }
    }

    /// Connects, on the protected layout where the camera has it; a setup code that is wrong is asked for again.
    private func connect(to camera: BLECamera) async throws {
        ble.requiresProtectedPairing = answers.isProtected
        var code = answers.setupCode
        if code == nil, camera.offersProtectedPairing { code = try await answers.setupCode(isNeeded: false) }
        while true {
            ble.setupCode = code.map { Secret($0.revealed) }
            do {
                return try await steps.run(
                    "connect", limit: .seconds(25), advice: "Move the camera closer, then try again.",
                    code: .noConnection,
                    summary: { camera.name }
                ) {
                    try await connectPatiently(to: camera)
                }
            } catch let failure as StepFailure {
                guard [.wrongSetupCode, .setupCodeRequired].contains(failure.cause as? CameraPairingError) else {
                    throw failure
                }
                guard answers.dialogue?.isPerson == true else { throw failure }
                await steps.remark([failure.reason])
                code = try await answers.setupCode(isNeeded: true)
            }
        }
    }

    /// Bluetooth may still be settling after the connection before, which another program may have had: the first attempt
    /// can meet its end.
    private func connectPatiently(to camera: BLECamera) async throws {
        for attempt in 1...2 {
            do {
                return try await ble.connect(camera)
            } catch CameraPairingError.connectionFailed, CameraPairingError.linkLost {
                try await Task.sleep(for: .milliseconds(500 * attempt))
            }
        }
        try await ble.connect(camera)
    }

    private func readDeviceID() async throws {
        _ = try await steps.run(
            "read the device id", limit: .seconds(10), advice: "Try again.", code: .noConnection, summary: { $0 }
        ) {
            try await ble.deviceId()
        }
    }

    private func listNetworks(of camera: BLECamera) async throws {
        // A device may want somebody to press its button first, to be sure that they are near.
        let button = Task {
            for await isAwaited in ble.$buttonPressAwaited.values where isAwaited {
                await steps.remark(["Press the button on \(camera.name)."])
            }
        }
        defer { button.cancel() }
        _ = try await steps.run(
            "list the camera's networks", limit: .seconds(95),
            advice: "Give the camera a minute after power-on, then try again.", code: .noNetwork,
            summary: { (list: [WifiNetwork]) in answers.asksForNetwork ? "" : Self.summary(of: list) }
        ) {
            guard let heard = try await firstNetworks() else { return [] }
            guard let ssid = answers.ssid, !answers.isHidden else { return heard }
            return try await withThrowingTaskGroup(of: [WifiNetwork].self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    for await list in ble.$wifiList.values where list.contains(where: { $0.ssid == ssid }) {
                        return list
                    }
                    throw CancellationError()
                }
                group.addTask {
                    // A scan reports within a few seconds of its first network.
                    try await Task.sleep(for: .seconds(10))
                    throw StepFailure(
                        step: "list the camera's networks",
                        reason: "the camera does not hear '\(ssid)'; it hears "
                            + ble.wifiList.map { "'\($0.ssid)'" }.joined(separator: ", "),
                        advice: "Choose one of these with --ssid; for one that hides its name, add --hidden.",
                        code: .noNetwork)
                }
                guard let list = try await group.next() else { throw CancellationError() }
                return list
            }
        }
    }

    private static func summary(of list: [WifiNetwork]) -> String {
        let names = list.prefix(5).map(\.ssid).joined(separator: ", ")
        return "\(list.count): \(names)\(list.count > 5 ? ", …" : "")"
    }

    /// The first networks; nil where the device cannot list any.
    private func firstNetworks() async throws -> [WifiNetwork]? {
        try await withThrowingTaskGroup(of: [WifiNetwork]?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await ble.networks { !$0.isEmpty } }
            group.addTask {
                for await isUnavailable in ble.$wifiListUnavailable.values where isUnavailable { return nil }
                throw CancellationError()
            }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    // MARK: Cloud

    func createSession() async throws -> PairingSessionKeyModel {
        try await steps.run(
            "create a pairing session", limit: .seconds(20), advice: "Check that the cloud answers, then try again.",
            code: .cloud, summary: { (session: PairingSessionKeyModel) in "valid for \(session.expiresIn) s" }
        ) {
            try await Factory.spaceService.createPairingSessionKey(
                spaceId: spaceID,
                request: PairingSessionKeyRequest(timezoneSettings: .current))
        }
    }

    private func waitUntilPaired(_ deviceID: String, _ sessionKey: String) async throws {
        _ = try await steps.run(
            "wait until it is paired", limit: .seconds(60), advice: "Check that the camera reaches the cloud.",
            code: .cameraNotAccepted, summary: { (device: DeviceModel) in "\(device.pairingStatus)" }
        ) {
            try await PairingSession(spaceId: spaceID, sessionKey: sessionKey).pairedDevice(
                deviceId: deviceID, every: .seconds(1))
        }
    }

    // MARK: Live

    private func watch(_ deviceID: String) async throws -> Outcome {
        let view = LiveViewModel.model(spaceId: spaceID, deviceId: deviceID)
        let firstFrame = try await steps.run(
            "open the live view", limit: .seconds(35), advice: "Check that the camera is online, then try again.",
            code: .noPicture, summary: { (first: Duration) in "first frame after \(first.milliseconds) ms" }
        ) {
            try await LiveViewModel.prepare()
            view.connect()
            try await view.connected()
            guard let duration = view.firstFrameDuration else { throw LiveViewError.noFrame }
            return duration
        }
        let pictures = view.remoteViews[0]
        let size = try await steps.run(
            "receive decoded frames", limit: .seconds(20), advice: "Look at the load of this machine.",
            code: .noPicture,
            summary: { (size: CGSize) in "\(pictures.frameCount) of \(Int(size.width))x\(Int(size.height))" }
        ) {
            for await _ in pictures.frames where pictures.frameCount >= framesToSee { break }
            return pictures.size
        }
        let rssi = try await steps.run(
            "read the signal on the data channel", limit: .seconds(20), advice: "Update the camera.",
            code: .noPicture, summary: { (rssi: Int) in "\(rssi) dBm" }
        ) {
            for await rssi in view.$rssi.values { if let rssi { return rssi } }
            throw CancellationError()
        }
        let file = snapshot ?? Self.defaultSnapshot(of: deviceID)
        try await steps.run(
            "save a snapshot", limit: .seconds(10), advice: "Check that \(file.path) can be written.",
            summary: { file.path }
        ) {
            try await view.snapshot().write(to: file, options: .atomic)
        }
        let outcome = Outcome(
            deviceID: deviceID, frames: pictures.frameCount, width: Int(size.width), height: Int(size.height),
            codec: view.videoCodec ?? "unknown", firstFrame: firstFrame, rssi: rssi,
            snapshot: file)
        view.disconnect()
        await view.closed()
        return outcome
    }

    /// Where the user is: in a directory that all share, others could read the picture or choose where it goes.
    private static func defaultSnapshot(of deviceID: String) -> URL {
        URL(filePath: FileManager.default.currentDirectoryPath)
            .appending(path: "porchlight-\(deviceID.suffix(4)).png")
    }
}
