import Foundation
import WebSockets

extension HTTPServer.Configuration {
    /// The defaults but for what a test is about.
    init(
        host: String = "127.0.0.1", port: Int = 0, tls: TLSFiles? = nil, maximumBodyBytes: Int = 1 << 20,
        maximumMessageBytes: Int = 1 << 20, maximumQueuedBytes: Int = 4 << 20, headerTimeout: Duration = .seconds(20),
        bodyTimeout: Duration = .seconds(20), idleTimeout: Duration = .seconds(60), keepAlive: Duration = .seconds(55),
        maximumConnectionsPerAddress: Int = 4096
    ) {
        self.init()
        self.host = host
        self.port = port
        self.tls = tls
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumQueuedBytes = maximumQueuedBytes
        self.headerTimeout = headerTimeout
        self.bodyTimeout = bodyTimeout
        self.idleTimeout = idleTimeout
        self.keepAlive = keepAlive
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
    }
}
