import CWebSockets

/// One timer of libwebsockets. Touched on the service thread only; never freed, as its loop never ends.
final class LibraryTimer {
    /// What libwebsockets' timer is, and whose.
    private struct Storage {
        var entry = lws_sorted_usec_list_t()
        var owner: UnsafeMutableRawPointer?
    }

    /// Called on the service thread.
    var onFire: () -> Void = {}
    private let storage = UnsafeMutablePointer<Storage>.allocate(capacity: 1)

    init() {
        storage.initialize(to: Storage())
        storage.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    }

    /// Fires once after a while, instead of when it would have.
    func set(_ context: OpaquePointer, after delay: Duration) {
        let (seconds, attoseconds) = max(delay, .zero).components
        // Rounded up: a timer that fires too early would have to be set again at once.
        let microseconds = lws_usec_t(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) + 1
        let entry = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: lws_sorted_usec_list_t.self)
        lws_sul_schedule(context, 0, entry, fired, microseconds)
    }

    private let fired: sul_cb_t = { entry in
        // The entry is the first field of its storage.
        guard let entry, let owner = UnsafeMutableRawPointer(entry).assumingMemoryBound(to: Storage.self).pointee.owner
        else { return }
        Unmanaged<LibraryTimer>.fromOpaque(owner).takeUnretainedValue().onFire()
    }
}
