import Foundation
import Porchlight
import Testing
import Wire

@testable import porchlight

@Suite("What is asked while pairing")
struct QuestionTests {
    // MARK: The camera

    private let near = BLECamera(name: "Camera A1B2", identifier: UUID(), rssi: -40)
    private let far = BLECamera(name: "Camera C3D4", identifier: UUID(), rssi: -80)

    private func chosen<Answer>(_ reading: Reading<Answer>) -> Answer? {
        if case .taken(let answer) = reading { answer } else { nil }
    }

    private func reason<Answer>(_ reading: Reading<Answer>) -> String {
        switch reading {
        case .taken: "taken"
        case .refused(let reason), .notYet(let reason): reason
        }
    }

    @Test("Enter takes the nearest; a number stays with its camera when the list turns over")
    func camera() {
        var question = CameraQuestion()
        question.update([far])
        question.update([near, far])
        #expect(chosen(question.reading(of: "")) == near)
        #expect(chosen(question.reading(of: " 1 ")) == far)
        #expect(chosen(question.reading(of: "2")) == near)
        #expect(question.lines(columns: 80, rows: 24)[1].hasPrefix("› 2  Camera A1B2"))
        #expect(question.lines(columns: 80, rows: 24)[2].hasPrefix("  1  Camera C3D4"))
    }

    @Test("A camera is taken by each of its names; one that has gone is not")
    func cameraNames() {
        var question = CameraQuestion()
        question.update([near, far])
        for name in ["C3D4", "porch-c3d4", "Camera C3D4"] { #expect(chosen(question.reading(of: name)) == far) }
        #expect(reason(question.reading(of: "E5F6")) == "'Camera E5F6' is not heard.")
        #expect(reason(question.reading(of: "x")).hasPrefix("Type a number"))
        question.update([near])
        #expect(reason(question.reading(of: "2")) == "There is no 2.")
        question.update([])
        #expect(reason(question.reading(of: "")) == "No camera is heard now.")
        #expect(question.answerAtEnd == nil)
    }

    @Test("Line after line, each camera is told once")
    func cameraNews() {
        var question = CameraQuestion()
        question.update([near])
        #expect(question.news(columns: 80).count == 2)
        question.update([near, far])
        #expect(question.news(columns: 80) == ["  2  Camera C3D4  ▂▄··  -80 dBm"])
        #expect(question.news(columns: 80).isEmpty)
    }

    // MARK: The network

    private func network(_ ssid: String, _ security: WiFiSecurity, _ rssi: Int = -50) -> WifiNetwork {
        WifiNetwork(ssid: ssid, securityProtocol: Int(security.rawValue), rssi: rssi)
    }

    private var networks: NetworkQuestion {
        var question = NetworkQuestion()
        question.update([network("Home", .wpa2, -60), network("Guest", .open, -40), network("7", .wpa3, -70)])
        return question
    }

    @Test("The strongest comes first, with its lock")
    func networkList() {
        let lines = networks.lines(columns: 80, rows: 24)
        #expect(lines[1] == "  1  Guest  ▂▄▆█  -40 dBm   open")
        #expect(lines[2] == "  2  Home   ▂▄▆·  -60 dBm   locked, WPA2")
    }

    @Test("A number comes before a name of digits, which '=' names")
    func networkChoice() {
        var question = networks
        #expect(
            chosen(question.reading(of: "2")) == NetworkQuestion.Choice(ssid: "Home", isHidden: false, isOpen: false))
        #expect(chosen(question.reading(of: "Guest"))?.isOpen == true)
        #expect(reason(question.reading(of: "7")).contains("There is no 7"))
        #expect(chosen(question.reading(of: "=7"))?.ssid == "7")
        #expect(reason(question.reading(of: "")).hasPrefix("Type a number"))
    }

