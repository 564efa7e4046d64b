import Basics
import CWebSockets
import Foundation
import Glibc

/// The listening socket of a server, and the limits on what it accepts.
///
/// A socket of our own that libwebsockets only watches: its own listener spins when descriptors run out, and one that is
/// opened while libuv runs accepts nothing (4.1.6). Touched on the service thread only, hence `@unchecked Sendable`.
final class Listener: @unchecked Sendable {
    /// What a server wants.
    struct Configuration: Sendable {
        var host: String
        var port: Int
        var tls: TLSFiles?
        var maximumConnectionsPerAddress: Int
        /// Makes the owner of a connection, on the service thread.
        var makeHandler: @Sendable (Transport) -> any TransportHandler
    }

    /// How long accepting rests when descriptors are short.
    private static let rest = lws_usec_t(250_000)

    let configuration: Configuration
    /// The virtual host that accepted connections belong to; it carries the TLS settings.
    let virtualHost: OpaquePointer
    /// The real port.
    let port: Int
    private let wsi: OpaquePointer
    private var perAddress: [String: Int] = [:]
    private var isResting = false

    /// Opens the socket and has it watched.
    init(
        _ configuration: Configuration, address: String, virtualHost: OpaquePointer,
        protocolName: UnsafePointer<CChar>
    ) throws(WebSocketsError) {
        self.configuration = configuration
        self.virtualHost = virtualHost
        let opened: (descriptor: Int32, port: Int)
        do {
            opened = try NumericAddress.listen(address, port: configuration.port).get()
        } catch  where error.code == EADDRINUSE {
            throw .portInUse(host: configuration.host, port: configuration.port)
        } catch {
            throw configuration.refused(String(cString: strerror(error.code)))
        }
        var descriptor = lws_sock_file_fd_type()
        descriptor.filefd = opened.descriptor
        guard let wsi = lws_adopt_descriptor_vhost(virtualHost, LWS_ADOPT_RAW_FILE_DESC, descriptor, protocolName, nil)
        else {
            Glibc.close(opened.descriptor)
            throw configuration.refused("libwebsockets does not watch the socket")
        }
        self.wsi = wsi
        port = opened.port
    }

    /// Closes the socket, in the loop's next turn.
    func close() { lws_set_timeout(wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, porchlight_lws_kill_async) }

    /// The next connection that may stay; nil when none waits. Others are closed before anything is read from them.
    func next() -> (descriptor: Int32, address: String)? {
        while !isResting {
            switch NumericAddress.accept(lws_get_socket_fd(wsi)) {
            case .failure(let error):
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.code) { restAWhile() }
                // Errors of the connection itself (ECONNABORTED and its like) are its own affair.
                if [EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM, EBADF, EINVAL].contains(error.code) { return nil }
            case .success(let connection):
                if Int(connection.descriptor) >= DescriptorLimit.usable {
                    Glibc.close(connection.descriptor)
                    restAWhile()
                    return nil
                }
                guard perAddress[connection.address, default: 0] < configuration.maximumConnectionsPerAddress else {
                    LibraryLog.log.debug("a connection was turned away: \(connection.address) has too many")
                    Glibc.close(connection.descriptor)
                    continue
                }
                perAddress[connection.address, default: 0] += 1
                return connection
            }
        }
        return nil
    }

    /// A connection from here is gone.
    func left(_ address: String) {
        let count = (perAddress[address] ?? 1) - 1
        perAddress[address] = count > 0 ? count : nil
    }

    /// Accepting may go on.
    func rested() {
        isResting = false
        lws_rx_flow_control(wsi, 1)
    }

    private func restAWhile() {
        LibraryLog.log.warning("descriptors are nearly exhausted; new connections wait (raise the limit: ulimit -n)")
        isResting = true
        lws_rx_flow_control(wsi, 0)
        lws_set_timer_usecs(wsi, Self.rest)
    }
}

extension Listener.Configuration {
    /// The error that listening failed with.
    func refused(_ reason: String) -> WebSocketsError { .cannotListen(host: host, port: port, reason: reason) }
}
