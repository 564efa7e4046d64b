import Basics
import Foundation
import Testing

/// A TCP server on loopback that says, byte by byte, what a test tells it to. Each connection is on a thread of its own,
/// where blocking calls are in place.
final class RawServer: Sendable {
    let port: Int
    private let descriptor: Int32
    private let accepted = Locked(0)

    /// How many connections there have been.
    var connections: Int { accepted.withLock { $0 } }

    func url(_ path: String = "/", scheme: String = "http") throws -> URL {
        try #require(URL(string: "\(scheme)://127.0.0.1:\(port)\(path)"))
    }

    init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 400) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        try #require(isListening)
        let accepted = accepted
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                accepted.withLock { $0 += 1 }
                Thread.detachNewThread { script(Connection(connection)) }
            }
            close(descriptor)
        }
    }

    // It wakes the thread in `accept`, which closes.
    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// One client. It is closed when the script ends.
    final class Connection {
        private let descriptor: Int32

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
            var limit = timeval(tv_sec: 30, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// Sends all of it.
        /// - Returns: False when the client is gone.
        @discardableResult
        func send(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// A request's head up to its empty line; nil at the end.
        func head() -> String? {
            var bytes: [UInt8] = []
            while bytes.suffix(4) != [13, 10, 13, 10] {
                guard let byte = read(1).first else { return nil }
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// So many bytes; fewer at the end.
        func read(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let more = bytes[filled...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
                guard more > 0 else { break }
                filled += more
            }
            return Array(bytes.prefix(filled))
        }

        /// Reads until the client closes.
        /// - Returns: Whether it did.
        func sawTheEnd() -> Bool {
            var byte: UInt8 = 0
            var count = 1
            while count > 0 { count = recv(descriptor, &byte, 1, 0) }
            return count == 0 || errno == ECONNRESET
        }
    }
}

/// What a thread of a server reports to a test.
final class Report<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func callAsFunction(_ value: Value) { continuation.yield(value) }

    /// The next report. One test waits at a time.
    func next() async throws -> Value {
        for await value in stream { return value }
        throw CancellationError()
    }
}

extension RawServer {
    /// Answers each connection's first request with these bytes and closes.
    convenience init(answering bytes: String) throws {
        try self.init { connection in
            guard connection.head() != nil else { return }
            connection.send(bytes)
        }
    }

    /// Answers every request of a connection with 200 and five bytes.
    static func patient() throws -> RawServer {
        try RawServer { connection in
            while connection.head() != nil {
                guard connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") else { return }
            }
        }
    }

    /// Takes a request, reports it, never answers, and reports whether the client closed.
    static func silent(_ asked: Report<Void>, _ ended: Report<Bool>) throws -> RawServer {
        try RawServer { connection in
            guard connection.head() != nil else { return }
            asked(())
            ended(connection.sawTheEnd())
        }
    }
}
