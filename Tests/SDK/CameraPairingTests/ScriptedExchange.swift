import CoreBluetooth
import Foundation
import Wire

/// The camera's half of an exchange, for one client: made from the protocol document, with faults on demand.
struct ScriptedExchange {
    /// What it does beside what the document says.
    struct Script: Sendable {
        var info = PairingInfo(layouts: .chunked, capabilities: .managesWiFi, model: "Stoop 2")
        /// On the protected layout; nil for a camera without one.
        var setupCode: String?
        var insistsOnSetupCode = false
        /// Refuses shares, as after five wrong codes.
        var isLocked = false
        /// Changes bytes of what is sealed.
        var tampers = false
        /// Says it in the clear as well, as somebody in between would.
        var forges: ExchangeAnswer?
        /// Errors for certain writes, counted from 0 on each link.
        var frameErrors: [Int: Int] = [:]
        /// How many conversations it says to be another's.
        var busyHellos = 0
        var answersHello = true
        var answersScan = true
        /// For the first credentials; later ones are taken.
        var refusal: (refusal: PairingService.WriteRefusal, field: CredentialFields.Field?)?
        /// What it tells after each credentials that it takes.
        var attempts: [[PairingState]] = [
            [
                PairingState(phase: .joining), PairingState(phase: .registering), PairingState(phase: .done),
            ]
        ]
        /// Sends what is meant for other clients in between.
        var hasOtherClients = false
        /// Sent when it is asked to scan, instead of a list.
        var rawNotifications: [Data] = []
    }

    private let script: Script
    private let camera: ScriptedCamera.Script
    private let layout: PairingLayout
    private var hello = Data()
    private var welcome = Data()
    private var handshake: ProtectedCameraHandshake?
    private var channel: SealedChannel?
    private var reassembler = FrameReassembler()
    private var conversation: UInt16 = 0
    private var nextMessage: UInt8
    private var writes = 0
    private var hellos = 0
    private var credentials = 0
    /// Keeps the last state of an attempt to itself.
    var holdsBackTheEnd = false
    private(set) var requests: [ExchangeRequest] = []

    init(_ camera: ScriptedCamera.Script, layout: PairingLayout = .chunked, firstMessage: UInt8 = 0) {
        self.layout = layout
        script = camera.exchange
        self.camera = camera
        nextMessage = firstMessage
    }

    /// Where the client is.
    var position: Data { reassembler.position.encoded }

    /// Takes one value.
    /// - Returns: How the write is answered, and what is notified then.
    mutating func write(_ value: Data, limit: Int) -> (result: Int, notifications: [Data]) {
        defer { writes += 1 }
        if let error = script.frameErrors[writes] { return (error, []) }
        let message: Data?
        do {
            message = try reassembler.receive(value)
        } catch {
            return (PairingService.WriteRefusal(error).rawValue, [])
        }
        guard let message else { return (0, []) }
        do {
            var request = try ExchangeRequest(decoding: message)
            if case .hello = request { hello = message }
            if case .sealed(let sealed) = request, let opened = try channel?.open(sealed) {
                request = try ExchangeRequest(decoding: opened)
            }
            requests.append(request)
            let number = Frame.number(of: value)
            return (0, try answers(to: request, number: number).flatMap { try frames($0, limit: limit) })
        } catch {
            return (PairingService.WriteRefusal.value.rawValue, [])
        }
    }

    private mutating func frames(_ message: (conversation: UInt16, answer: ExchangeAnswer), limit: Int) throws -> [Data]
    {
        if case .record = message.answer, !script.rawNotifications.isEmpty { return script.rawNotifications }
        defer { nextMessage &+= 1 }
        let bytes = try sealed(message.answer).encoded(for: message.conversation)
        if case .welcome = message.answer { welcome = bytes }
        return try Frame.split(bytes, message: nextMessage, limit: limit).map(\.encoded)
    }

