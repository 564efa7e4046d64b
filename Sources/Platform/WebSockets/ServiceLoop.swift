import Basics
import CWebSockets
import Foundation
import Glibc

/// A thread that serves one libwebsockets context: a server's, or the one that all client sockets share.
///
/// libwebsockets is not thread-safe: only `lws_cancel_service` may be called from elsewhere. So everything of the
/// context, and all that hangs on it (``Transport`` and its handlers), is touched on this thread only; others hand
/// commands over with ``perform(_:)``. What is shared lies in one `Locked`. `@unchecked Sendable` for the first part.
///
/// Why the raw role and not libwebsockets' own HTTP: measured with version 4.1.6, its HTTP server keeps the thread
/// spinning while an answer is being worked out and the client has closed or sent its next request, does not notice
/// that the client has gone, announces the body of a pipelined request again and again, hands chunked bodies out with
/// their framing, turns `+` in a path into a blank, answers unknown methods with an HTML page, and cannot list the
/// headers that came. Here it carries bytes over TCP and TLS; HTTP and WebSocket framing are values of our own. With
/// that, no HTTP/2 can be negotiated or upgraded to, whatever the client asks for.
///
/// Why a loop never ends: destroying a context that runs on libuv closes its wake-up descriptor twice (4.1.6), the second
/// time when it may be some other thread's file. So a server's loop is kept, empty and asleep, for the next server.
final class ServiceLoop: @unchecked Sendable {
    typealias Command = @Sendable () -> Void

    /// Which event loop libwebsockets runs on.
    enum Engine: Sendable {
        /// libuv where its plug-in is installed: its cost does not grow with idle sockets.
        case libuv
        /// `poll`, always there.
        case poll
    }

    private enum Phase { case created, starting, running, failed }

    /// The context, for `lws_cancel_service` from any thread: the one call that libwebsockets allows.
    private struct Waker: @unchecked Sendable {
        var context: OpaquePointer
    }

    private struct Shared {
        var phase = Phase.created
        var waker: Waker?
        var commands: [Command] = []
        var starters: [CheckedContinuation<Bool, Never>] = []
    }

    private static let idle = Locked([ServiceLoop]())

    private let engine: Engine
    private let shared = Locked(Shared())
    private let settings: LibrarySettings

