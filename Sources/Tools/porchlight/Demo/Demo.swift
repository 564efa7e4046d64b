import Basics
import CloudServer
import Foundation
import Porchlight

/// Starts a cloud and a camera, walks through a pairing, and ends what it started.
actor Demo {
    static let ssid = "Porchlight Demo"
    static let password = "porchlight"

    /// What came of it.
    struct Outcome: Sendable {
        var report: WalkthroughReport
        /// The address of the page that shows the camera; the token in its fragment opens the space.
        var page: String
    }

    private let steps: Steps
    private let place: DemoDirectory
    private let port: Int
    private let network: JoinWish
    private let snapshot: URL?
    private var cloud: CloudServer?
    private var camera: ChildProcess?

    init(steps: Steps, place: DemoDirectory, port: Int, network: JoinWish, snapshot: URL?) {
        self.steps = steps
        self.place = place
        self.port = port
        self.network = network
        self.snapshot = snapshot
    }

    /// Does the whole walk, or gives up when the person does.
    func runUnlessInterrupted(_ interruption: Interruption) async throws -> Outcome {
        try await interruption.ends("demo") { try await self.run() }
    }

    private func run() async throws -> Outcome {
        let (cloud, owner) = try await startCloud()
        try await startCamera(cloud: cloud.address)
        InstaSDK.configure(environment: .production, region: .us, cloud: cloud.address, token: owner.token)
        let walk = Walkthrough(
            steps: steps, spaceID: owner.spaceId,
            answers: PairingAnswers(ssid: network.ssid, password: .known(network.password)), snapshot: snapshot,
            framesToSee: 30)
        guard case .watched(let seen) = try await walk.run() else {
            throw StepFailure(
                step: "find a camera", reason: "a device of another make was nearer than the demo's own camera",
                advice: "Use the software radio: PORCHLIGHT_RADIO=software.")
        }
        let report = seen.report(await steps.done)
        let page = LivePage(cloud: cloud.address, spaceID: owner.spaceId, deviceID: seen.deviceID)
        return Outcome(report: report, page: page.address(token: owner.token))
    }

    /// Waits for Ctrl-C; ends early when the camera's process does.
    func stayUp(_ interruption: Interruption) async {
        guard let camera else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await interruption.wait() }
            group.addTask {
                guard let status = await camera.exit() else { return }
                Terminal.complain("The camera's process ended (exit status \(status)). Ctrl-C, then start again.")
                await interruption.wait()
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Ends the camera and the cloud, in this order. Idempotent.
    func stop() async {
        await camera?.end()
        camera = nil
        await cloud?.stop()
        cloud = nil
    }

    // MARK: Parts

    private func startCloud() async throws -> (CloudServer, OwnerAccess) {
        let (place, port) = (place, port)
        let (cloud, owner) = try await steps.run(
            "start the cloud", limit: .seconds(20), advice: "Choose another directory with --data or port with --port.",
            summary: { (cloud: CloudServer, _: OwnerAccess) in "\(cloud.address)" }
        ) {
            var configuration = CloudConfiguration(dataDirectory: place.cloud)
            configuration.port = port
            configuration.consoleDirectory = try ConsoleLocation.find(named: nil)
            let cloud = try await CloudServer.start(configuration)
            do {
                return (cloud, try await OwnerAccess.establish(in: place.cloud, of: cloud))
            } catch {
                await cloud.stop()
                throw error
            }
        }
        self.cloud = cloud
        return (cloud, owner)
    }

    private func startCamera(cloud: URL) async throws {
        guard let program = Bundle.main.executableURL else {
            throw CommandError.failed("This program cannot find its own file. Start it by its full path.")
        }
        let camera: ChildProcess
        do {
            camera = try ChildProcess(
                executable: program,
                arguments: [
                    "camera", "--cloud", "\(cloud)", "--state", place.camera.path, "--wifi", "simulated",
                    "--exit-with-parent",
                ],
                environment: ProcessInfo.processInfo.environment)
        } catch {
            throw StepFailure(
                step: "start the camera", reason: error.localizedDescription,
                advice: "Check that \(program.path) can be executed.")
        }
        self.camera = camera
        await steps.depend(on: camera)
        let remarks = Locked<[String]>([])
        _ = try await steps.run(
            // The camera itself waits 30 s for its radio, and then says what is wrong with it.
            "start the camera", limit: .seconds(40), advice: "Run 'porchlight camera' by hand and read what it says.",
            summary: { (line: String) in "process \(camera.identifier), \(line)" }
        ) {
            for await line in camera.lines {
                if line.hasPrefix("waiting to be paired") { return line }
                remarks.withLock { $0.append(line) }
            }
            // Its end is told by the step, with its reason; here is only the wait until that is done.
            try await Task.sleep(for: .seconds(3600))
            throw CancellationError()
        }
        await steps.remark(remarks.withLock { $0 })
        // What it says from here on is of interest only in its own terminal; the pipe must not fill.
        Task { for await _ in camera.lines {} }
    }
}