    @Test("A name that is not heard is a hidden network's only when it is typed twice")
    func hidden() {
        var question = networks
        #expect(reason(question.reading(of: "Hoem")).contains("does not hear 'Hoem'"))
        #expect(reason(question.reading(of: "Lab")).contains("does not hear 'Lab'"))
        #expect(
            chosen(question.reading(of: "Lab")) == NetworkQuestion.Choice(ssid: "Lab", isHidden: true, isOpen: false))
        #expect(reason(question.reading(of: String(repeating: "x", count: 33))).contains("1 to 32 bytes"))
    }

    @Test("What no camera joins is refused before it fails")
    func unjoinable() {
        var question = NetworkQuestion()
        question.update([network("Old", .wep), network("Campus", .enterprise)])
        #expect(reason(question.reading(of: "Old")).contains("WEP"))
        #expect(reason(question.reading(of: "Campus")).contains("802.1X"))
        #expect(question.lines(columns: 80, rows: 24).joined().contains("cannot be joined"))
    }

    @Test("A device that cannot list networks is told the name, typed once")
    func unlisted() {
        var question = NetworkQuestion(canList: false)
        question.update([])
        #expect(question.lines(columns: 80, rows: 24).isEmpty)
        #expect(chosen(question.reading(of: "Home"))?.isHidden == true)
    }

    // MARK: Secrets

    @Test("A password is needed where the camera has said so, and its form is checked without telling it")
    func password() {
        let locked = PasswordQuestion(for: "Home", mayBeOpen: false)
        #expect(chosen(locked.reading(of: "battery staple")) == Secret("battery staple"))
        #expect(reason(locked.reading(of: "")) == "This network has a password.")
        #expect(!reason(locked.reading(of: "canary")).contains("canary"))
        #expect(chosen(PasswordQuestion(for: "Home", mayBeOpen: true).reading(of: "")) == Secret(""))
        #expect(PasswordQuestion(for: "a\u{1B}[2J", mayBeOpen: false).prompt == #"Password of 'a\u{1B}[2J': "#)
    }

    @Test("A setup code has eight digits, in groups or not; none is an answer unless the camera insists")
    func setupCode() {
        let question = SetupCodeQuestion()
        for text in ["12345678", "1234-5678", " 1234 5678 "] {
            #expect(chosen(question.reading(of: text))??.revealed == "12345678")
        }
        guard case .taken(nil) = question.reading(of: " ") else {
            Issue.record("no code is an answer")
            return
        }
        for text in ["1234567", "123456789", "1234567a", "١٢٣٤٥٦٧٨"] {
            #expect(reason(question.reading(of: text)) == "A setup code has 8 digits.")
        }
        let insisting = SetupCodeQuestion(isNeeded: true)
        #expect(reason(insisting.reading(of: "")).contains("without its setup code"))
        if insisting.answerAtEnd != nil { Issue.record("a camera that insists is told something") }
    }

    // MARK: The end

    @Test("Every exit code is another one, and errors lead to theirs")
    func endCodes() {
        #expect(Set(EndCode.allCases.map(\.rawValue)).count == EndCode.allCases.count)
        #expect(EndCode(for: CameraPairingError.bluetoothOff) == .noBluetooth)
        #expect(EndCode(for: CameraPairingError.noCameraFound) == .noCamera)
        #expect(EndCode(for: CameraPairingError.linkLost) == .noConnection)
        #expect(EndCode(for: CameraPairingError.noNetworks) == .noNetwork)
        #expect(EndCode(for: CameraPairingError.wrongSetupCode) == .wrongSetupCode)
        #expect(EndCode(for: CameraPairingError.pairingLocked) == .locked)
        #expect(EndCode(for: CameraPairingError.protectedPairingNotOffered) == .notProtected)
        #expect(EndCode(for: CameraPairingError.notJoined(.networkNotFound)) == .noNetwork)
        #expect(EndCode(for: JoinRefusal(failure: .wrongPassword, isStillConnected: true)) == .wrongPassword)
        #expect(EndCode(for: PairingFailure.keyRefused) == .cameraNotAccepted)
        #expect(EndCode(for: CloudError.unauthorized(reason: "")) == .cloud)
        #expect(EndCode(for: PairingSessionError.cloud(.cancelled)) == .cloud)
        #expect(EndCode(for: PairingSessionError.expired) == .notJoined)
        #expect(EndCode(for: CancellationError()) == nil)
    }
}
