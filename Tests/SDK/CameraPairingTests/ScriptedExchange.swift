import CoreBluetooth
import Foundation
import Wire

/// The camera's half of an exchange, for one client: made from the protocol document, with faults on demand.
struct ScriptedExchange {
    /// What it does beside what the document says.
    struct Script: Sendable {
        var info = PairingInfo(layouts: .chunked, capabilities: .managesWiFi, model: "Stoop 2")
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
    private var reassembler = FrameReassembler()
    private var conversation: UInt16 = 0
    private var nextMessage: UInt8
    private var writes = 0
    private var hellos = 0
    private var credentials = 0
    private(set) var requests: [ExchangeRequest] = []

    init(_ camera: ScriptedCamera.Script, firstMessage: UInt8 = 0) {
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
            let request = try ExchangeRequest(decoding: message)
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
        let bytes = try message.answer.encoded(for: message.conversation)
        return try Frame.split(bytes, message: nextMessage, limit: limit).map(\.encoded)
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
            let id = camera.deviceID.flatMap(DeviceID.init(rawValue:))
            return [
                .welcome(ExchangeWelcome(info: script.info, deviceID: id, state: PairingState(phase: .waiting)))
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
            return [taken] + attempt.map { .state($0) }
        case .state: return [taken, .state(PairingState(phase: .waiting))]
        case .share, .confirm, .sealed: return [.answer(.init(message: number, refusal: .noSession))]
        }
    }
}

extension Frame {
    /// The message to which a frame that has been taken belongs.
    fileprivate static func number(of value: Data) -> UInt8 { (try? Frame(decoding: value))?.message ?? 0 }
}
