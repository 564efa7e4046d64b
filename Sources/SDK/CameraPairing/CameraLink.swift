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
        let found = ConversationKind.allCases.lazy.compactMap { kind in
            services.first { $0.uuid == kind.service }.map { (kind, $0) }
        }
        guard let (kind, service) = found.first else {
            return setting.fail(.notACamera(missing: "pairing service"))
        }
        // Whoever stands in between can hide a service, and so nothing less is taken.
        guard kind == .protected || !setting.wishes.requiresProtection else {
            return setting.fail(.protectedPairingNotOffered)
        }
        let conversation = kind.conversation(setting)
        self.conversation = conversation
        conversation.begin(service)
    }
}
