import Foundation
import TestSupport

/// A plain TCP client, to send bytes that no well-behaved library would. Blocking calls happen on threads of their own.
final class RawClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    static func connect(_ port: Int, host: String = "127.0.0.1") async throws -> RawClient {
        try await onThread {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, String(port), &hints, &list) == 0, let entry = list else {
                throw Failure(description: "no address for \(host)")
            }
            defer { freeaddrinfo(list) }
            let descriptor = socket(entry.pointee.ai_family, entry.pointee.ai_socktype, 0)
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            guard Glibc.connect(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 else {
                throw Failure(description: "connect: \(String(cString: strerror(errno)))")
            }
            return RawClient(descriptor)
        }
    }

    /// Sends all of it; an error is returned as false, as the peer may have closed by right.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) async throws -> Bool {
        let bytes = Array(bytes)
        return try await Self.onThread { [descriptor] in
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
    }

    @discardableResult
    func send(_ text: String) async throws -> Bool { try await send(Array(text.utf8)) }

    /// At least one byte, or none at the end of the stream.
    func receive() async throws -> [UInt8] {
        try await Self.onThread { [descriptor] in
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else {
                if errno == ECONNRESET { return [] }
                throw Failure(description: "receive: \(String(cString: strerror(errno)))")
            }
            return Array(buffer.prefix(count))
        }
    }

    /// A header up to its empty line, and the bytes that came behind it.
    func receiveHead() async throws -> (text: String, rest: [UInt8]) {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.indices.dropLast(3).first(where: { bytes[$0..<($0 + 4)] == [13, 10, 13, 10] }) {
                return (String(decoding: bytes[..<(end + 4)], as: UTF8.self), Array(bytes[(end + 4)...]))
            }
            let more = try await receive()
            guard !more.isEmpty else { throw Failure(description: "closed inside the header") }
            bytes += more
        }
    }

    /// Exactly so many bytes.
    func receive(count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try await receive()
            guard !more.isEmpty else { throw Failure(description: "closed after \(bytes.count) of \(count) bytes") }
            bytes += more
        }
        guard bytes.count == count else { throw Failure(description: "\(bytes.count) bytes instead of \(count)") }
        return bytes
    }

    /// Everything up to and with a text.
    func receive(until end: String) async throws -> String {
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains(end) { return text }
            let more = try await receive()
            guard !more.isEmpty else { throw Failure(description: "closed after: \(text)") }
            bytes += more
        }
    }

    /// Everything until the server closes.
    func receiveToEnd() async throws -> String {
        var bytes: [UInt8] = []
        while true {
            let more = try await receive()
            guard !more.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
            bytes += more
        }
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

/// Runs a program and gives its output.
func run(_ program: String, _ arguments: String...) async throws -> String {
    let arguments = arguments
    return try await RawClient.onThread {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
