import Basics
import CoreBluetooth
import Foundation
import Wire

/// The characteristic over which messages go in both directions: cuts them into frames, puts them together, and goes on
/// from the first missing frame when one was not taken. What they say is its owner's business.
///
/// Confined to the central's queue; it is the peripheral's delegate.
final class ExchangePort: NSObject, CBPeripheralDelegate {
    /// What happens.
    enum Event {
        /// Messages can be sent.
        case open
        /// A whole message of the camera, for whichever client.
        case received(Data)
        /// The camera does not take the message with this number, and repeating it would not help.
        case refused(UInt8, PairingService.WriteRefusal)
        case failed(CameraPairingError)
    }

    private let peripheral: CBPeripheral
    private let layout: PairingLayout
    private let tell: (Event) -> Void
    private let log = Log("pairing")
    private var exchange: CBCharacteristic?
    private var sender = ExchangeSender()
    private var reassembler = FrameReassembler()
    private var isOpen = false
    private var isReading = false

    init(_ peripheral: CBPeripheral, layout: PairingLayout, tell: @escaping (Event) -> Void) {
        self.peripheral = peripheral
        self.layout = layout
        self.tell = tell
    }

    func begin(_ service: CBService) {
        peripheral.delegate = self
        peripheral.discoverCharacteristics(layout.exchange.map { [CBUUID(string: $0)] }, for: service)
    }

    func end() { peripheral.delegate = nil }

    /// Sends a message after those before it.
    /// - Returns: Its number, by which the camera answers.
    func send(_ message: Data) -> UInt8 {
        let number = sender.add(message)
        beginMessage()
        return number
    }

    private func beginMessage() {
        guard sender.canBegin else { return }
        do {
            perform(try sender.begin(limit: peripheral.maximumWriteValueLength(for: .withoutResponse)))
        } catch {
            tell(.failed(.connectionFailed("\(error)")))
        }
    }

    private func perform(_ step: ExchangeSender.Step) {
        guard let exchange else { return }
        switch step {
        case .write(let frame): peripheral.writeValue(frame, for: exchange, type: .withResponse)
        case .readPosition:
            isReading = true
            peripheral.readValue(for: exchange)
        case .idle: beginMessage()
        case .giveUp: tell(.failed(.connectionFailed("the camera did not take a message")))
        }
    }

    private func position(_ value: Data?) {
        isReading = false
        if let value, let position = try? ExchangePosition(decoding: value) {
            perform(sender.isAt(position))
        } else {
            perform(sender.failed())
        }
    }

    // MARK: CBPeripheralDelegate

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { return tell(.failed(.connectionFailed(error.localizedDescription))) }
        exchange = service.characteristics?.first { $0.uuid.uuidString == layout.exchange }
        guard let exchange else { return tell(.failed(.notACamera(missing: "exchange characteristic"))) }
        peripheral.setNotifyValue(true, for: exchange)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard characteristic.uuid == exchange?.uuid, !isOpen else { return }
        if let error { return tell(.failed(.connectionFailed(error.localizedDescription))) }
        isOpen = true
        tell(.open)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        guard let error else { return perform(sender.wrote()) }
        switch ConversationSetting.meaning(of: error) {
        case .refusal(let refusal?) where refusal != .frameOrder:
            if let number = sender.abandon() { tell(.refused(number, refusal)) }
            beginMessage()
        case .refusal, .doubtful: perform(sender.failed())
        case .endOfLink: break
        }
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
        // What was read comes the same way as a notification; BlueZ tells it twice. No frame is as short.
        guard value.count > Frame.headerBytes else {
            if isReading { position(value) }
            return
        }
        do {
            if let message = try reassembler.receive(value) { tell(.received(message)) }
        } catch {
            // One that joins while a message for somebody else is under way has not seen its beginning.
            log.debug("a frame was passed over: \(error)")
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard invalidatedServices.contains(where: { $0.uuid.uuidString == layout.service }) else { return }
        tell(.failed(.linkLost))
    }
}