    private mutating func sealed(_ answer: ExchangeAnswer) throws -> ExchangeAnswer {
        guard answer.isSealable, answer != script.forges,
            var sealed = try channel?.seal(answer.encodedForSealing())
        else { return answer }
        if script.tampers, case .state = answer { sealed[sealed.startIndex] ^= 1 }
        return .sealed(sealed)
    }

    private mutating func answers(
        to request: ExchangeRequest, number: UInt8
    ) -> [(conversation: UInt16, answer: ExchangeAnswer)] {
        if case .hello(let conversation) = request { self.conversation = conversation }
        let answers = answers(request, number).map { (conversation, $0) }
        guard script.hasOtherClients else { return answers }
        let stranger = conversation &+ 1
        let others: [ExchangeAnswer] = [
            .answer(.init(message: number, refusal: .locked)), .state(PairingState(phase: .failed)), .record(.failed),
        ]
        return answers.flatMap { answer in others.map { (stranger, $0) } + [answer] }
    }

    private mutating func answers(_ request: ExchangeRequest, _ number: UInt8) -> [ExchangeAnswer] {
        let taken = ExchangeAnswer.answer(.init(message: number))
        switch request {
        case .hello:
            hellos += 1
            if hellos <= script.busyHellos { return [.answer(.init(message: number, refusal: .busy))] }
            guard script.answersHello else { return [] }
            handshake = nil
            channel = nil
            return [
                .welcome(
                    ExchangeWelcome(
                        info: script.info, deviceID: deviceID, state: PairingState(phase: .waiting),
                        stretching: layout == .protected ? Self.stretching : nil))
            ]
        case .scan:
            guard script.answersScan else { return [] }
            let records = camera.networks.map { NetworkListRecord.network($0) } + [.end(count: camera.networks.count)]
            return [taken] + records.map { .record($0) }
        case .credentials:
            if let refusal = script.refusal, credentials == 0 {
                credentials += 1
                return [.answer(.init(message: number, refusal: refusal.refusal, field: refusal.field))]
            }
            let attempt = script.attempts[min(credentials, script.attempts.count - 1)]
            credentials += 1
            return [taken] + (script.forges.map { [$0] } ?? [])
                + attempt.filter { !holdsBackTheEnd || $0.phase != .done }.map { .state($0) }
        case .state: return [taken, .state(PairingState(phase: .waiting))]
        case .share(let kind, _) where kind == .none && script.insistsOnSetupCode:
            return [.answer(.init(message: number, refusal: .setupCodeRequired))]
        case .share where script.isLocked: return [.answer(.init(message: number, refusal: .locked))]
        case .share(let kind, let share): return [begin(kind, share)].compactMap { $0 }
        case .confirm(let confirmation):
            channel = try? handshake?.finish(confirmation: confirmation)
            return [channel == nil ? .answer(.init(message: number, refusal: .wrongSetupCode)) : taken]
        case .sealed: return [.answer(.init(message: number, refusal: .noSession))]
        }
    }

    private var deviceID: DeviceID? { camera.deviceID.flatMap(DeviceID.init(rawValue:)) }

    /// Cheap, so that tests are quick.
    private static let stretching = ExchangeWelcome.Stretching(
        salt: Data(repeating: 7, count: 16), logN: 10, r: 1, p: 1)

    private mutating func begin(_ kind: ExchangeRequest.PasswordKind, _ share: Data) -> ExchangeAnswer? {
        let code = kind == .setupCode ? script.setupCode.flatMap { try? SetupCode($0) } : nil
        guard
            let verifier = try? PasswordVerifier(code: code, stretching: Self.stretching, deviceID: deviceID)
        else { return nil }
        // A camera without a code has a verifier for none, and the handshake wants the kind that was asked for.
        handshake = try? ProtectedCameraHandshake(hello: hello, welcome: welcome, share: share, verifier: verifier)
        return handshake?.answer
    }
}

extension Frame {
    /// The message to which a frame that has been taken belongs.
    fileprivate static func number(of value: Data) -> UInt8 { (try? Frame(decoding: value))?.message ?? 0 }
}
