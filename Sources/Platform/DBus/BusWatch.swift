import CSystemd
import Dispatch
import Glibc

/// Tells a connection when sd-bus has something to do: its descriptor is readable, writable while something waits to be
/// sent, or a call's time is up.
///
/// Used on the connection's queue only, but for ``start(_:)`` and a last ``stop()``. The poller and the sources hold the
/// handle until they have ended for good, so that the descriptor is not closed, and given to somebody else, under them.
final class BusWatch {
    let handle: BusHandle
    private let queue: DispatchQueue
    private var reader: BusPoller?
    private var writer: (any DispatchSourceWrite)?
    private var timer: (any DispatchSourceTimer)?
    /// When the timer fires, in microseconds of the monotonic clock. It is moved forwards only: calls come and are answered
    /// much more often than their 25 s run out, and a timer that fires too early costs nothing.
    private var deadline = UInt64.max
    private var onReady: (@Sendable () -> Void)?

    init(_ handle: BusHandle, _ queue: DispatchQueue) {
        self.handle = handle
        self.queue = queue
    }

    /// Watches from now on; `onReady` is called on the queue, maybe before this returns.
    func start(_ onReady: @escaping @Sendable () -> Void) {
        self.onReady = onReady
        let timer = DispatchSource.makeTimerSource(queue: queue)
        self.timer = timer
        timer.setEventHandler { [weak self] in
            self?.deadline = .max
            onReady()
        }
        let reader = BusPoller(sd_bus_get_fd(handle.bus), owner: handle, queue, onReady)
        self.reader = reader
        rearm()
        // From here on the queue may use all of this.
        timer.activate()
        reader.start()
    }

    /// Asks sd-bus anew what it waits for. To be called after everything that may have changed it.
    func rearm() {
        let events = sd_bus_get_events(handle.bus)
        let wantsToWrite = events >= 0 && events & POLLOUT != 0
        if wantsToWrite, writer == nil {
            let writer = DispatchSource.makeWriteSource(fileDescriptor: sd_bus_get_fd(handle.bus), queue: queue)
            writer.setEventHandler(handler: onReady)
            writer.setCancelHandler { [handle] in withExtendedLifetime(handle) {} }
            self.writer = writer
            writer.activate()
        } else if !wantsToWrite, let writer {
            self.writer = nil
            writer.cancel()
        }
        var next = UInt64.max
        guard sd_bus_get_timeout(handle.bus, &next) >= 0, next < deadline else { return }
        deadline = next
        timer?.schedule(
            deadline: DispatchTime(uptimeNanoseconds: max(1, next.multipliedReportingOverflow(by: 1000).partialValue)))
    }

    /// Watches no more.
    func stop() {
        reader?.stop()
        writer?.cancel()
        timer?.cancel()
        reader = nil
        writer = nil
        timer = nil
        onReady = nil
    }
}
