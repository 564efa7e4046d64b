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
    private let bench = ImprovBench()
    private var ble: BLEManager { bench.ble }
    private var clock: ManualClock { bench.clock }

    // MARK: The flow

    @Test("The whole flow: find, connect, name, list, write, joined, and the page to show next")
    func wholeFlow() async throws {
        let device = try await bench.device()
        try await bench.connect()
        #expect(ble.cameraList.map(\.name) == ["garden-cam"])
        #expect(ble.cameraList.map(\.protocol) == [.improv])
        #expect(!ble.buttonPressAwaited)

        ble.fetchCameraDid()
        try await bench.value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.bleCameraDID == "")
        #expect(ble.cameraList.map(\.name) == ["Garden camera"])

        ble.sendWiFiScanCommand()
        let networks = try await bench.value(ble.$wifiList, "the networks") { $0.count == 3 }
        #expect(networks.map(\.ssid) == ["Home", "Café", "Old"])
        #expect(networks.map(\.rssi) == [-48, -61, -70])
        #expect(networks.map(\.securityProtocol) == [3, 0, 1])

        bench.write()
        #expect(try await bench.outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
        #expect(ble.credentialsSent)
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(ble.failure == nil)
        #expect(device.commands == [.deviceInfo, .scan, try bench.join("Home", "porchlight")])
        ble.disconnect()
        try await bench.value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
        #expect(ble.failure == nil)
    }

    @Test("A second passes without another network: the list is complete")
    func completeList() async throws {
        try await bench.device()
        try await bench.connect()
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiList, "the networks") { $0.count == 3 }
        #expect(!ble.wifiListComplete)
        try await bench.pass(.seconds(1))
        try await bench.value(ble.$wifiListComplete, "the end of the list") { $0 }
    }

    @Test("An empty list is complete at once, and is no failure of the connection")
    func emptyList() async throws {
        try await bench.device(ScriptedImprovDevice.Script { _ in [.result(.scan, [])] })
        try await bench.connect()
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiListComplete, "the end of the list") { $0 }
        #expect(ble.failure == .noNetworks)
        #expect(ble.cameraConnectionStatus == .connected)
    }

    @Test("An open network, and a password that only UTF-8 can write", arguments: [("Café", ""), ("Дом", "пароль 🔑")])
    func anyText(ssid: String, password: String) async throws {
        let device = try await bench.device()
        try await bench.connect()
        bench.write(ssid: ssid, password: password)
        #expect(try await bench.outcome() == .joined)
        #expect(device.commands == [try bench.join(ssid, password)])
    }

    @Test("At the smallest MTU results are cut off and read, commands are written in pieces")
    func smallestMTU() async throws {
        let device = try await bench.device(mtu: 23)
        try await bench.connect()
        ble.fetchCameraDid()
        try await bench.value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.cameraList.map(\.name) == ["Garden camera"])
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiList, "the networks") { $0.count == 3 }
        bench.write()
        #expect(try await bench.outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
        #expect(device.written.count == 3, "a long write is one value")
    }

    @Test("A device that takes no long writes gets the pieces one by one")
    func noLongWrites() async throws {
        var script = ScriptedImprovDevice.Script()
        script.takesLongWrites = false
        let device = try await bench.device(script, mtu: 23)
        try await bench.connect()
        bench.write(password: "a passphrase of forty-five characters, or more")
        #expect(try await bench.outcome() == .joined)
        #expect(device.written.map(\.count) == [20, 20, 15])
        #expect(device.commands == [try bench.join("Home", "a passphrase of forty-five characters, or more")])
    }

    @Test("A device that notifies results in pieces is understood, whatever their size", arguments: [1, 7, 20])
    func pieces(size: Int) async throws {
        var script = ScriptedImprovDevice.Script()
        script.pieceSize = size
        try await bench.device(script)
        try await bench.connect()
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiList, "the networks") { $0.count == 3 }
        bench.write()
        #expect(try await bench.outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
    }

    @Test("A list goes on in the next result, in the middle of a network")
    func severalResults() async throws {
        try await bench.device(
            ScriptedImprovDevice.Script { _ in
                [
                    .result(.scan, ["Home", "-48", "WPA2", "Café"]), .result(.scan, ["-61"]),
                    .result(.scan, ["NO", "Shed", "-77", "WPA3"]), .result(.scan, []),
                ]
            })
        try await bench.connect()
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiListComplete, "the end of the list") { $0 }
        #expect(ble.wifiList.map(\.ssid) == ["Home", "Café", "Shed"])
    }

    @Test("The whole flow as one call: no list, a wrong password, the button, the right one, and the page")
    func pair() async throws {
        let wrong = try bench.join("Home", "wrong one")
        var script = ScriptedImprovDevice.Script { command in
            command == wrong
                ? [.error(.unableToConnect), .state(.authorizationRequired)]
                : ScriptedImprovDevice.Script.usual(command)
        }
        script.capabilities = Data([0])
        let device = try await bench.device(script)
        let steps = Locked<[PairingProgress]>([])
        let pairing = Task { [ble] in
            try await ble.pair(
                attempts: 2,
                credentials: { candidate in
                    #expect(!candidate.listsNetworks)
                    #expect(candidate.networks.isEmpty)
                    let password = candidate.lastFailure == nil ? "wrong one" : "porchlight"
                    return WiFiDetailModel(ssid: "Home", password: password, sessionKey: "", env: "", region: "")
                },
                progress: { step in
                    steps.withLock { $0.append(step) }
                    if step == .waitingForButton { Task { device.carryOut(.state(.authorized)) } }
                })
        }
        let paired = try await within(.seconds(20), "the end of the pairing") { try await pairing.value }
        #expect(paired.hasJoined)
        #expect(paired.deviceId == "")
        #expect(paired.onboardingPage?.absoluteString == "http://10.0.0.7/")
        #expect(steps.withLock { $0 }.contains(.waitingForButton))
        #expect(ble.cameraConnectionStatus == .notConnected)
    }

    // MARK: The button

    @Test("Credentials wait until the button is pressed, then go out by themselves")
    func button() async throws {
        var script = ScriptedImprovDevice.Script()
        script.state = .authorizationRequired
        let device = try await bench.device(script)
        try await bench.connect()
        try await bench.value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiList, "the networks") { $0.count == 3 }
        bench.write()
        try await within(.seconds(20), "the limit") { await clock.sleeper(for: .seconds(120)) }
        clock.advance(by: .seconds(119))
        #expect(device.commands == [.scan])
        device.carryOut(.state(.authorized))
        #expect(try await bench.outcome() == .joined)
        #expect(!ble.buttonPressAwaited)
        #expect(device.commands.count == 2)
    }

    @Test("Nobody presses the button")
    func noButton() async throws {
        var script = ScriptedImprovDevice.Script()
        script.state = .authorizationRequired
        let device = try await bench.device(script)
        try await bench.connect()
        try await bench.value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        bench.write()
        try await bench.pass(.seconds(120))
        #expect(try await bench.failure() == .buttonNotPressed)
        try await bench.value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
        #expect(!ble.buttonPressAwaited)
        device.carryOut(.state(.authorized))
        #expect(device.commands.isEmpty)
    }

    @Test("Somebody else brings it onto a network while credentials wait for the button: ours have not done it")
    func provisionedBySomebodyElse() async throws {
        var script = ScriptedImprovDevice.Script()
        script.state = .authorizationRequired
        let device = try await bench.device(script)
        try await bench.connect()
        try await bench.value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        bench.write()
        device.carryOut(.state(.provisioning), .result(.join, ["http://10.0.0.7/"]), .state(.provisioned))
        try await bench.pass(.seconds(120))
        #expect(try await bench.failure() == .buttonNotPressed)
        #expect(ble.pairingOutcome == nil)
        #expect(ble.onboardingPage == nil)
    }

    @Test("The minute within which it takes credentials has passed: the button again")
    func authorizationExpired() async throws {
        let isAuthorized = Locked(false)
        let device = try await bench.device(
            ScriptedImprovDevice.Script { command in
                isAuthorized.withLock { $0 } ? ScriptedImprovDevice.Script.usual(command) : [.error(.notAuthorized)]
            })
        try await bench.connect()
        bench.write()
        try await bench.value(ble.$buttonPressAwaited, "the wish for the button") { $0 }
        #expect(ble.pairingOutcome == nil)
        isAuthorized.withLock { $0 = true }
        device.carryOut(.state(.authorizationRequired), .state(.authorized))
        #expect(try await bench.outcome() == .joined)
        #expect(device.commands.count == 2)
    }

    // MARK: What it cannot do

    @Test("It cannot list networks: no failure, the person types the name", arguments: [false, true])
    func noScan(claimsTo: Bool) async throws {
        var script = ScriptedImprovDevice.Script { command in
            if case .scan = command { return [.error(.unknownCommand)] }
            return ScriptedImprovDevice.Script.usual(command)
        }
        if !claimsTo { script.capabilities = Data([ImprovCapabilities.identify.rawValue]) }
        let device = try await bench.device(script)
        try await bench.connect()
        ble.sendWiFiScanCommand()
        ble.getWiFiList()
        try await bench.value(ble.$wifiListComplete, "the end of the list") { $0 }
        #expect(ble.wifiListUnavailable)
        #expect(ble.failure == nil)
        #expect(device.commands.count == (claimsTo ? 1 : 0))
        ble.getWiFiList()
        clock.advance(by: .seconds(90))
        ble.fetchCameraDid()
        try await bench.value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        bench.write()
        #expect(try await bench.outcome() == .joined)
    }

    @Test(
        "Its scan fails", arguments: [.error(.unknown(0xFF)), .error(.invalidCommand)] as [ScriptedImprovDevice.Step])
    func scanFails(step: ScriptedImprovDevice.Step) async throws {
        try await bench.device(ScriptedImprovDevice.Script { _ in [step] })
        try await bench.connect()
        ble.sendWiFiScanCommand()
        #expect(try await bench.failure() == .networkScanFailed)
        #expect(ble.cameraConnectionStatus == .connected)
    }

    @Test("It answers nothing: the limits that every camera has")
    func silence() async throws {
        let device = try await bench.device(ScriptedImprovDevice.Script { _ in [] })
        try await bench.connect()
        ble.sendWiFiScanCommand()
        try await device.arrivals.next("the scan") { $0 == .scan ? () : nil }
        ble.fetchCameraDid()
        try await bench.value(ble.$bleCameraDIDFetched, "a question that is not asked beside another") { $0 }
        ble.getWiFiList()
        try await bench.pass(.seconds(90))
        #expect(try await bench.failure() == .noNetworks)
        #expect(device.commands == [.scan])
    }

    @Test("Two questions are asked one after the other")
    func queue() async throws {
        let device = try await bench.device()
        try await bench.connect()
        ble.fetchCameraDid()
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiList, "the networks") { $0.count == 3 }
        #expect(ble.bleCameraDIDFetched)
        #expect(device.commands == [.deviceInfo, .scan])
    }
}
