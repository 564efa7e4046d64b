import Basics
import CoreBluetooth
import Foundation
import Wire

/// The GATT conversation with one camera on the standard layout, from the connection until it ends.
///
/// Confined to the central's queue. It keeps no state of the flow beyond the fields still to be written. The link is of
/// no more use once they are: the camera leaves Bluetooth to join the network.
final class StandardConversation: NSObject, CameraConversation, CBPeripheralDelegate {
    private let setting: ConversationSetting
    private let log = Log("pairing")
    private var characteristics: [PairingService.Characteristic: CBCharacteristic] = [:]
    private var reassembler = FrameReassembler()
    private var fields: [(PairingService.Characteristic, Data)] = []
    private var isReady = false

    init(_ setting: ConversationSetting) { self.setting = setting }

    private var peripheral: CBPeripheral { setting.peripheral }

    private static let required: [PairingService.Characteristic] = [
        .networks, .ssid, .security, .password, .sessionKey, .region, .environment,
    ]

    // MARK: Commands

    func begin(_ service: CBService) {
        peripheral.delegate = self
        peripheral.discoverCharacteristics(nil, for: service)
    }

    func end() { peripheral.delegate = nil }

    func readDeviceID() {
        guard let characteristic = characteristics[.deviceID] else { return emit(.deviceID("")) }
        peripheral.readValue(for: characteristic)
    }

    func requestNetworks() {
        guard let characteristic = characteristics[.networks] else { return }
        reassembler = FrameReassembler()
        peripheral.writeValue(Data([NetworkScanCommand.scan.rawValue]), for: characteristic, type: .withResponse)
    }

    /// Writes the fields one by one, each acknowledged before the next; the environment comes last and applies them.
    func write(_ credentials: CameraCredentials) {
        fields = CredentialFields(credentials.ofPorchlight).all.map { ($0.field.characteristic, $0.value) }
        writeNextField()
    }

    private func writeNextField() {
        guard let (field, value) = fields.first, let characteristic = characteristics[field] else { return }
        peripheral.writeValue(value, for: characteristic, type: .withResponse)
    }

    private func fail(_ error: CameraPairingError) { setting.fail(error) }

    private func emit(_ event: PairingFlow.Event) { setting.emit(event) }

    // MARK: CBPeripheralDelegate

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { return fail(.connectionFailed(error.localizedDescription)) }
        for characteristic in service.characteristics ?? [] {
            if let known = PairingService.Characteristic(rawValue: characteristic.uuid.uuidString) {
                characteristics[known] = characteristic
            }
        }
        if let missing = Self.required.first(where: { characteristics[$0] == nil }) {
            return fail(.notACamera(missing: "\(missing) characteristic"))
        }
        if let networks = characteristics[.networks] { peripheral.setNotifyValue(true, for: networks) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard characteristic.uuid == characteristics[.networks]?.uuid, !isReady else { return }
        if let error { return fail(.connectionFailed(error.localizedDescription)) }
        isReady = true
        emit(.linkReady(peripheral.identifier, .standard))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if characteristic.uuid == characteristics[.deviceID]?.uuid {
            // Only the camera's own refusal means that it has none to report; the end of the link is told as such.
            if let error {
                guard case .refusal = ConversationSetting.meaning(of: error) else { return }
            }
            let text = error == nil ? characteristic.value.map { String(decoding: $0, as: UTF8.self) } : nil
            emit(.deviceID(text ?? ""))
        } else if characteristic.uuid == characteristics[.networks]?.uuid, error == nil,
            let value = characteristic.value
        {
            receiveNetworkFrame(value)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if characteristic.uuid == characteristics[.networks]?.uuid {
            if let error { scanRefused(error) }
            return
        }
        guard let (field, _) = fields.first, characteristic.uuid == characteristics[field]?.uuid else { return }
        if let error {
            fields = []
            switch ConversationSetting.meaning(of: error) {
            case .refusal(.busy): emit(.refused(.cameraBusy, inDoubt: false))
            case .refusal(let refusal):
                emit(.refused(.fieldRefused(field: "\(field)", refusal: refusal), inDoubt: false))
            case .doubtful: emit(.refused(.fieldRefused(field: "\(field)", refusal: nil), inDoubt: true))
            case .endOfLink: break
            }
            return
        }
        fields.removeFirst()
        if fields.isEmpty { emit(.written) } else { writeNextField() }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard invalidatedServices.contains(where: { $0.uuid == ConversationKind.standard.service }) else { return }
        fail(.linkLost)
    }

    private func scanRefused(_ error: any Error) {
        log.warning("the camera did not take the scan command: \(error.localizedDescription)")
        switch ConversationSetting.meaning(of: error) {
        case .refusal(.busy): emit(.refused(.cameraBusy, inDoubt: false))
        case .refusal: emit(.record(.failed))
        case .doubtful: emit(.refused(.networkScanFailed, inDoubt: true))
        case .endOfLink: break
        }
    }

    private func receiveNetworkFrame(_ value: Data) {
        do {
            guard let message = try reassembler.receive(value) else { return }
            emit(.record(try NetworkListRecord(decoding: message)))
        } catch {
            // A camera that sends one bad record still has others to tell of.
            log.warning("a network record was ignored: \(error)")
        }
    }
}
