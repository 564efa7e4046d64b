import CoreBluetooth
import Dispatch
import Wire

/// The GATT conversation with one connected camera, whatever it speaks, from the found service until the link ends.
///
/// Confined to the central's queue, on which CoreBluetooth calls it. A conversation turns what the camera says into
/// events of ``PairingFlow``; which command may come when is the flow's business. ``ConversationKind`` makes it.
protocol CameraConversation: AnyObject {
    /// Becomes the peripheral's delegate and prepares the service for commands; ends in `linkReady` or `linkFailed`.
    func begin(_ service: CBService)
    /// The link is gone or given up. Nothing is emitted afterwards.
    func end()
    /// Answered by `deviceID`, with an empty one where the camera has none to report.
    func readDeviceID()
    /// Answered by a `record` for each network, then the end or, where nobody tells the end, `networksPaused` after each
    /// part; by the record `failed`; by `networksUnavailable`; or by `refused`.
    func requestNetworks()
    /// Answered by `written` or `refused`; where the link stays, `state` follows as the camera joins.
    func write(_ credentials: CameraCredentials)
}

/// What a conversation has to know beside its service.
struct ConversationSetting {
    /// The camera, connected.
    let peripheral: CBPeripheral
    /// The central's queue.
    let queue: DispatchQueue
    /// Where the conversation draws its numbers.
    let randomness: PairingRandomness
    /// What the app asks of the protection.
    let wishes: PairingWishes
    /// Takes what the camera says. On the central's queue.
    let emit: (PairingFlow.Event) -> Void

    /// Does work that takes long beside the queue, and goes on with its result on the queue.
    func runBeside<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
    ) {
        let then = Confined(then)
        DispatchQueue.global().async { [queue] in
            let value = work()
            queue.async { then.value(value) }
        }
    }

    /// Something that is taken along by another thread and touched on the queue alone.
    private struct Confined<Value>: @unchecked Sendable {
        // Unchecked because `value` is used only in the block that goes back to the queue it came from.
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// What a failed request means. The end of the link is told by itself, so nothing is made of it here.
    static func meaning(of error: any Error) -> RefusalMeaning {
        guard let error = error as? CBATTError else { return .endOfLink }
        // BlueZ answers the request under way with this one just before it tells of a lost link.
        if error.code == .unlikelyError { return .doubtful }
        return .refusal(PairingService.WriteRefusal(rawValue: error.code.rawValue))
    }

    /// Says that the link is of no use.
    func fail(_ error: CameraPairingError) { emit(.linkFailed(peripheral.identifier, error)) }
}

/// What the error of a request means.
enum RefusalMeaning: Equatable {
    /// The camera does not take it; nil for a reason that is not the protocol's.
    case refusal(PairingService.WriteRefusal?)
    /// That, or the link is about to end.
    case doubtful
    /// The link is gone, and is told as such.
    case endOfLink
}
