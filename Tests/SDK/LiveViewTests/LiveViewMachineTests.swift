import CloudClient
import Foundation
import Testing
import WebRTC
import Wire

@testable import LiveView

/// The state machine by itself: no clock, no network, no media.
@Suite struct LiveViewMachineTests {
    private typealias Action = LiveViewMachine.Action

    private static func machine(jitter: Double = 0) -> LiveViewMachine { LiveViewMachine(jitter: { jitter }) }

    private static func device(online: Bool = true, asleep: Bool = false, privacy: Bool = false) -> DeviceModel {
        DeviceModel(
            deviceId: "d", spaceId: "s", name: "Door", model: "Reference", pairingStatus: .paired, online: online,
            asleep: asleep, privacy: privacy, publicKey: "")
    }

    /// A machine that has shown a frame of attempt 1 at second 1; its frame timer has number 2.
    private static func liveMachine(retryCount: Int = -1) -> LiveViewMachine {
        var machine = machine()
        machine.retryCount = retryCount
        _ = machine.handle(.connect(autoDisconnect: nil), at: .zero)
        _ = machine.handle(.attempt(1, .reached), at: .milliseconds(500))
        _ = machine.handle(.attempt(1, .channel(isOpen: true)), at: .milliseconds(600))
        _ = machine.handle(.attempt(1, .firstFrame), at: .seconds(1))
        return machine
    }

    // MARK: - The straight way

