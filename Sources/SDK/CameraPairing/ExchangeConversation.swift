import Basics
import CoreBluetooth
import Foundation
import Wire

/// The conversation with one camera on the chunked and the protected layout: requests, and answers by their number.
///
/// Confined to the central's queue. Answers to what is not waited for are passed over, since a camera's notifications may
/// reach clients for whom they were not meant. On the protected layout nothing that came in the clear is believed once
/// there is a key, except that there is none any more.
final class ExchangeConversation: CameraConversation {
    enum Request { case hello, share, confirm, scan, credentials }

    let setting: ConversationSetting
    private let kind: ConversationKind
    private let log = Log("pairing")
    private var port: ExchangePort?
    private var number: UInt16 = 0
    private var hellos = 0
    private var welcome: ExchangeWelcome?
    /// Requests without an answer, by the numbers of their messages.
    private var pending: [UInt8: Request] = [:]
    /// On the protected layout.
    private var protection: ExchangeProtection?

    /// A number that another client has is drawn again this often.
    private static let hellosLimit = 4

    init(_ setting: ConversationSetting, _ kind: ConversationKind) {
        self.setting = setting
        self.kind = kind
    }

    private func emit(_ event: PairingFlow.Event) { setting.emit(event) }

    private func fail(_ error: CameraPairingError) { setting.fail(error) }

    // MARK: Commands

    func begin(_ service: CBService) {
        guard let layout = kind.layout else { return }
        let port = ExchangePort(setting.peripheral, layout: layout) { [weak self] event in self?.handle(event) }
        self.port = port
        port.begin(service)
    }

    func end() {
        port?.end()
        port = nil
    }

    func readDeviceID() { emit(.deviceID(welcome?.deviceID?.rawValue ?? "")) }

    func requestNetworks() {
        // One that still waits for its answer will bring the list.
        if !isPending(.scan) { request(.scan, .scan) }
    }

    func write(_ credentials: CameraCredentials) {
        request(.credentials(CredentialFields(credentials.ofPorchlight)), .credentials)
    }

    // MARK: Requests

    private func isPending(_ request: Request) -> Bool { pending.values.contains(request) }

    /// What the layout's own messages are; those of the protected one are sealed.
    private func request(_ message: ExchangeRequest, _ request: Request) {
        do {
            send(try protection?.seal(message) ?? message, request)
        } catch {
            fail(.sessionLost)
        }
    }

    private func send(_ message: ExchangeRequest, _ request: Request) {
        if let port { pending[port.send(message.encoded)] = request }
    }

    private func sayHello() {
        hellos += 1
        number = setting.randomness.conversation()
        let hello = ExchangeRequest.hello(conversation: number)
        if kind == .protected { protection = ExchangeProtection(hello: hello.encoded) }
        send(hello, .hello)
    }

    // MARK: What the camera says

    private func handle(_ event: ExchangePort.Event) {
        switch event {
        case .open: sayHello()
        case .received(let message): received(message)
        case .failed(let error): fail(error)
        case .refused(let message, let refusal):
            guard let request = pending.removeValue(forKey: message) else { return }
            // The camera has not opened what was sealed, so the two do not count alike any more.
            if let protection, protection.isAgreed { return fail(refusal == .locked ? .pairingLocked : .sessionLost) }
            refused(request, refusal, field: nil)
        }
    }

    private func received(_ message: Data) {
        do {
            let (conversation, answer) = try ExchangeAnswer.addressed(decoding: message)
            guard conversation == number else { return }
            if let protection, protection.isAgreed {
                try receivedWithKey(answer)
            } else {
                handle(answer, message)
            }
        } catch is WireError {
            // A camera that sends one bad message still has others to tell of.
            log.debug("a message was passed over")
        } catch {
            fail(.sessionLost)
        }
    }

    private func receivedWithKey(_ answer: ExchangeAnswer) throws {
        switch answer {
        case .sealed(let sealed):
            if let message = try protection?.open(sealed) { handle(message, Data()) }
        case .answer(let answer) where answer.refusal == .noSession || answer.refusal == .wrongSetupCode:
            answered(answer)
        default: break
        }
    }

    private func handle(_ answer: ExchangeAnswer, _ message: Data) {
        switch answer {
        case .welcome(let welcome): welcomed(welcome, message)
        case .answer(let answer): answered(answer)
        case .share(let share, let confirmation): shared(share, confirmation)
        case .record(let record):
            // Until the scan has its answer, they are of a scan before.
            if !isPending(.scan) { emit(.record(record)) }
        case .state(let state): emit(.state(state))
        case .sealed: break
        }
    }

    private func welcomed(_ welcome: ExchangeWelcome, _ message: Data) {
        guard let hello = pending.first(where: { $0.value == .hello }) else { return }
        pending[hello.key] = nil
        self.welcome = welcome
        guard let protection else {
            // A camera that offers more than is to be seen: somebody in between may hide it.
            if let best = welcome.info.layouts.best, best > .chunked { return fail(.layoutHidden) }
            return emit(.linkReady(setting.peripheral.identifier, kind))
        }
        protection.begin(welcome: message, setting) { [weak self] result in
            switch result {
            case .success(let share): self?.send(share, .share)
            case .failure(let error): self?.fail(error)
            }
        }
    }

    private func shared(_ share: Data, _ confirmation: Data) {
        guard let protection, let sent = pending.first(where: { $0.value == .share }) else { return }
        pending[sent.key] = nil
        do {
            send(try protection.finish(share: share, confirmation: confirmation), .confirm)
        } catch {
            fail(error)
        }
    }

    private func answered(_ answer: ExchangeAnswer.Acknowledgement) {
        guard let request = pending[answer.message] else { return }
        if let refusal = answer.refusal {
            pending[answer.message] = nil
            return refused(request, refusal, field: answer.field)
        }
        switch request {
        // These are answered by a message of their own.
        case .hello, .share: return
        case .confirm: emit(.linkReady(setting.peripheral.identifier, kind))
        case .credentials: emit(.written)
        case .scan: break
        }
        pending[answer.message] = nil
    }

    private func refused(
        _ request: Request, _ refusal: PairingService.WriteRefusal, field: CredentialFields.Field?
    ) {
        var error = CameraPairingError(refusal)
        // Without a code there is none that could be wrong: the two have not heard the same.
        if error == .wrongSetupCode, setting.wishes.setupCode == nil { error = .sessionLost }
        switch (request, refusal) {
        case (.hello, .busy) where hellos < Self.hellosLimit: sayHello()
        case (.hello, _), (.share, _), (.confirm, _), (_, .noSession): fail(error)
        case (.credentials, .busy), (.credentials, .locked), (.scan, _): emit(.refused(error, inDoubt: false))
        case (.credentials, _):
            let field = field.map { "\($0)" } ?? "credentials"
            emit(.refused(.fieldRefused(field: field, refusal: refusal), inDoubt: false))
        }
    }
}
