import CWebSockets
import Foundation

/// What a connection's owner hears from its ``Transport``, on the service thread.
protocol TransportHandler: AnyObject {
    /// A client's connection is open, TLS included. A server's connections begin open.
    func transportOpened()
    /// Bytes came. They are valid during the call.
    func transportReceived(_ bytes: UnsafeRawBufferPointer)
    /// Some of the output went to the kernel; ``Transport/queuedBytes`` says what is left.
    func transportWrote()
    /// The moment given to ``Transport/wake(after:)`` has come.
    func transportTimerFired()
    /// The connection is gone. The last call.
    func transportClosed(reason: String)
}

/// One TCP or TLS connection of libwebsockets, in its raw role.
///
/// Everything here is touched on the service thread of ``loop`` only, which is why it may be `@unchecked Sendable`:
/// other threads pass it along in commands and do not look inside. The loop owns it until the connection is closed;
/// libwebsockets holds an unretained pointer, cleared at the same moment.
final class Transport: @unchecked Sendable {
    /// How much is written in one go: what two thirds of a freshly grown socket buffer take without a rest.
    private static let writeSize = 32 << 10

    unowned let loop: ServiceLoop
    /// The peer's numeric address.
    let remoteAddress: String
    /// Who is told what happens; swapped when a connection becomes a WebSocket.
    var handler: (any TransportHandler)?

    private let tls: TLSClient?
    private var wsi: OpaquePointer?
    private var failure: String?
    private var deadline: Duration?
    private var nextLook: Duration?
    private var output: [Data] = []
    private var firstOffset = 0
    private var isPaused = false
    private var isHeldByOutput = false
    private var closesWhenDrained = false
    private var isDropped = false
    private var hasBegun = false

    /// Bytes that wait to be written.
    private(set) var queuedBytes = 0

    init(loop: ServiceLoop, wsi: OpaquePointer?, remoteAddress: String, tls: TLSClient? = nil) {
        self.loop = loop
        self.wsi = wsi
        self.tls = tls
        self.remoteAddress = remoteAddress
    }

    /// Whether nothing can be written any more.
    var isClosed: Bool { wsi == nil || isDropped }

    /// Binds a client's connection to the `struct lws` that libwebsockets made for it.
    func attach(_ wsi: OpaquePointer) { self.wsi = wsi }

    /// Queues bytes behind those that wait already.
    func write(_ data: Data) {
        guard !isClosed, !data.isEmpty else { return }
        guard let tls else { return enqueue(data) }
        secure { () throws(TLSClient.Failure) in try tls.write(data) }
    }

    private func enqueue(_ data: Data) {
        guard !data.isEmpty else { return }
        output.append(data)
        queuedBytes += data.count
        lws_callback_on_writable(wsi)
    }

    /// Closes the connection at once; what waits to be written is lost.
    func drop() {
        guard !isClosed, let wsi else { return }
        isDropped = true
        lws_set_timeout(wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, porchlight_lws_kill_async)
    }

    /// Ends the sending side once everything is written. The peer's bytes still come until it closes as well: closing
    /// outright while some are unread makes the kernel reset the connection, and the peer may lose the last answer.
    func finishSending() {
        guard !isClosed else { return }
        closesWhenDrained = true
        if queuedBytes == 0, !isHeldByOutput { endSending() }
    }

    /// Calls ``TransportHandler/transportTimerFired()`` once, instead of at any moment asked for before; nil for never.
    func wake(after delay: Duration?) {
        guard !isClosed else { return }
        deadline = delay.map { loop.now + max($0, .zero) }
        schedule()
    }

    /// Has the loop look at this connection at its deadline. A look that is due earlier serves as well, so deadlines that
    /// are only put off, which most are, cost nothing.
    private func schedule() {
        guard let deadline, nextLook.map({ deadline < $0 }) ?? true else { return }
        nextLook = deadline
        loop.look(at: self, at: deadline)
    }

    /// Stops reading, so that the peer is slowed by TCP, or goes on.
    func pauseReading(_ pause: Bool) {
        guard pause != isPaused else { return }
        isPaused = pause
        applyFlowControl()
    }

    private func applyFlowControl() {
        guard !isClosed else { return }
        lws_rx_flow_control(wsi, isPaused || isHeldByOutput ? 0 : 1)
    }

