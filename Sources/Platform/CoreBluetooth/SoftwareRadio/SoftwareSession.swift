import Basics
import Foundation

/// A connection as the software radio's peripheral has it. Confined to the radio's queue.
final class SoftwareSession: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    enum Event: Sendable {
        case read(AttributeID, offset: Int)
        case write([WritePiece], needsAnswer: Bool)
        case subscribed(AttributeID)
        case unsubscribed(AttributeID)
        /// The connection is over; with a reason when the central broke the protocol.
        case hungUp(String?)
    }

    let central: RemoteCentral
    let stream: FrameStream
    private let air: SoftwareAir
    private let deliver: @Sendable (SoftwareSession, Event) -> Void
    private var server: ATTServer
    private var unacknowledged: [@Sendable () -> Void] = []
    private var indications: [(packet: ATTPacket, completion: @Sendable () -> Void)] = []
    private var confirmationAlarm: RadioClock.Alarm?

    init(
        _ central: RemoteCentral, over stream: FrameStream, air: SoftwareAir,
        deliver: @escaping @Sendable (SoftwareSession, Event) -> Void
    ) {
        self.central = central
        self.stream = stream
        self.air = air
        self.deliver = deliver
        server = ATTServer(mtu: central.mtu)
    }

    var subscriptions: Set<AttributeID> { Set(server.subscriptions.keys) }

    /// Ends it from this side, without an event. What waits to be sent is given up.
    func close() {
        stream.close(farewell: .terminate)
        confirmationAlarm?.cancel()
        let waiting = unacknowledged + indications.map(\.completion)
        unacknowledged = []
        indications = []
        for completion in waiting { completion() }
    }

    func receive(_ frame: RadioFrame, in table: AttributeTable) {
        switch frame {
        case .att(let data):
            do {
                act(on: server.receive(try ATTPacket(data), in: table))
            } catch {
                deliver(self, .hungUp(error.description))
            }
        case .acknowledged(let count):
            for _ in 0..<min(Int(count), unacknowledged.count) { unacknowledged.removeFirst()() }
        case .signalRequest: stream.send(.signal(Int8(clamping: air.conditions.signalStrength)))
        case .terminate: deliver(self, .hungUp(nil))
        default: deliver(self, .hungUp("a frame that has no place here"))
        }
    }

    private func act(on actions: [ATTServer.Action]) {
        for action in actions {
            switch action {
            case .send(let packet): stream.send(.att(packet.encoded))
            case .acknowledge: stream.send(.acknowledged(1))
            case .read(let attribute, let offset): deliver(self, .read(attribute, offset: offset))
            case .write(let pieces, let needsAnswer): deliver(self, .write(pieces, needsAnswer: needsAnswer))
            case .subscribed(let attribute): deliver(self, .subscribed(attribute))
            case .unsubscribed(let attribute): deliver(self, .unsubscribed(attribute))
            case .confirmed: confirmed()
            case .hangUp(let why): deliver(self, .hungUp(why))
            }
        }
    }

    func answer(_ result: RadioResult<Data>) {
        if let packet = server.answer(result) { stream.send(.att(packet.encoded)) }
    }

    func forget(_ characteristics: Set<AttributeID>) {
        for attribute in server.forget(characteristics) { deliver(self, .unsubscribed(attribute)) }
    }

    // MARK: Notifications and indications

    func notify(
        _ value: Data, handle: UInt16, _ characteristic: AttributeID, _ completion: @escaping @Sendable () -> Void
    ) {
        let fitting = value.prefix(central.mtu - 3)
        switch server.subscriptions[characteristic] {
        case nil: completion()
        case .notifications:
            unacknowledged.append(completion)
            stream.send(.att(ATTPacket.notification(handle: handle, value: fitting).encoded))
        case .indications:
            indications.append((.indication(handle: handle, value: fitting), completion))
            if indications.count == 1 { sendIndication() }
        }
    }

    private func sendIndication() {
        guard let head = indications.first else { return }
        confirmationAlarm = air.clock.after(ATTClient.transactionLimit, on: air.queue) { [weak self] in
            guard let self else { return }
            deliver(self, .hungUp("an indication was not confirmed within 30 s"))
        }
        stream.send(.att(head.packet.encoded))
    }

    private func confirmed() {
        guard !indications.isEmpty else { return deliver(self, .hungUp("a confirmation without an indication")) }
        confirmationAlarm?.cancel()
        indications.removeFirst().completion()
        sendIndication()
    }
}
