import Basics
import Dispatch
import Foundation

/// A connection between two software radios: frames in order, with the simulated air's delay.
///
/// Confined to its queue: every method is called there and every handler runs there.
final class FrameStream: @unchecked Sendable {
    // Unchecked because the mutable state is touched on `queue` only, which each method checks.

    /// Why a stream ended by itself.
    enum End: Sendable, Equatable {
        /// The other process closed it or died.
        case closed
        /// The other process sent what is no frame.
        case garbage(String)
        /// The other process reads too slowly: what waits for it has reached the limit.
        case overflow
    }

    /// Bytes that may wait for a slow reader.
    static let outgoingLimit = 1 << 20
    /// Packets that may be in the simulated air at once.
    static let delayedLimit = 4096
    /// Between a lost packet of a connection and its repetition: one connection interval.
    private static let repetition = Duration.milliseconds(30)
    /// After this many lost repetitions a packet goes through: no packet takes longer than a supervision timeout.
    private static let repetitionLimit = 100

    /// Nil once it is closed: the descriptor goes when the sources' last handlers have run.
    private var socket: RadioSocket?
    private let air: SoftwareAir
    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?
    private var decoder = FrameDecoder()
    private var outgoing: [UInt8] = []
    private var delayed: [(due: Duration, frame: RadioFrame)] = []
    private var alarm: RadioClock.Alarm?
    private var onFrame: (@Sendable (RadioFrame) -> Void)?
    private var onEnd: (@Sendable (End) -> Void)?

    private(set) var isClosed = false

    init(_ socket: RadioSocket, on air: SoftwareAir) {
        self.socket = socket
        self.air = air
    }

    deinit {
        reader?.cancel()
        writer?.cancel()
        alarm?.cancel()
    }

    /// Begins to deliver frames, and at last one `onEnd`, unless it is closed from this side.
    func start(onFrame: @escaping @Sendable (RadioFrame) -> Void, onEnd: @escaping @Sendable (End) -> Void) {
        dispatchPrecondition(condition: .onQueue(air.queue))
        self.onFrame = onFrame
        self.onEnd = onEnd
        guard let socket else { return }
        let reader = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: air.queue)
        reader.setEventHandler { [weak self] in self?.receive() }
        // The descriptor must outlive the source, so the source's last handler holds it.
        reader.setCancelHandler { [socket] in _ = socket }
        self.reader = reader
        reader.activate()
    }

    /// Whether everything given so far has left.
    var isIdle: Bool { outgoing.isEmpty && delayed.isEmpty }

    /// Sends a packet of a connection, as late as the air makes it.
    func send(_ frame: RadioFrame) {
        dispatchPrecondition(condition: .onQueue(air.queue))
        guard !isClosed else { return }
        if isLost(frame) { return end(.closed) }
        let delay = delay(air.conditions.values)
        guard delay > .zero || !delayed.isEmpty else { return sendNow(frame) }
        let due = max(air.clock.now() + delay, delayed.last?.due ?? .zero)
        guard delayed.count < Self.delayedLimit else { return end(.overflow) }
        delayed.append((due, frame))
        if delayed.count == 1 { arm() }
    }

    /// Sends past the simulated delay.
    func sendNow(_ frame: RadioFrame) {
        dispatchPrecondition(condition: .onQueue(air.queue))
        guard !isClosed else { return }
        outgoing += frame.encoded
        flush()
    }

    /// Ends the stream from this side: nothing is delivered any more.
    /// - Parameter farewell: Sent after everything that waits, as far as the other side takes it at once.
    func close(farewell: RadioFrame? = nil) {
        dispatchPrecondition(condition: .onQueue(air.queue))
        guard !isClosed else { return }
        if let farewell {
            for (_, frame) in delayed { outgoing += frame.encoded }
            delayed = []
            outgoing += farewell.encoded
            _ = try? socket?.write(outgoing[...])
        }
        tearDown()
    }

    private func delay(_ values: RadioConditions.Values) -> Duration {
        var delay = values.latency
        guard values.loss > 0 else { return delay }
        for _ in 0..<Self.repetitionLimit where air.random.unit() < values.loss { delay += Self.repetition }
        return delay
    }

    /// Whether this packet takes its connection with it. The link layer's own packets are not counted.
    private func isLost(_ frame: RadioFrame) -> Bool {
        switch frame {
        case .connect, .accepted, .att: air.conditions.losesConnection()
        default: false
        }
    }

    private func arm() {
        guard let head = delayed.first else { return }
        alarm = air.clock.after(max(head.due - air.clock.now(), .zero), on: air.queue) { [weak self] in
            guard let self, !isClosed, !delayed.isEmpty else { return }
            let now = air.clock.now()
            repeat { sendNow(delayed.removeFirst().frame) } while delayed.first.map { $0.due <= now } ?? false
            arm()
        }
    }

    private func receive() {
        do {
            while let bytes = try socket?.read() {
                guard !bytes.isEmpty else { return end(.closed) }
                decoder.append(bytes)
                while !isClosed, let frame = try decoder.next() {
                    if isLost(frame) { return end(.closed) }
                    onFrame?(frame)
                }
            }
        } catch let error as FrameError {
            end(.garbage(error.description))
        } catch {
            end(.closed)
        }
    }

    private func flush() {
        guard let socket else { return }
        do {
            var sent = 0
            while sent < outgoing.count {
                let count = try socket.write(outgoing[sent...])
                if count == 0 { break }
                sent += count
            }
            outgoing.removeFirst(sent)
        } catch {
            // The reader still delivers what the other side said last, and then the end.
            outgoing = []
            return
        }
        if outgoing.isEmpty {
            writer?.cancel()
            writer = nil
        } else if outgoing.count > Self.outgoingLimit {
            end(.overflow)
        } else if writer == nil {
            let writer = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: air.queue)
            writer.setEventHandler { [weak self] in self?.flush() }
            writer.setCancelHandler { [socket] in _ = socket }
            self.writer = writer
            writer.activate()
        }
    }

    private func end(_ reason: End) {
        guard !isClosed else { return }
        let handler = onEnd
        tearDown()
        // After the current call, so that nobody who sends is surprised by an end in the middle of it.
        air.queue.async { handler?(reason) }
    }

    private func tearDown() {
        isClosed = true
        reader?.cancel()
        writer?.cancel()
        alarm?.cancel()
        reader = nil
        writer = nil
        socket = nil
        onFrame = nil
        onEnd = nil
        delayed = []
        outgoing = []
    }
}
