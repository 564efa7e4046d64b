import Basics
import CoreBluetooth
import Foundation
import Wire

/// The conversation with one camera on the chunked layout: messages in both directions over one characteristic.
///
/// Confined to the central's queue. Each request has at most one message under way of its kind; answers to others are
/// passed over, since a camera's notifications may reach clients for whom they were not meant.
final class ExchangeConversation: NSObject, CameraConversation {
    private enum Request { case hello, scan, credentials }

    private let setting: ConversationSetting
    private let layout: PairingLayout
    private let log = Log("pairing")
    private var exchange: CBCharacteristic?
    private var sender = ExchangeSender()
    private var reassembler = FrameReassembler()
    private var conversation: UInt16 = 0
    private var hellos = 0
    private var welcome: ExchangeWelcome?
    /// Requests without an answer, by the numbers of their messages.
    private var pending: [UInt8: Request] = [:]
    private var isReading = false

    /// A number that another client has is drawn again this often.
    private static let hellosLimit = 4

    init(_ setting: ConversationSetting, layout: PairingLayout) {
        self.setting = setting
        self.layout = layout
    }

    private var peripheral: CBPeripheral { setting.peripheral }

    private func emit(_ event: PairingFlow.Event) { setting.emit(event) }

    private func fail(_ error: CameraPairingError) { setting.fail(error) }

    // MARK: Commands

    func begin(_ service: CBService) {
        peripheral.discoverCharacteristics(layout.exchange.map { [CBUUID(string: $0)] }, for: service)
    }

    func end() { peripheral.delegate = nil }

    func readDeviceID() { emit(.deviceID(welcome?.deviceID?.rawValue ?? "")) }

    func requestNetworks() {
        // One that still waits for its answer will bring the list.
        if !pending.values.contains(.scan) { send(.scan, as: .scan) }
    }

    func write(_ credentials: CameraCredentials) {
        send(.credentials(CredentialFields(credentials.ofPorchlight)), as: .credentials)
    }

    // MARK: Messages of the client

    private func sayHello() {
        hellos += 1
        conversation = setting.randomness.conversation()
        send(.hello(conversation: conversation), as: .hello)
    }

    private func send(_ message: ExchangeRequest, as request: Request) {
        pending[sender.add(message.encoded)] = request
        beginMessage()
    }

    private func beginMessage() {
        do {
            perform(try sender.begin(limit: peripheral.maximumWriteValueLength(for: .withoutResponse)))
        } catch {
            fail(.connectionFailed("\(error)"))
        }
    }

    private func perform(_ step: ExchangeSender.Step) {
        guard let exchange else { return }
        switch step {
        case .write(let frame): peripheral.writeValue(frame, for: exchange, type: .withResponse)
        case .readPosition:
            isReading = true
            peripheral.readValue(for: exchange)
        case .idle: break
        case .giveUp: fail(.connectionFailed("the camera did not take a message"))
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error {
            switch ConversationSetting.meaning(of: error) {
            case .refusal(let refusal?) where refusal != .frameOrder: refusedFrame(refusal)
            case .refusal, .doubtful: perform(sender.failed())
            case .endOfLink: break
            }
            return
        }
        perform(sender.wrote())
        if !sender.isUnderWay { beginMessage() }
    }

    /// Repeating the frame would not help, and so the message is over.
    private func refusedFrame(_ refusal: PairingService.WriteRefusal) {
        guard let number = sender.abandon(), let request = pending.removeValue(forKey: number) else { return }
        refused(request, refusal, field: nil)
        beginMessage()
    }

    private func position(_ value: Data?) {
        isReading = false
        if let value, let position = try? ExchangePosition(decoding: value) {
            perform(sender.isAt(position))
        } else {
            perform(sender.failed())
        }
        if !sender.isUnderWay { beginMessage() }
    }

    // MARK: Messages of the camera

    private func received(_ value: Data) {
        do {
            guard let message = try reassembler.receive(value) else { return }
            let (conversation, answer) = try ExchangeAnswer.addressed(decoding: message)
            if conversation == self.conversation { handle(answer) }
        } catch {
            // One that joins while a message for somebody else is under way has not seen its beginning; and a camera that
            // sends one bad message still has others to tell of.
            log.debug("a message was passed over: \(error)")
        }
    }

    private func handle(_ answer: ExchangeAnswer) {
        switch answer {
        case .welcome(let welcome): welcomed(welcome)
        case .answer(let answer): answered(answer)
        case .record(let record):
            // Until the scan has its answer, they are of a scan before.
            if !pending.values.contains(.scan) { emit(.record(record)) }
        case .state(let state): emit(.state(state))
        case .share, .sealed: break
        }
    }

    private func welcomed(_ welcome: ExchangeWelcome) {
        guard self.welcome == nil, let hello = pending.first(where: { $0.value == .hello }) else { return }
        pending[hello.key] = nil
        self.welcome = welcome
        // A camera that offers more than is to be seen: somebody in between may hide it.
        if let best = welcome.info.layouts.best, best > layout { return fail(.layoutHidden) }
        emit(.linkReady(peripheral.identifier, .chunked))
    }

    private func answered(_ answer: ExchangeAnswer.Acknowledgement) {
        guard let request = pending[answer.message], request != .hello || answer.refusal != nil else { return }
        pending[answer.message] = nil
        if let refusal = answer.refusal { return refused(request, refusal, field: answer.field) }
        if request == .credentials { emit(.written) }
    }

    private func refused(
        _ request: Request, _ refusal: PairingService.WriteRefusal, field: CredentialFields.Field?
    ) {
        switch (request, refusal) {
        case (.hello, .busy) where hellos < Self.hellosLimit: sayHello()
        case (.hello, _): fail(.refused(refusal))
        case (_, .noSession): fail(.sessionLost)
        case (_, .busy): emit(.refused(.cameraBusy, inDoubt: false))
        case (.credentials, _):
            let field = field.map { "\($0)" } ?? "credentials"
            emit(.refused(.fieldRefused(field: field, refusal: refusal), inDoubt: false))
        case (.scan, _): emit(.refused(.refused(refusal), inDoubt: false))
        }
    }

    // MARK: CBPeripheralDelegate

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { return fail(.connectionFailed(error.localizedDescription)) }
        exchange = service.characteristics?.first { $0.uuid.uuidString == layout.exchange }
        guard let exchange else { return fail(.notACamera(missing: "exchange characteristic")) }
        peripheral.setNotifyValue(true, for: exchange)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard characteristic.uuid == exchange?.uuid, hellos == 0 else { return }
        if let error { return fail(.connectionFailed(error.localizedDescription)) }
        sayHello()
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard characteristic.uuid == exchange?.uuid else { return }
        if let error {
            if isReading, error is CBATTError { position(nil) }
            return
        }
        guard let value = characteristic.value else { return }
        // A read's answer comes the same way as a notification; no frame is as short as a position.
        if isReading, value.count < Frame.headerBytes + 1 { position(value) } else { received(value) }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard invalidatedServices.contains(where: { $0.uuid.uuidString == layout.service }) else { return }
        fail(.linkLost)
    }
}
