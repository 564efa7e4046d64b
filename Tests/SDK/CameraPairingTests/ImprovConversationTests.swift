import Basics
import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@Suite("BLEManager against a scripted Improv device on the software radio")
struct ImprovConversationTests {
    private typealias Device = ScriptedImprovDevice

    private let radio = FileManager.default.temporaryDirectory.appending(
        path: "pl-radio-\(UUID().uuidString.prefix(8))")
    private let clock = ManualClock()
    private let ble: BLEManager
    /// On the air until the test ends.
    private let devices = Locked<[ScriptedImprovDevice]>([])

    init() { ble = BLEManager(clock: clock, centralOptions: [CBManagerOptionRadioDirectoryKey: radio.path]) }

    @discardableResult
    private func device(_ script: Device.Script = .init(), mtu: Int = 517) async throws -> Device {
        let conditions = RadioConditions()
        conditions.mtu = mtu
        let device = Device(script, radio: radio, conditions: conditions)
        devices.withLock { $0.append(device) }
        try await within(.seconds(20), "advertising") { await device.advertising() }
        return device
    }

    private func answering(_ answer: @escaping @Sendable (ImprovCommand) -> [Device.Step]) -> Device.Script {
        var script = Device.Script()
        script.answer = answer
        return script
    }

    @discardableResult
    private func value<Value: Sendable>(
        _ publisher: Published<Value>.Publisher, _ what: String, where condition: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        try await within(.seconds(20), what) {
            for await value in publisher.values where condition(value) { return value }
            throw CancellationError()
        }
    }

    private func choose() async throws {
        ble.startScan()
        let cameras = try await value(ble.$cameraList, "a camera") { !$0.isEmpty }
        ble.connectToCamera(camera: cameras.first)
    }

    private func connect() async throws {
        try await choose()
        try await value(ble.$cameraConnectionStatus, "the connection") { $0 == .connected }
    }

    private func write(ssid: String = "Home", password: String = "porchlight") {
        ble.updateWifiInfo(
            wifiInfo: WiFiDetailModel(ssid: ssid, password: password, sessionKey: "", env: "", region: ""))
    }

    private func outcome() async throws -> PairingOutcome? {
        try await value(ble.$pairingOutcome, "the outcome") { $0 != nil }
    }

    private func failure() async throws -> CameraPairingError? {
        try await value(ble.$failure, "the failure") { $0 != nil }
    }

    private func join(_ ssid: String, _ password: String) throws -> ImprovCommand {
        .join(try ImprovCredentials(ssid: Data(ssid.utf8), password: Secret(password)))
    }

    /// Lets the clock go on once somebody waits for this long.
    private func pass(_ duration: Duration) async throws {
        try await within(.seconds(20), "a wait of \(duration)") { await clock.sleeper(for: duration) }
        clock.advance(by: duration)
    }

    // MARK: The flow

    @Test("The whole flow: find, connect, name, list, write, joined, and the page to show next")
    func wholeFlow() async throws {
        let device = try await device()
        try await connect()
        #expect(ble.cameraList.map(\.name) == ["garden-cam"])
        #expect(ble.cameraList.map(\.protocol) == [.improv])
        #expect(!ble.buttonPressAwaited)

        ble.fetchCameraDid()
        try await value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.bleCameraDID == "")
        #expect(ble.cameraList.map(\.name) == ["Garden camera"])

        ble.sendWiFiScanCommand()
        let networks = try await value(ble.$wifiList, "the networks") { $0.count == 3 }
        #expect(networks.map(\.ssid) == ["Home", "Café", "Old"])
        #expect(networks.map(\.rssi) == [-48, -61, -70])
        #expect(networks.map(\.securityProtocol) == [3, 0, 1])

