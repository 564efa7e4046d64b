import CoreBluetooth
import Wire

/// The GATT conversation with one connected camera, whatever it speaks, from the found service until the link ends.
///
/// Confined to the central's queue, on which CoreBluetooth calls it. A conversation turns what the camera says into
/// events of ``PairingFlow``; which command may come when is the flow's business. It is the peripheral's delegate while
/// it lasts, and ``ConversationKind`` makes it.
protocol CameraConversation: CBPeripheralDelegate {
    /// Prepares the service for commands; ends in `linkReady` or `linkFailed`.
    func begin(_ service: CBService)
    /// The link is gone or given up: nothing is emitted any more.
    func end()
    /// Answered by `deviceID`, with an empty one where the camera has none to report.
    func readDeviceID()
    /// Answered by a `record` for each network, then the end; or by the record `failed`.
    func requestNetworks()
    /// Answered by `written`; where the link stays, `state` follows as the camera joins.
    func write(_ credentials: PairingCredentials)
}

/// What a conversation has to know beside its service.
struct ConversationSetting {
    /// The camera, connected.
    let peripheral: CBPeripheral
    /// Takes what the camera says. On the central's queue.
    let emit: (PairingFlow.Event) -> Void

    /// Says that the link is of no use.
    func fail(_ error: CameraPairingError) { emit(.linkFailed(peripheral.identifier, error)) }
}
