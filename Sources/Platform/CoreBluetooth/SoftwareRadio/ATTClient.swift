import Foundation

/// The asking side of an ATT bearer: one request at a time, procedures of several requests one after the other.
///
/// Confined to the radio's queue.
final class ATTClient: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    /// After this time without an answer the bearer is dead. (Core Specification, volume 3, part F, 3.3.3.)
    static let transactionLimit = Duration.seconds(30)

    private struct Transaction {
        var request: ATTPacket
        var completion: @Sendable (RadioResult<ATTPacket>) -> Void
    }

    typealias Procedure = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    let mtu: Int
    private let air: SoftwareAir
    private let send: @Sendable (ATTPacket) -> Void
    private let onTimeout: @Sendable () -> Void
    private var outstanding: Transaction?
    private var procedures: [(start: Procedure, fail: @Sendable (RadioFailure) -> Void)] = []
    private var isBusy = false
    private var alarm: RadioClock.Alarm?
    private var dead: RadioFailure?

    init(
        mtu: Int, air: SoftwareAir, send: @escaping @Sendable (ATTPacket) -> Void,
        onTimeout: @escaping @Sendable () -> Void
    ) {
        self.mtu = mtu
        self.air = air
        self.send = send
        self.onTimeout = onTimeout
    }

    /// Takes an answer.
    /// - Returns: False when nothing was asked that it could answer.
    func receive(_ packet: ATTPacket) -> Bool {
        guard let transaction = outstanding else { return false }
        switch packet {
        case .error(let request, _, let code):
            guard request == transaction.request.opcode else { return false }
            finish(transaction, .failure(.att(CBATTError.Code(code))))
        default:
            // A response's opcode follows its request's.
            guard packet.opcode == transaction.request.opcode + 1 else { return false }
            finish(transaction, .success(packet))
        }
        return true
    }

    /// Completes everything that waits, and everything asked from now on, with a failure.
    func fail(_ failure: RadioFailure) {
        guard dead == nil else { return }
        dead = failure
        alarm?.cancel()
        let waiting = procedures
        procedures = []
        if let transaction = outstanding {
            outstanding = nil
            transaction.completion(.failure(failure))
        }
        for procedure in waiting { procedure.fail(failure) }
    }

    // MARK: Procedures

    /// Reads a whole value: a read, then blob reads while the answers are full.
    func read(_ handle: UInt16, _ completion: @escaping RadioCompletion<Data>) {
        perform(completion) { [self] finish in
            request(.readRequest(handle: handle)) { [self] result in
                switch result {
                case .success(.readResponse(let value)): readRest(handle, value, value.count, finish)
                case .success: finish(.failure(.att(.invalidPdu)))
                case .failure(let failure): finish(.failure(failure))
                }
            }
        }
    }

    private func readRest(
        _ handle: UInt16, _ value: Data, _ last: Int, _ finish: @escaping RadioCompletion<Data>
    ) {
        guard last >= mtu - 1, value.count < ATTLimit.valueBytes else {
            return finish(.success(value.prefix(ATTLimit.valueBytes)))
        }
        request(.readBlobRequest(handle: handle, offset: UInt16(value.count))) { [self] result in
            switch result {
            case .success(.readBlobResponse(let more)): readRest(handle, value + more, more.count, finish)
            case .success: finish(.failure(.att(.invalidPdu)))
            // The value ended exactly at the packet's end.
            case .failure(.att(.invalidOffset)), .failure(.att(.attributeNotLong)): finish(.success(value))
            case .failure(let failure): finish(.failure(failure))
            }
        }
    }

    /// Writes a whole value: a write, or prepared writes and their execution when it is long.
    func write(_ value: Data, to handle: UInt16, _ completion: @escaping RadioCompletion<Void>) {
        perform(completion) { [self] finish in
            guard value.count > mtu - 3 else {
                return request(.writeRequest(handle: handle, value: value)) { finish($0.map { _ in }) }
            }
            prepare(value, offset: 0, handle, finish)
        }
    }

    private func prepare(
        _ value: Data, offset: Int, _ handle: UInt16, _ finish: @escaping RadioCompletion<Void>
    ) {
        guard offset < value.count else {
            return request(.executeWriteRequest(commit: true)) { finish($0.map { _ in }) }
        }
        let piece = Data(value.dropFirst(offset).prefix(mtu - 5))
        let packet = ATTPacket.prepareWriteRequest(handle: handle, offset: UInt16(offset), value: piece)
        request(packet) { [self] result in
            switch result {
            case .success(.prepareWriteResponse(handle, UInt16(offset), piece)):
                prepare(value, offset: offset + piece.count, handle, finish)
            case .success: abandon(.att(.invalidPdu), finish)
            case .failure(let failure): abandon(failure, finish)
            }
        }
    }

    private func abandon(_ failure: RadioFailure, _ finish: @escaping RadioCompletion<Void>) {
        request(.executeWriteRequest(commit: false)) { _ in finish(.failure(failure)) }
    }

    /// One line of an answer to a request for a range of handles.
    struct Line<Content: Sendable>: Sendable {
        var handles: ClosedRange<UInt16>
        var content: Content
    }

    /// Walks through all answers to a request for a range of handles.
    func collect<Content: Sendable>(
        _ range: ClosedRange<UInt16>, _ ask: @escaping @Sendable (UInt16, UInt16) -> ATTPacket,
        _ completion: @escaping RadioCompletion<[Content]>,
        _ read: @escaping @Sendable (ATTPacket) -> [Line<Content>]?
    ) {
        perform(completion) { [self] finish in step([], range, ask, read, finish) }
    }

    private func step<Content: Sendable>(
        _ found: [Content], _ range: ClosedRange<UInt16>, _ ask: @escaping @Sendable (UInt16, UInt16) -> ATTPacket,
        _ read: @escaping @Sendable (ATTPacket) -> [Line<Content>]?, _ finish: @escaping RadioCompletion<[Content]>
    ) {
        request(ask(range.lowerBound, range.upperBound)) { [self] result in
            switch result {
            case .success(let packet):
                let lines = read(packet) ?? []
                var next = Int(range.lowerBound)
                for line in lines {
                    // Handles must go up, or a hostile server keeps us here for ever.
                    guard Int(line.handles.lowerBound) >= next else { return finish(.failure(.att(.invalidPdu))) }
                    next = Int(line.handles.upperBound) + 1
                }
                guard next > range.lowerBound else { return finish(.failure(.att(.invalidPdu))) }
                let found = found + lines.map(\.content)
                guard next <= range.upperBound else { return finish(.success(found)) }
                step(found, UInt16(next)...range.upperBound, ask, read, finish)
            case .failure(.att(.attributeNotFound)): finish(.success(found))
            case .failure(let failure): finish(.failure(failure))
            }
        }
    }

    // MARK: One at a time

    private func perform<Value: Sendable>(
        _ completion: @escaping RadioCompletion<Value>,
        _ body: @escaping @Sendable (_ finish: @escaping RadioCompletion<Value>) -> Void
    ) {
        if let dead { return completion(.failure(dead)) }
        procedures.append(
            (
                { done in
                    body { result in
                        done()
                        completion(result)
                    }
                }, { completion(.failure($0)) }
            ))
        startNext()
    }

    private func startNext() {
        guard !isBusy, dead == nil, !procedures.isEmpty else { return }
        isBusy = true
        let procedure = procedures.removeFirst()
        procedure.start { [weak self, queue = air.queue] in
            self?.isBusy = false
            // Not at once: the completion of this one is called before the next begins.
            queue.async { [weak self] in self?.startNext() }
        }
    }

    private func request(_ packet: ATTPacket, _ completion: @escaping @Sendable (RadioResult<ATTPacket>) -> Void) {
        if let dead { return completion(.failure(dead)) }
        outstanding = Transaction(request: packet, completion: completion)
        alarm = air.clock.after(Self.transactionLimit, on: air.queue) { [weak self] in self?.onTimeout() }
        send(packet)
    }

    private func finish(_ transaction: Transaction, _ result: RadioResult<ATTPacket>) {
        alarm?.cancel()
        outstanding = nil
        transaction.completion(result)
    }
}
