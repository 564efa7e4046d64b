import CoreBluetooth
import Foundation
import Wire

/// The link to one camera: looks which services it has, chooses the best ``ConversationKind`` and holds the conversation.
///
/// Confined to the central's queue.
final class CameraLink: NSObject, CBPeripheralDelegate {
    private let setting: ConversationSetting
    private var conversation: (any CameraConversation)?

    init(_ setting: ConversationSetting) { self.setting = setting }

    /// Asks for the services; the conversation begins when they are known.
    func begin() {
        setting.peripheral.delegate = self
        setting.peripheral.discoverServices(ConversationKind.services)
    }

    /// Hears nothing more of the camera.
    func end() {
        setting.peripheral.delegate = nil
        conversation?.end()
        conversation = nil
    }

    func readDeviceID() { conversation?.readDeviceID() }

    func requestNetworks() { conversation?.requestNetworks() }

    func write(_ credentials: CameraCredentials) { conversation?.write(credentials) }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if let error { return setting.fail(.connectionFailed(error.localizedDescription)) }
        let services = peripheral.services ?? []
        for kind in ConversationKind.allCases where kind != .protected {
            guard let service = services.first(where: { $0.uuid == kind.service }) else { continue }
            let conversation = kind.conversation(setting)
            self.conversation = conversation
            peripheral.delegate = conversation
            return conversation.begin(service)
        }
        setting.fail(.notACamera(missing: "pairing service"))
    }
}