    @Test func connects() {
        var machine = Self.machine()
        #expect(machine.connectionState == .none)
        #expect(
            machine.handle(.connect(autoDisconnect: nil), at: .seconds(100)) == [
                .open(attempt: 1), .start(.connecting, number: 1, .seconds(30)),
            ])
        #expect(machine.connectionState == .initiated)
        #expect(
            machine.handle(.attempt(1, .reached), at: .seconds(101)) == [.start(.frames, number: 2, .seconds(15))])
        #expect(machine.connectionState == .initiated)
        #expect(
            machine.handle(.attempt(1, .firstFrame), at: .milliseconds(101_250)) == [
                .stop(.connecting), .tell(.connected),
            ])
        #expect(machine.connectionState == .connected)
        #expect(machine.firstFrameDuration == .milliseconds(1250))
    }

    @Test func aFrameMayComeBeforeTheState() {
        var machine = Self.machine()
        _ = machine.handle(.connect(autoDisconnect: nil), at: .zero)
        #expect(
            machine.handle(.attempt(1, .firstFrame), at: .seconds(1)) == [
                .stop(.connecting), .start(.frames, number: 2, .seconds(15)), .tell(.connected),
            ])
        #expect(machine.handle(.attempt(1, .reached), at: .seconds(1)) == [])
    }

    @Test func connectingAgainWhileLiveSetsOnlyTheLimit() {
        var machine = Self.liveMachine()
        #expect(machine.handle(.connect(autoDisconnect: nil), at: .seconds(2)) == [])
        #expect(
            machine.handle(.connect(autoDisconnect: .seconds(60)), at: .seconds(2)) == [
                .start(.autoDisconnect, number: 3, .seconds(60))
            ])
        #expect(
            machine.handle(.connect(autoDisconnect: .seconds(90)), at: .seconds(3)) == [
                .stop(.autoDisconnect), .start(.autoDisconnect, number: 4, .seconds(90)),
            ])
        #expect(machine.connectionState == .connected)
    }

    @Test func disconnectsAtTheSetTime() {
        var machine = Self.liveMachine()
        _ = machine.handle(.connect(autoDisconnect: .seconds(60)), at: .seconds(2))
        #expect(
            machine.handle(.fired(.autoDisconnect, number: 3, lastFrame: nil), at: .seconds(62)) == [
                .stop(.frames), .close(attempt: 1, goodbye: true), .tell(.dataChannelOpen(false)), .tell(.terminated),
            ])
        #expect(machine.connectionState == .none)
    }

    // MARK: - The channel

    @Test func theChannelIsOpenOnlyWhileItIs() {
        var machine = Self.machine()
        _ = machine.handle(.connect(autoDisconnect: nil), at: .zero)
        #expect(!machine.isChannelOpen)
        #expect(machine.handle(.attempt(1, .channel(isOpen: true)), at: .zero) == [.tell(.dataChannelOpen(true))])
        #expect(machine.isChannelOpen)
        #expect(machine.handle(.attempt(1, .channel(isOpen: true)), at: .zero) == [])
        #expect(machine.handle(.attempt(1, .channel(isOpen: false)), at: .zero) == [.tell(.dataChannelOpen(false))])
        #expect(!machine.isChannelOpen)
    }

    @Test(arguments: [LiveViewMachine.Event.disconnect, .terminate])
    func everyEndShutsTheChannel(event: LiveViewMachine.Event) {
        var machine = Self.liveMachine()
        #expect(machine.isChannelOpen)
        #expect(machine.handle(event, at: .seconds(2)).contains(.tell(.dataChannelOpen(false))))
        #expect(!machine.isChannelOpen)
    }

    @Test func readingsArePublishedAndTheRestIsPassedOn() {
        var machine = Self.liveMachine()
        func message(_ data: Data) -> [Action] { machine.handle(.attempt(1, .message(data)), at: .seconds(2)) }
        for reading in [DataChannelMessage.rssi(-51), .temperature(21), .humidity(40)] {
            #expect(message(reading.encoded()) == [.publish(reading)])
        }
        for data in [Data("hello".utf8), Data(), Data(#"{"type":"rssi"}"#.utf8), Data([0xFF, 0])] {
            #expect(message(data) == [.tell(.dataChannelMessage(data))])
        }
        let large = Data(repeating: 0x20, count: DataChannelMessage.maximumBytes + 1)
        #expect(message(large) == [.tell(.dataChannelMessage(large))])
    }

    @Test func aSleeperIsToldToStayAwake() {
        var machine = Self.machine()
        machine.wakesUp = true
        _ = machine.handle(.connect(autoDisconnect: nil), at: .zero)
        #expect(machine.handle(.wakeUp, at: .zero) == [])
        let wakeUp = Action.send(.wakeUp(reason: "live_start"), attempt: 1)
        #expect(
            machine.handle(.attempt(1, .channel(isOpen: true)), at: .zero) == [wakeUp, .tell(.dataChannelOpen(true))])
        #expect(machine.handle(.wakeUp, at: .zero) == [wakeUp])
        machine.wakesUp = false
        #expect(machine.handle(.wakeUp, at: .zero) == [])
    }

    // MARK: - Losing the stream

    struct Loss: Sendable, CustomTestStringConvertible {
        var event: LiveViewMachine.Event
        var told: LiveViewEvent
        var error: LiveViewError
        var testDescription: String { "\(told)" }
    }

    static let losses = [
        Loss(
            event: .fired(.frames, number: 2, lastFrame: .seconds(1)), told: .frameTimedOut,
            error: .frameTimedOut(after: .seconds(15))),
        Loss(
            event: .attempt(1, .message(DataChannelMessage.streamEnded(reason: "bye").encoded())),
            told: .streamEnded(reason: "bye"), error: .streamEnded(reason: "bye")),
        Loss(
            event: .attempt(1, .message(DataChannelMessage.streamFailed(reason: "oh").encoded())),
            told: .streamFailed(reason: "oh"), error: .streamFailed(reason: "oh")),
        Loss(
            event: .attempt(1, .failed(.streamFailed(reason: "gone"))), told: .streamFailed(reason: "gone"),
            error: .streamFailed(reason: "gone")),
    ]

    @Test(arguments: losses)
    func aLostStreamIsReconnectedAtOnce(loss: Loss) {
        var machine = Self.liveMachine()
        let actions = machine.handle(loss.event, at: .seconds(16))
        #expect(actions.contains(.close(attempt: 1, goodbye: false)))
        #expect(actions.contains(.tell(.dataChannelOpen(false))))
        #expect(actions.suffix(2) == [.tell(loss.told), .ask(attempt: 1)])
        #expect(machine.connectionState == .initiated)
        #expect(machine.lastError == loss.error)

        let device = Self.device()
        #expect(
            machine.handle(.device(attempt: 1, .success(device)), at: .seconds(17)) == [
                .tell(.deviceRefreshed(device)), .tell(.reconnecting), .open(attempt: 2),
                .start(.connecting, number: 3, .seconds(30)),
            ])
        // What the old attempt still says changes nothing.
        #expect(machine.handle(.attempt(1, .firstFrame), at: .seconds(17)) == [])
        #expect(machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .seconds(17)) == [])
        #expect(machine.handle(.fired(.frames, number: 2, lastFrame: nil), at: .seconds(99)) == [])
        #expect(machine.handle(.attempt(2, .firstFrame), at: .seconds(18)).last == .tell(.connected))
        #expect(machine.firstFrameDuration == .seconds(1))
    }

    @Test(arguments: losses, [0, 1, 5])
    func withTheSwitchOffItIsGivenUp(loss: Loss, retryCount: Int) {
        var machine = Self.liveMachine(retryCount: retryCount)
        let actions = machine.handle(loss.event, at: .seconds(16))
        #expect(actions.suffix(2) == [.tell(loss.told), .tell(.error(loss.error))])
        #expect(!actions.contains(.ask(attempt: 1)))
        #expect(machine.connectionState == .failed)
        #expect(machine.lastError == loss.error)
    }

    @Test func theConnectionTimesOut() {
        var machine = Self.machine()
        _ = machine.handle(.connect(autoDisconnect: nil), at: .zero)
        #expect(
            machine.handle(.fired(.connecting, number: 1, lastFrame: nil), at: .seconds(30)) == [
                .close(attempt: 1, goodbye: false), .tell(.timedOut), .ask(attempt: 1),
            ])
        #expect(machine.lastError == .connectTimedOut(after: .seconds(30)))
    }

    @Test func theFrameTimerIsSetAnewWhileFramesCome() {
        var machine = Self.liveMachine()
        #expect(
            machine.handle(.fired(.frames, number: 2, lastFrame: .seconds(11)), at: .milliseconds(15_500)) == [
                .start(.frames, number: 3, .milliseconds(10_500))
            ])
        // Without any frame since the connection was there, the time counts from there.
        var silent = Self.machine()
        _ = silent.handle(.connect(autoDisconnect: nil), at: .zero)
        _ = silent.handle(.attempt(1, .reached), at: .seconds(4))
        #expect(
            silent.handle(.fired(.frames, number: 2, lastFrame: nil), at: .seconds(19)).contains(
                .tell(.frameTimedOut)))
    }

    // MARK: - Whether to reconnect

    @Test(
        arguments: [
            (device(online: true), nil), (device(online: false, asleep: true), nil),
            (device(online: false), .cameraOffline), (device(online: true, privacy: true), .privacy),
            (device(online: false, asleep: true, privacy: true), .privacy),
        ] as [(DeviceModel, LiveViewError?)])
    func theDevicesRecordDecides(device: DeviceModel, refusal: LiveViewError?) {
        var machine = Self.liveMachine()
        _ = machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .seconds(2))
        let actions = machine.handle(.device(attempt: 1, .success(device)), at: .seconds(2))
        #expect(actions.first == .tell(.deviceRefreshed(device)))
        if let refusal {
            #expect(actions.dropFirst() == [.tell(.error(refusal))])
            #expect(machine.connectionState == .failed)
        } else {
            #expect(actions.contains(.open(attempt: 2)))
        }
    }

    @Test func aBusyCloudIsAskedAgain() {
        var machine = Self.liveMachine()
        _ = machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .seconds(2))
        let unreachable = CloudError.unreachable(host: "h", reason: "r")
        #expect(
            machine.handle(.device(attempt: 1, .failure(unreachable)), at: .seconds(2)) == [
                .start(.pause, number: 3, .seconds(1))
            ])
        #expect(machine.handle(.fired(.pause, number: 3, lastFrame: nil), at: .seconds(3)) == [.ask(attempt: 1)])
        #expect(
            machine.handle(.device(attempt: 1, .failure(.unauthorized(reason: "r"))), at: .seconds(3)) == [
                .tell(.error(.cloud(.unauthorized(reason: "r"))))
            ])
    }

    @Test(
        arguments: [
            (.cloud(.notConfigured), false), (.cloud(.unauthorized(reason: "")), false),
            (.cloud(.api(APIError(code: .notFound, message: ""), status: 404, retryAfter: nil)), false),
            (.media(.missingElement(name: "webrtcbin", debianPackage: "p")), false),
            (.media(.wrongFingerprint), false), (.cloud(.unreachable(host: "", reason: "")), true),
            (.cloud(.api(APIError(code: .deviceOffline, message: ""), status: 409, retryAfter: nil)), true),
            (.cloud(.api(APIError(code: .deviceTimeout, message: ""), status: 504, retryAfter: nil)), true),
            (.media(.unacceptableDescription(reason: "")), true),
        ] as [(LiveViewError, Bool)])
    func aFirstAttemptThatFailsIsTreatedLikeAnyOther(error: LiveViewError, mayPass: Bool) {
        var machine = Self.machine()
        _ = machine.handle(.connect(autoDisconnect: .seconds(60)), at: .zero)
        let actions = machine.handle(.attempt(1, .failed(error)), at: .seconds(1))
        #expect(actions.contains(.close(attempt: 1, goodbye: false)))
        #expect(actions.contains(.stop(.connecting)))
        if mayPass {
            #expect(actions.suffix(2) == [.tell(.streamFailed(reason: error.description)), .ask(attempt: 1)])
        } else {
            #expect(actions.suffix(2) == [.stop(.autoDisconnect), .tell(.error(error))])
            #expect(machine.connectionState == .failed)
        }
    }

    // MARK: - Pauses

    @Test func repeatedFailuresPauseLongerAndLonger() {
        var machine = Self.machine()
        _ = machine.handle(.connect(autoDisconnect: nil), at: .zero)
        var pauses: [Duration] = []
        for attempt in 1...9 {
            _ = machine.handle(.attempt(attempt, .failed(.streamFailed(reason: ""))), at: .zero)
            for action in machine.handle(.device(attempt: attempt, .success(Self.device())), at: .zero) {
                guard case .start(.pause, let number, let pause) = action else { continue }
                pauses.append(pause)
                let next = machine.handle(.fired(.pause, number: number, lastFrame: nil), at: .zero)
                #expect(next.prefix(2) == [.tell(.reconnecting), .open(attempt: attempt + 1)])
            }
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30].map { Duration.seconds($0) })
    }

    @Test func jitterShortensPauses() {
        var machine = Self.machine(jitter: 0.5)
        _ = machine.handle(.connect(autoDisconnect: nil), at: .zero)
        _ = machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .zero)
        _ = machine.handle(.device(attempt: 1, .success(Self.device())), at: .zero)
        _ = machine.handle(.attempt(2, .failed(.streamFailed(reason: ""))), at: .zero)
        #expect(
            machine.handle(.device(attempt: 2, .success(Self.device())), at: .zero).last
                == .start(.pause, number: 3, .milliseconds(750)))
    }

    @Test(arguments: [(9, false), (11, true)])
    func aHealthyStreamForgetsFailures(seconds: Int, forgets: Bool) {
        var machine = Self.liveMachine()
        let device = Self.device()
        _ = machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .seconds(2))
        _ = machine.handle(.device(attempt: 1, .success(device)), at: .seconds(2))
        _ = machine.handle(.attempt(2, .firstFrame), at: .seconds(100))
        _ = machine.handle(.attempt(2, .failed(.streamFailed(reason: ""))), at: .seconds(100 + seconds))
        let actions = machine.handle(.device(attempt: 2, .success(device)), at: .seconds(100 + seconds))
        #expect(actions.contains(.open(attempt: 3)) == forgets)
    }

    // MARK: - Ending it

    @Test func disconnectingEndsEverything() {
        var machine = Self.liveMachine()
        #expect(
            machine.handle(.disconnect, at: .seconds(2)) == [
                .stop(.frames), .close(attempt: 1, goodbye: true), .tell(.dataChannelOpen(false)), .tell(.terminated),
            ])
        #expect(machine.connectionState == .none)
        #expect(machine.handle(.disconnect, at: .seconds(2)) == [])
        #expect(machine.handle(.attempt(1, .message(DataChannelMessage.rssi(1).encoded())), at: .seconds(2)) == [])
    }

    @Test func terminatingLeavesItFailed() {
        var machine = Self.liveMachine()
        #expect(machine.handle(.terminate, at: .seconds(2)).last == .tell(.terminated))
        #expect(machine.connectionState == .failed)
        var idle = Self.machine()
        #expect(idle.handle(.terminate, at: .zero) == [])
        #expect(idle.connectionState == .failed)
    }

    @Test(arguments: [LiveViewMachine.Event.disconnect, .terminate])
    func endingStopsAReconnection(event: LiveViewMachine.Event) {
        var machine = Self.liveMachine()
        _ = machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .seconds(2))
        #expect(machine.handle(event, at: .seconds(2)) == [.tell(.terminated)])
        #expect(machine.handle(.device(attempt: 1, .success(Self.device())), at: .seconds(3)) == [])
    }

    @Test func endingStopsAPause() {
        var machine = Self.liveMachine()
        _ = machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .seconds(2))
        _ = machine.handle(.device(attempt: 1, .failure(.timedOut(host: "", after: .zero))), at: .seconds(2))
        #expect(machine.handle(.disconnect, at: .seconds(2)) == [.stop(.pause), .tell(.terminated)])
        #expect(machine.handle(.fired(.pause, number: 3, lastFrame: nil), at: .seconds(3)) == [])
    }

    @Test func connectingDuringAPauseDoesNotWait() {
        var machine = Self.liveMachine()
        _ = machine.handle(.attempt(1, .failed(.streamFailed(reason: ""))), at: .seconds(2))
        _ = machine.handle(.device(attempt: 1, .failure(.timedOut(host: "", after: .zero))), at: .seconds(2))
        #expect(
            machine.handle(.connect(autoDisconnect: nil), at: .seconds(5)) == [
                .stop(.pause), .open(attempt: 2), .start(.connecting, number: 4, .seconds(30)),
            ])
        #expect(machine.lastError == nil)
        _ = machine.handle(.attempt(2, .firstFrame), at: .seconds(7))
        #expect(machine.firstFrameDuration == .seconds(2))
    }

    @Test(arguments: [LiveViewMachine.Event.disconnect, .terminate])
    func connectsAgainAfterEveryEnd(event: LiveViewMachine.Event) {
        var machine = Self.liveMachine()
        _ = machine.handle(event, at: .seconds(2))
        #expect(machine.handle(.connect(autoDisconnect: nil), at: .seconds(3)).first == .open(attempt: 2))
        #expect(machine.connectionState == .initiated)
    }
}