    private func endSending() {
        shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR))
    }

    // MARK: From the loop

    /// Writes the next piece: one `lws_write` for each turn, as libwebsockets wants it.
    /// - Returns: Whether the connection lives.
    func writable(scratch: UnsafeMutableRawBufferPointer) -> Bool {
        guard !isClosed else { return !isDropped }
        if isHeldByOutput {
            isHeldByOutput = false
            applyFlowControl()
        }
        guard queuedBytes > 0 else {
            if closesWhenDrained { endSending() }
            return true
        }
        let room = UnsafeMutableRawBufferPointer(rebasing: scratch[porchlight_lws_pre...])
        let count = fill(room)
        let result = lws_write(
            wsi, room.baseAddress?.assumingMemoryBound(to: UInt8.self), count, porchlight_lws_write_raw)
        guard result >= 0 else { return false }
        queuedBytes -= count
        if lws_partial_buffered(wsi) != 0 {
            // libwebsockets keeps the rest and reads nothing until it is gone, but leaves POLLIN on: a peer that sends
            // and does not read would keep this thread spinning.
            isHeldByOutput = true
            applyFlowControl()
        }
        if queuedBytes > 0 || isHeldByOutput {
            lws_callback_on_writable(wsi)
        } else if closesWhenDrained {
            endSending()
        }
        handler?.transportWrote()
        return !isDropped
    }

    private func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        var used = 0
        while used < output.count, count < min(room.count, Self.writeSize) {
            let left = output[used].count - firstOffset
            let taken = min(left, min(room.count, Self.writeSize) - count)
            output[used].withUnsafeBytes { bytes in
                let piece = UnsafeRawBufferPointer(rebasing: bytes[firstOffset..<(firstOffset + taken)])
                UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: piece)
            }
            count += taken
            if taken < left {
                firstOffset += taken
            } else {
                used += 1
                firstOffset = 0
            }
        }
        output.removeFirst(used)
        return count
    }

    /// - Returns: Whether the connection lives.
    func received(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !isClosed else { return !isDropped }
        endLibraryTimeout()
        if let tls {
            tls.feed(bytes)
            secure { () throws(TLSClient.Failure) in try readSecure(tls) }
        } else {
            handler?.transportReceived(bytes)
        }
        return !isDropped
    }

    /// The loop looks, as it was asked to.
    func look(at moment: Duration, now: Duration) {
        if nextLook == moment { nextLook = nil }
        guard !isClosed, let deadline else { return }
        guard deadline <= now else { return schedule() }
        self.deadline = nil
        handler?.transportTimerFired()
    }

    /// - Returns: Whether the connection lives.
    func opened() -> Bool {
        guard !isClosed else { return !isDropped }
        endLibraryTimeout()
        if let tls {
            secure { () throws(TLSClient.Failure) in try tls.shakeHands() }
        } else {
            handler?.transportOpened()
        }
        return !isDropped
    }

    /// Runs a step of TLS, and sends what it has to say, an alert included.
    private func secure(_ step: () throws(TLSClient.Failure) -> Void) {
        do throws(TLSClient.Failure) {
            try step()
        } catch {
            failure = failure ?? error.reason
        }
        guard !isClosed, let tls else { return }
        enqueue(tls.takeOutput())
        if failure != nil { finishSending() }
    }

    private func readSecure(_ tls: TLSClient) throws(TLSClient.Failure) {
        if !tls.isUp {
            try tls.shakeHands()
            guard tls.isUp else { return }
            handler?.transportOpened()
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { buffer.deallocate() }
        while !isClosed {
            guard let count = try tls.read(into: buffer) else { return drop() }
            guard count > 0 else { return }
            handler?.transportReceived(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// libwebsockets bounds connecting and TLS, and forgets to say that they are over: after 20 s it would close.
    private func endLibraryTimeout() {
        guard !hasBegun else { return }
        hasBegun = true
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
    }

    /// The `struct lws` is about to be freed.
    func closed(reason: String) {
        wsi = nil
        output = []
        queuedBytes = 0
        let last = handler
        handler = nil
        last?.transportClosed(reason: failure ?? reason)
    }
}