    // Of the service thread:
    private var context: OpaquePointer?
    private var uv: UnsafeMutablePointer<uv_loop_t>?
    private var base: OpaquePointer?
    private var virtualHosts: [[FileVersion]: OpaquePointer] = [:]
    private var systemAuthorities: TLSClient.Authorities?
    private var authorities: [String: (version: FileVersion, loaded: TLSClient.Authorities)] = [:]
    private var transports: [ObjectIdentifier: Transport] = [:]
    private var deadlines = DeadlineQueue<ObjectIdentifier>()
    private let beginning = ContinuousClock.now
    private let timer: LibraryTimer
    private var listener: Listener?
    private var emptyWaiters: [CheckedContinuation<Void, Never>] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ engine: Engine) {
        self.engine = engine
        settings = LibrarySettings(callback: serviceCallback)
        timer = LibraryTimer()
        timer.onFire = { [unowned self] in lookAtDueTransports() }
    }

    // MARK: From any thread

    /// A loop for a server: one that a stopped server has left, or a new one.
    static func borrow(_ engine: Engine) -> ServiceLoop {
        let left = idle.withLock { idle in
            idle.firstIndex { $0.engine == engine }.map { idle.remove(at: $0) }
        }
        return left ?? ServiceLoop(engine)
    }

    /// Leaves the loop to the next server. It must be empty.
    func giveBack() { Self.idle.withLock { $0.append(self) } }

    /// Starts the thread, if it has not been started, and waits until it serves.
    /// - Returns: Whether it does.
    func start() async -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            enum Next { case wait, launch, done(Bool) }
            let next: Next = shared.withLock { shared in
                switch shared.phase {
                case .running: return .done(true)
                case .failed: return .done(false)
                case .created, .starting:
                    shared.starters.append(continuation)
                    defer { shared.phase = .starting }
                    return shared.phase == .created ? .launch : .wait
                }
            }
            switch next {
            case .wait: break
            case .launch: launch()
            case .done(let runs): continuation.resume(returning: runs)
            }
        }
    }

    /// Runs `command` on the service thread, in the order of the calls.
    func perform(_ command: @escaping Command) {
        let waker = shared.withLock { shared -> Waker? in
            shared.commands.append(command)
            return shared.waker
        }
        if let waker { lws_cancel_service(waker.context) }
    }

    /// Opens a server's listening socket.
    /// - Returns: The real port.
    func listen(_ configuration: Listener.Configuration) async throws(WebSocketsError) -> Int {
        guard (0...65535).contains(configuration.port) else {
            throw configuration.refused("the port is not between 0 and 65535")
        }
        guard await start() else { throw configuration.refused("libwebsockets could not be set up") }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Int, WebSocketsError>, Never>) in
            // The name is looked up here, where nothing else waits yet.
            perform { [self] in continuation.resume(returning: open(configuration)) }
        }
        return try result.get()
    }

    /// Waits until nothing is open any more.
    func emptied() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            perform { [self] in
                emptyWaiters.append(continuation)
                checkEmpty()
            }
        }
    }

    // MARK: On the service thread

    /// Closes the listening socket.
    func stopListening() { listener?.close() }

    /// Drops all connections.
    func dropAll() {
        for transport in transports.values { transport.drop() }
    }

    /// Time since the loop was made.
    var now: Duration { ContinuousClock.now - beginning }

    /// Calls the transport's `look` at a moment.
    func look(at transport: Transport, at moment: Duration) {
        let isFirst = deadlines.next.map { moment < $0 } ?? true
        deadlines.add(ObjectIdentifier(transport), at: moment)
        if isFirst { armTimer() }
    }

    private func lookAtDueTransports() {
        let now = now
        while let (moment, id) = deadlines.take(dueAt: now) { transports[id]?.look(at: moment, now: now) }
        armTimer()
    }

    private func armTimer() {
        guard let context, let next = deadlines.next else { return }
        timer.set(context, after: next - now)
    }

    /// Opens a client's connection to a numeric address.
    /// - Parameter tls: What secures it, if anything does.
    /// - Returns: nil when it failed at once; the handler has been told.
    func connect(_ address: String, port: Int, tls: TLSClient?, handler: any TransportHandler) -> Transport? {
        let transport = Transport(loop: self, wsi: nil, remoteAddress: address, tls: tls)
        transport.handler = handler
        transports[ObjectIdentifier(transport)] = transport
        var info = lws_client_connect_info()
        info.context = context
        info.vhost = base
        info.port = Int32(port)
        info.opaque_user_data = Unmanaged.passUnretained(transport).toOpaque()
        info.path = settings.path
        info.method = settings.rawMethod
        info.local_protocol_name = settings.name
        // libwebsockets copies the address.
        let wsi = address.withCString { address in
            info.address = address
            info.host = address
            info.origin = address
            return lws_client_connect_via_info(&info)
        }
        guard let wsi, transports[ObjectIdentifier(transport)] != nil else {
            remove(transport, reason: "the connection failed")
            return nil
        }
        transport.attach(wsi)
        return transport
    }

    /// The authorities in a file as it is now, or the system's; nil when they cannot be used.
    func authorities(_ file: String?) -> TLSClient.Authorities? {
        guard let file else {
            systemAuthorities = systemAuthorities ?? TLSClient.Authorities(file: nil)
            return systemAuthorities
        }
        guard let version = FileVersion(file) else { return nil }
        if let known = authorities[file], known.version == version { return known.loaded }
        authorities[file] = TLSClient.Authorities(file: file).map { (version, $0) }
        return authorities[file]?.loaded
    }

    private func launch() {
        let thread = Thread { [self] in run() }
        thread.name = "websockets"
        thread.start()
    }

    private func run() {
        setUp()
        let waker = base == nil ? nil : context.map(Waker.init)
        let starters = shared.withLock { shared in
            shared.phase = waker == nil ? .failed : .running
            shared.waker = waker
            defer { shared.starters = [] }
            return shared.starters
        }
        for starter in starters { starter.resume(returning: waker != nil) }
        guard waker != nil, let context else { return }
        // Commands may have come before the context could be woken for them.
        drain()
        while true {
            if let uv { uv_run(uv, UV_RUN_DEFAULT) } else { lws_service(context, 0) }
        }
    }

    private func drain() {
        let commands = shared.withLock { shared in
            defer { shared.commands = [] }
            return shared.commands
        }
        for command in commands { command() }
    }

    private func setUp() {
        _ = LibraryLog.install
        LibrarySettings.exclusively {
            var info = settings.contextInfo(user: Unmanaged.passUnretained(self).toOpaque())
            if engine == .libuv { setUpLibuv(info) }
            if context == nil { context = lws_create_context(&info) }
            guard let context else { return }
            // Without a virtual host, `lws_cancel_service` wakes nobody.
            info.vhost_name = LibrarySettings.keep("base")
            base = lws_create_vhost(context, &info)
        }
    }

    /// A loop of our own, handed to libwebsockets: one that it makes itself takes over SIGINT and SIGTERM of the whole
    /// process. Clients stay on `poll`: they are few, and 4.1.6 leaves libuv's watcher behind when a connection attempt
    /// fails, on a descriptor that is soon another's.
    private func setUpLibuv(_ base: lws_context_creation_info) {
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        guard uv_loop_init(loop) == 0 else { return loop.deallocate() }
        var info = base
        var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(loop)]
        info.options |= porchlight_lws_libuv | porchlight_lws_no_signal_spin
        context = loops.withUnsafeMutableBufferPointer { loops in
            info.foreign_loops = loops.baseAddress
            return lws_create_context(&info)
        }
        guard context != nil else {
            LibraryLog.log.warning(
                "libwebsockets' libuv plug-in is missing (package libwebsockets-evlib-uv); using poll, which slows "
                    + "down with thousands of sockets")
            uv_loop_close(loop)
            return loop.deallocate()
        }
        uv = loop
    }

    private func open(_ configuration: Listener.Configuration) -> Result<Int, WebSocketsError> {
        guard let address = NumericAddress.resolve(configuration.host).first else {
            return .failure(.hostNotFound(host: configuration.host))
        }
        do throws(WebSocketsError) {
            let listener = try Listener(
                configuration, address: address, virtualHost: serverHost(configuration), protocolName: settings.name)
            self.listener = listener
            return .success(listener.port)
        } catch {
            return .failure(error)
        }
    }

    /// The settings of TLS belong to a virtual host. One is made for each pair of files, and again when they have changed.
    private func serverHost(_ configuration: Listener.Configuration) throws(WebSocketsError) -> OpaquePointer {
        guard let tls = configuration.tls else {
            guard let base else { throw configuration.refused("libwebsockets could not be set up") }
            return base
        }
        let key = try [tls.certificate, tls.key].map { file throws(WebSocketsError) in
            guard let version = FileVersion(file) else {
                throw configuration.refused("\(file): \(String(cString: strerror(errno)))")
            }
            return version
        }
        if let known = virtualHosts[key] { return known }
        var info = settings.contextInfo(user: Unmanaged.passUnretained(self).toOpaque())
        info.vhost_name = LibrarySettings.keep("host-\(virtualHosts.count)")
        info.port = porchlight_lws_adopts
        info.ssl_cert_filepath = LibrarySettings.keep(tls.certificate)
        info.ssl_private_key_filepath = LibrarySettings.keep(tls.key)
        guard let host = lws_create_vhost(context, &info) else {
            throw configuration.refused("the TLS certificate \(tls.certificate) and key \(tls.key) are not usable")
        }
        virtualHosts[key] = host
        return host
    }

    private func remove(_ transport: Transport, reason: String) {
        guard transports.removeValue(forKey: ObjectIdentifier(transport)) != nil else { return }
        listener?.left(transport.remoteAddress)
        transport.closed(reason: reason)
        checkEmpty()
    }

    private func checkEmpty() {
        guard transports.isEmpty, listener == nil else { return }
        let waiters = emptyWaiters
        emptyWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Callbacks

    /// What libwebsockets reports. A result other than 0 closes the connection.
    fileprivate func handle(
        _ wsi: OpaquePointer, _ reason: lws_callback_reasons, user: UnsafeMutableRawPointer?,
        input: UnsafeMutableRawPointer?, length: Int
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
            drain()
            return 0
        case LWS_CALLBACK_RAW_RX_FILE:
            acceptConnections()
            return 0
        case LWS_CALLBACK_RAW_CLOSE_FILE:
            listener = nil
            checkEmpty()
            return 0
        case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
            // Left alone, libwebsockets answers a client that names its host with the certificate of the first virtual
            // host of the context, which is that of an earlier server or of files replaced since.
            if let user { porchlight_tls_ignore_name(OpaquePointer(user)) }
            return 0
        default: break
        }
        guard let pointer = lws_get_opaque_user_data(wsi) else {
            // Only the listener has a timer and no owner.
            if reason == LWS_CALLBACK_TIMER { listener?.rested() }
            return 0
        }
        let transport = Unmanaged<Transport>.fromOpaque(pointer).takeUnretainedValue()
        var lives = true
        switch reason {
        case LWS_CALLBACK_RAW_CONNECTED:
            transport.attach(wsi)
            lives = transport.opened()
        case LWS_CALLBACK_RAW_RX: lives = transport.received(UnsafeRawBufferPointer(start: input, count: length))
        case LWS_CALLBACK_RAW_WRITEABLE: lives = transport.writable(scratch: scratch)
        case LWS_CALLBACK_RAW_CLOSE, LWS_CALLBACK_WSI_DESTROY:
            lws_set_opaque_user_data(wsi, nil)
            remove(transport, reason: "the connection was lost")
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            lws_set_opaque_user_data(wsi, nil)
            let text = input.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: length), as: UTF8.self) }
            remove(transport, reason: text.flatMap { $0.isEmpty ? nil : $0 } ?? "the connection failed")
        default: break
        }
        return lives ? 0 : -1
    }

    private func acceptConnections() {
        while let listener, let (socket, address) = listener.next() {
            var descriptor = lws_sock_file_fd_type()
            descriptor.sockfd = socket
            let type = lws_adoption_type(LWS_ADOPT_SOCKET.rawValue | LWS_ADOPT_ALLOW_SSL.rawValue)
            // It closes the socket if it fails.
            guard let wsi = lws_adopt_descriptor_vhost(listener.virtualHost, type, descriptor, settings.name, nil)
            else {
                listener.left(address)
                continue
            }
            let transport = Transport(loop: self, wsi: wsi, remoteAddress: address)
            transports[ObjectIdentifier(transport)] = transport
            lws_set_opaque_user_data(wsi, Unmanaged.passUnretained(transport).toOpaque())
            transport.handler = listener.configuration.makeHandler(transport)
        }
    }
}

/// The one callback that libwebsockets gets. The context's user pointer is the loop, which never ends.
private func serviceCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    guard let wsi, let context = lws_get_context(wsi), let owner = lws_context_user(context) else { return 0 }
    return Unmanaged<ServiceLoop>.fromOpaque(owner).takeUnretainedValue()
        .handle(wsi, reason, user: user, input: input, length: length)
}