        write()
        #expect(try await outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
        #expect(ble.credentialsSent)
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(ble.failure == nil)
        #expect(device.commands == [.deviceInfo, .scan, try join("Home", "porchlight")])
        ble.disconnect()
        try await value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
        #expect(ble.failure == nil)
    }

    @Test("A second passes without another network: the list is complete")
    func completeList() async throws {
        try await device()
        try await connect()
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiList, "the networks") { $0.count == 3 }
        #expect(!ble.wifiListComplete)
        try await pass(.seconds(1))
        try await value(ble.$wifiListComplete, "the end of the list") { $0 }
    }

    @Test("An empty list is complete at once, and is no failure of the connection")
    func emptyList() async throws {
        try await device(answering { _ in [.result(.scan, [])] })
        try await connect()
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiListComplete, "the end of the list") { $0 }
        #expect(ble.failure == .noNetworks)
        #expect(ble.cameraConnectionStatus == .connected)
    }

    @Test("An open network, and a password that only UTF-8 can write", arguments: [("Café", ""), ("Дом", "пароль 🔑")])
    func anyText(ssid: String, password: String) async throws {
        let device = try await device()
        try await connect()
        write(ssid: ssid, password: password)
        #expect(try await outcome() == .joined)
        #expect(device.commands == [try join(ssid, password)])
    }

    @Test("At the smallest MTU results are cut off and read, commands are written in pieces")
    func smallestMTU() async throws {
        let device = try await device(mtu: 23)
        try await connect()
        ble.fetchCameraDid()
        try await value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.cameraList.map(\.name) == ["Garden camera"])
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiList, "the networks") { $0.count == 3 }
        write()
        #expect(try await outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
        #expect(device.written.count == 3, "a long write is one value")
    }

    @Test("A device that takes no long writes gets the pieces one by one")
    func noLongWrites() async throws {
        var script = Device.Script()
        script.takesLongWrites = false
        let device = try await device(script, mtu: 23)
        try await connect()
        write(password: "a passphrase of forty-five characters, or more")
        #expect(try await outcome() == .joined)
        #expect(device.written.map(\.count) == [20, 20, 15])
        #expect(device.commands == [try join("Home", "a passphrase of forty-five characters, or more")])
    }

    @Test("A device that notifies results in pieces is understood, whatever their size", arguments: [1, 7, 20])
    func pieces(size: Int) async throws {
        var script = Device.Script()
        script.pieceSize = size
        try await device(script)
        try await connect()
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiList, "the networks") { $0.count == 3 }
        write()
        #expect(try await outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
    }

    @Test("A list goes on in the next result, in the middle of a network")
    func severalResults() async throws {
        try await device(
            answering { _ in
                [
                    .result(.scan, ["Home", "-48", "WPA2", "Café"]), .result(.scan, ["-61"]),
                    .result(.scan, ["NO", "Shed", "-77", "WPA3"]), .result(.scan, []),
                ]
            })
        try await connect()
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiListComplete, "the end of the list") { $0 }
        #expect(ble.wifiList.map(\.ssid) == ["Home", "Café", "Shed"])
    }

    // MARK: The button

    @Test("Credentials wait until the button is pressed, then go out by themselves")
    func button() async throws {
        var script = Device.Script()
        script.state = .authorizationRequired
        let device = try await device(script)
        try await connect()
        try await value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiList, "the networks") { $0.count == 3 }
        write()
        try await within(.seconds(20), "the limit") { await clock.sleeper(for: .seconds(120)) }
        clock.advance(by: .seconds(119))
        #expect(device.commands == [.scan])
        device.carryOut(.state(.authorized))
        #expect(try await outcome() == .joined)
        #expect(!ble.buttonPressAwaited)
        #expect(device.commands.count == 2)
    }

    @Test("Nobody presses the button")
    func noButton() async throws {
        var script = Device.Script()
        script.state = .authorizationRequired
        let device = try await device(script)
        try await connect()
        try await value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        write()
        try await pass(.seconds(120))
        #expect(try await failure() == .buttonNotPressed)
        try await value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
        #expect(!ble.buttonPressAwaited)
        device.carryOut(.state(.authorized))
        #expect(device.commands.isEmpty)
    }

    @Test("The minute within which it takes credentials has passed: the button again")
    func authorizationExpired() async throws {
        let isAuthorized = Locked(false)
        let device = try await device(
            answering { command in
                isAuthorized.withLock { $0 } ? Device.Script.usual(command) : [.error(.notAuthorized)]
            })
        try await connect()
        write()
        try await value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        #expect(ble.pairingOutcome == nil)
        isAuthorized.withLock { $0 = true }
        device.carryOut(.state(.authorizationRequired), .state(.authorized))
        #expect(try await outcome() == .joined)
        #expect(device.commands.count == 2)
    }

    // MARK: Failures

    @Test(
        "It cannot join, says so in whatever order, and takes other credentials on the same connection",
        arguments: [
            [.acknowledge, .state(.provisioning), .error(.unableToConnect), .state(.authorized)],
            [.state(.provisioning), .state(.authorized), .error(.unableToConnect), .acknowledge],
            [.state(.provisioning), .error(.unableToConnect), .state(.authorizationRequired), .state(.authorized)],
            [.acknowledge, .error(.unableToConnect)], [.error(.unableToConnect), .acknowledge],
            [.acknowledge, .state(.provisioning), .state(.authorized)],
        ] as [[ScriptedImprovDevice.Step]])
    func cannotJoin(steps: [ScriptedImprovDevice.Step]) async throws {
        let wrong = try join("Home", "wrong one")
        let device = try await device(
            answering { $0 == wrong ? steps : Device.Script.usual($0) })
        try await connect()
        write(password: "wrong one")
        #expect(try await outcome() == .failed(.couldNotJoin))
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(ble.failure == nil)
        write()
        try await value(ble.$pairingOutcome, "the second outcome") { $0 == .joined }
        #expect(device.commands.count == 2)
    }

    @Test(
        "It joins, and says so in whatever order",
        arguments: [
            [.state(.provisioned), .acknowledge, .result(.join, ["http://10.0.0.7/"])],
            [.result(.join, ["http://10.0.0.7/"]), .acknowledge],
            [.acknowledge, .state(.provisioning), .state(.provisioned), .result(.join, ["http://10.0.0.7/"])],
            [.acknowledge, .state(.provisioned), .state(.provisioned), .result(.join, ["http://10.0.0.7/"]), .vanish],
        ] as [[ScriptedImprovDevice.Step]])
    func joinsInAnyOrder(steps: [ScriptedImprovDevice.Step]) async throws {
        try await device(answering { _ in steps })
        try await connect()
        write()
        #expect(try await outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
    }

    @Test(
        "It joins and has no page, or none that an app should open",
        arguments: [
            [.acknowledge, .state(.provisioned)], [.acknowledge, .state(.provisioned), .vanish],
            [.acknowledge, .result(.join, [""])], [.acknowledge, .result(.join, ["javascript:alert(1)"])],
        ] as [[ScriptedImprovDevice.Step]])
    func noPage(steps: [ScriptedImprovDevice.Step]) async throws {
        try await device(answering { _ in steps })
        try await connect()
        write()
        #expect(try await outcome() == .joined)
        #expect(ble.onboardingPage == nil)
    }

    @Test("It never says how it went: after its 30 s and a little more it has failed")
    func silentJoin() async throws {
        try await device(answering { _ in [.acknowledge, .state(.provisioning)] })
        try await connect()
        write()
        try await value(ble.$credentialsSent, "the acknowledgement") { $0 }
        try await pass(.seconds(35))
        #expect(try await outcome() == .failed(.couldNotJoin))
    }

    @Test("It is lost while it joins")
    func lostWhileJoining() async throws {
        try await device(answering { _ in [.acknowledge, .state(.provisioning), .vanish] })
        try await connect()
        write()
        #expect(try await failure() == .noOutcome)
        #expect(ble.pairingOutcome == nil)
    }

    @Test(
        "It does not take the credentials",
        arguments: [.error(.invalidCommand), .error(.unknownCommand), .refuse(.writeNotPermitted)]
            as [ScriptedImprovDevice.Step])
    func refusesCredentials(step: ScriptedImprovDevice.Step) async throws {
        try await device(answering { _ in [step] })
        try await connect()
        write()
        #expect(try await failure() == .fieldRefused(field: "credentials", refusal: nil))
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(ble.pairingOutcome == nil)
    }

    @Test("It fails in a way of its own", arguments: [6, 0xFF] as [UInt8])
    func unknownError(code: UInt8) async throws {
        try await device(answering { _ in [.acknowledge, .state(.provisioning), .error(.unknown(code))] })
        try await connect()
        write()
        #expect(try await outcome() == .failed(.internalFault))
    }

    @Test("Credentials that cannot be right are not written")
    func invalidCredentials() async throws {
        let device = try await device()
        try await connect()
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiList, "the networks") { $0.count == 3 }
        write(password: "short")
        #expect(try await failure() == .invalidField(.length(field: "password", actual: 5, allowed: 8...64)))
        write(ssid: "Old", password: "12345")
        #expect(try await outcome() == .joined, "five characters are a key of WEP")
        #expect(device.commands == [.scan, try join("Old", "12345")])
    }

    // MARK: What it cannot do

    @Test("It cannot list networks: no failure, the person types the name", arguments: [false, true])
    func noScan(claimsTo: Bool) async throws {
        var script = answering { command in
            if case .scan = command { return [.error(.unknownCommand)] }
            return Device.Script.usual(command)
        }
        if !claimsTo { script.capabilities = Data([ImprovCapabilities.identify.rawValue]) }
        let device = try await device(script)
        try await connect()
        ble.sendWiFiScanCommand()
        ble.getWiFiList()
        try await value(ble.$wifiListUnavailable, "the word that there is no list") { $0 }
        #expect(ble.wifiListComplete)
        #expect(ble.failure == nil)
        #expect(device.commands.count == (claimsTo ? 1 : 0))
        ble.getWiFiList()
        clock.advance(by: .seconds(90))
        ble.fetchCameraDid()
        try await value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        write()
        #expect(try await outcome() == .joined)
    }

    @Test(
        "Its scan fails", arguments: [.error(.unknown(0xFF)), .error(.invalidCommand)] as [ScriptedImprovDevice.Step])
    func scanFails(step: ScriptedImprovDevice.Step) async throws {
        try await device(answering { _ in [step] })
        try await connect()
        ble.sendWiFiScanCommand()
        #expect(try await failure() == .networkScanFailed)
        #expect(ble.cameraConnectionStatus == .connected)
    }

    @Test("It answers nothing: the limits that every camera has")
    func silence() async throws {
        let device = try await device(answering { _ in [] })
        try await connect()
        ble.sendWiFiScanCommand()
        ble.fetchCameraDid()
        try await value(ble.$bleCameraDIDFetched, "a question that is not asked beside another") { $0 }
        ble.getWiFiList()
        try await pass(.seconds(90))
        #expect(try await failure() == .noNetworks)
        #expect(device.commands == [.scan])
    }

    @Test("Two questions are asked one after the other")
    func queue() async throws {
        let device = try await device()
        try await connect()
        ble.fetchCameraDid()
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiList, "the networks") { $0.count == 3 }
        #expect(ble.bleCameraDIDFetched)
        #expect(device.commands == [.deviceInfo, .scan])
    }

    // MARK: Who is shown, and who is not what it seems

    @Test("Only a device that can be paired is shown", arguments: [ImprovState.provisioning, .provisioned])
    func notPairable(state: ImprovState) async throws {
        var script = Device.Script()
        script.serviceData = ImprovServiceData(state: state, capabilities: .scan).encoded()
        try await device(script)
        ble.startScan()
        try await pass(.seconds(30))
        try await value(ble.$noCameraFound, "the end of the scan") { $0 }
        #expect(ble.cameraList.isEmpty)
    }

    @Test(
        "A device is shown when its service data says so, makes no sense, or is not there",
        arguments: [Data([1, 4, 0, 0, 0, 0]), Data([2, 0, 0, 0, 0, 0]), Data([9]), nil])
    func shown(serviceData: Data?) async throws {
        var script = Device.Script()
        script.serviceData = serviceData
        try await device(script)
        ble.startScan()
        try await value(ble.$cameraList, "a camera") { !$0.isEmpty }
    }

    @Test(
        "It is on a network when it is connected to, or on its way into one",
        arguments: [(ImprovState.provisioned, CameraPairingError.alreadyOnNetwork), (.provisioning, .cameraBusy)])
    func alreadyThere(state: ImprovState, error: CameraPairingError) async throws {
        var script = Device.Script()
        script.state = state
        try await device(script)
        try await choose()
        #expect(try await failure() == error)
        try await value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
    }

    @Test("It lacks what the standard asks for", arguments: ImprovService.Characteristic.allCases)
    func lacks(characteristic: ImprovService.Characteristic) async throws {
        var script = Device.Script()
        script.leavesOut = [characteristic]
        try await device(script)
        try await choose()
        #expect(try await failure() == .notACamera(missing: "\(characteristic) characteristic"))
    }

    @Test("Its capabilities make no sense")
    func nonsense() async throws {
        var script = Device.Script()
        script.capabilities = Data()
        try await device(script)
        try await choose()
        #expect(
            try await failure()
                == .connectionFailed("the device's capabilities was not understood: capabilities is missing"))
    }

    @Test("It lies about lengths, sums and what it answers: the good results among them count")
    func lies() async throws {
        try await device(
            answering { command in
                guard case .scan = command else { return Device.Script.usual(command) }
                return [
                    .raw(.result, Data()), .raw(.result, Data([4])), .raw(.result, Data([4, 200, 1])),
                    .raw(.result, Data([4, 0, 9])), .raw(.result, Data(repeating: 0xFF, count: 300)),
                    .raw(.result, Data([4, 2, 5, 65, 0x50])), .raw(.state, Data()), .raw(.state, Data([77])),
                    .raw(.error, Data([1, 2])), .result(.join, ["http://evil/"]), .result(.deviceInfo, ["a"]),
                    .result(.scan, ["no", "number", "NO", "Home", "-40", "WPA2"]),
                ]
            })
        try await connect()
        ble.sendWiFiScanCommand()
        try await value(ble.$wifiList, "the network") { $0.map(\.ssid) == ["Home"] }
        #expect(ble.onboardingPage == nil)
        #expect(ble.pairingOutcome == nil)
        write()
        #expect(try await outcome() == .joined)
    }

    @Test("It lists networks without end")
    func endless() async throws {
        try await device(
            answering { _ in
                Array(repeating: .result(.scan, (0..<15).flatMap { ["n\($0)", "-50", "NO"] }), count: 140)
            })
        try await connect()
        ble.sendWiFiScanCommand()
        #expect(try await failure() == .networkListEndless)
    }

    @Test("A name from outside does not draw on the terminal")
    func names() async throws {
        var script = answering { _ in
            [.result(.deviceInfo, ["", "", "", "\u{1B}[2J\u{202E}Bad\nname" + "x".repeated(99)])]
        }
        script.name = "\u{1B}]0;cam\u{7}"
        try await device(script)
        try await connect()
        #expect(ble.cameraList.map(\.name) == ["]0;cam"])
        ble.fetchCameraDid()
        try await value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.cameraList.map(\.name) == ["[2JBadname" + "x".repeated(30)])
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
