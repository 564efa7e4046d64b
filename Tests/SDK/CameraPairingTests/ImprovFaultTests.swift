import Basics
import CameraPairing
import Combine
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@Suite("BLEManager against Improv devices that fail, lie or are not what they seem")
struct ImprovFaultTests {
    private let bench = ImprovBench()
    private var ble: BLEManager { bench.ble }
    private var clock: ManualClock { bench.clock }

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
        let wrong = try bench.join("Home", "wrong one")
        let device = try await bench.device(
            ScriptedImprovDevice.Script { $0 == wrong ? steps : ScriptedImprovDevice.Script.usual($0) })
        try await bench.connect()
        bench.write(password: "wrong one")
        #expect(try await bench.outcome() == .failed(.couldNotJoin))
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(ble.failure == nil)
        bench.write()
        try await bench.value(ble.$pairingOutcome, "the second outcome") { $0 == .joined }
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
        try await bench.device(ScriptedImprovDevice.Script { _ in steps })
        try await bench.connect()
        bench.write()
        #expect(try await bench.outcome() == .joined)
        #expect(ble.onboardingPage?.absoluteString == "http://10.0.0.7/")
    }

    @Test(
        "It joins and has no page, or none that an app should open",
        arguments: [
            [.acknowledge, .state(.provisioned)], [.acknowledge, .state(.provisioned), .vanish],
            [.acknowledge, .result(.join, [""])], [.acknowledge, .result(.join, ["javascript:alert(1)"])],
        ] as [[ScriptedImprovDevice.Step]])
    func noPage(steps: [ScriptedImprovDevice.Step]) async throws {
        try await bench.device(ScriptedImprovDevice.Script { _ in steps })
        try await bench.connect()
        bench.write()
        #expect(try await bench.outcome() == .joined)
        #expect(ble.onboardingPage == nil)
    }

    @Test("It never says how it went: after its 30 s and a little more it has failed")
    func silentJoin() async throws {
        try await bench.device(ScriptedImprovDevice.Script { _ in [.acknowledge, .state(.provisioning)] })
        try await bench.connect()
        bench.write()
        try await bench.value(ble.$credentialsSent, "the acknowledgement") { $0 }
        try await bench.pass(.seconds(35))
        #expect(try await bench.outcome() == .failed(.couldNotJoin))
    }

    @Test("It is lost while it joins")
    func lostWhileJoining() async throws {
        try await bench.device(ScriptedImprovDevice.Script { _ in [.acknowledge, .state(.provisioning), .vanish] })
        try await bench.connect()
        bench.write()
        #expect(try await bench.failure() == .noOutcome)
        #expect(ble.pairingOutcome == nil)
    }

    @Test(
        "It does not take the credentials",
        arguments: [.error(.invalidCommand), .error(.unknownCommand), .refuse(.writeNotPermitted)]
            as [ScriptedImprovDevice.Step])
    func refusesCredentials(step: ScriptedImprovDevice.Step) async throws {
        try await bench.device(ScriptedImprovDevice.Script { _ in [step] })
        try await bench.connect()
        bench.write()
        #expect(try await bench.failure() == .fieldRefused(field: "credentials", refusal: nil))
        #expect(ble.cameraConnectionStatus == .connected)
        #expect(ble.pairingOutcome == nil)
    }

    @Test("It fails in a way of its own", arguments: [6, 0xFF] as [UInt8])
    func unknownError(code: UInt8) async throws {
        try await bench.device(
            ScriptedImprovDevice.Script { _ in [.acknowledge, .state(.provisioning), .error(.unknown(code))] })
        try await bench.connect()
        bench.write()
        #expect(try await bench.outcome() == .failed(.internalFault))
    }

    @Test("Credentials that cannot be right are not written")
    func invalidCredentials() async throws {
        let device = try await bench.device()
        try await bench.connect()
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiList, "the networks") { $0.count == 3 }
        bench.write(password: "short")
        #expect(try await bench.failure() == .invalidField(.length(field: "password", actual: 5, allowed: 8...64)))
        bench.write(ssid: "Old", password: "12345")
        #expect(try await bench.outcome() == .joined, "five characters are a key of WEP")
        #expect(device.commands == [.scan, try bench.join("Old", "12345")])
    }

    // MARK: Who is shown, and who is not what it seems

    @Test("Only a device that can be paired is shown", arguments: [ImprovState.provisioning, .provisioned])
    func notPairable(state: ImprovState) async throws {
        var script = ScriptedImprovDevice.Script()
        script.serviceData = ImprovServiceData(state: state, capabilities: .scan).encoded()
        try await bench.device(script)
        ble.startScan()
        try await bench.pass(.seconds(30))
        try await bench.value(ble.$noCameraFound, "the end of the scan") { $0 }
        #expect(ble.cameraList.isEmpty)
    }

    @Test(
        "A device is shown when its service data says so, makes no sense, or is not there",
        arguments: [Data([1, 4, 0, 0, 0, 0]), Data([2, 0, 0, 0, 0, 0]), Data([9]), nil])
    func shown(serviceData: Data?) async throws {
        var script = ScriptedImprovDevice.Script()
        script.serviceData = serviceData
        try await bench.device(script)
        ble.startScan()
        try await bench.value(ble.$cameraList, "a camera") { !$0.isEmpty }
    }

    @Test(
        "It is on a network when it is connected to, or on its way into one",
        arguments: [(ImprovState.provisioned, CameraPairingError.alreadyOnNetwork), (.provisioning, .cameraBusy)])
    func alreadyThere(state: ImprovState, error: CameraPairingError) async throws {
        var script = ScriptedImprovDevice.Script()
        script.state = state
        try await bench.device(script)
        try await bench.choose()
        #expect(try await bench.failure() == error)
        try await bench.value(ble.$cameraConnectionStatus, "the end of the link") { $0 == .notConnected }
    }

    @Test("It lacks what the standard asks for", arguments: ImprovService.Characteristic.allCases)
    func lacks(characteristic: ImprovService.Characteristic) async throws {
        var script = ScriptedImprovDevice.Script()
        script.leavesOut = [characteristic]
        try await bench.device(script)
        try await bench.choose()
        #expect(try await bench.failure() == .notACamera(missing: "\(characteristic) characteristic"))
    }

    @Test("Its capabilities make no sense")
    func nonsense() async throws {
        var script = ScriptedImprovDevice.Script()
        script.capabilities = Data()
        try await bench.device(script)
        try await bench.choose()
        #expect(
            try await bench.failure()
                == .connectionFailed("the device's capabilities was not understood: capabilities is missing"))
    }

    @Test("It lies about lengths, sums and what it answers: the good results among them count")
    func lies() async throws {
        try await bench.device(
            ScriptedImprovDevice.Script { command in
                guard case .scan = command else { return ScriptedImprovDevice.Script.usual(command) }
                return [
                    .raw(.result, Data()), .raw(.result, Data([4])), .raw(.result, Data([4, 200, 1])),
                    .raw(.result, Data([4, 0, 9])), .raw(.result, Data(repeating: 0xFF, count: 300)),
                    .raw(.result, Data([4, 2, 5, 65, 0x50])), .raw(.state, Data()), .raw(.state, Data([77])),
                    .raw(.error, Data([1, 2])), .result(.join, ["http://evil/"]), .result(.deviceInfo, ["a"]),
                    .result(.scan, ["no", "number", "NO", "Home", "-40", "WPA2"]),
                ]
            })
        try await bench.connect()
        ble.sendWiFiScanCommand()
        try await bench.value(ble.$wifiList, "the network") { $0.map(\.ssid) == ["Home"] }
        #expect(ble.onboardingPage == nil)
        #expect(ble.pairingOutcome == nil)
        bench.write()
        #expect(try await bench.outcome() == .joined)
    }

    @Test("It lists networks without end")
    func endless() async throws {
        try await bench.device(
            ScriptedImprovDevice.Script { _ in
                Array(repeating: .result(.scan, (0..<15).flatMap { ["n\($0)", "-50", "NO"] }), count: 140)
            })
        try await bench.connect()
        ble.sendWiFiScanCommand()
        #expect(try await bench.failure() == .networkListEndless)
    }

    @Test("A name from outside does not draw on the terminal")
    func names() async throws {
        var script = ScriptedImprovDevice.Script { _ in
            [.result(.deviceInfo, ["", "", "", "\u{1B}[2J\u{202E}Bad\nname" + "x".repeated(99)])]
        }
        script.name = "\u{1B}]0;cam\u{7}"
        try await bench.device(script)
        try await bench.connect()
        #expect(ble.cameraList.map(\.name) == ["]0;cam"])
        ble.fetchCameraDid()
        try await bench.value(ble.$bleCameraDIDFetched, "the device id") { $0 }
        #expect(ble.cameraList.map(\.name) == ["[2JBadname" + "x".repeated(30)])
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
