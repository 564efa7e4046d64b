import CWebSockets
import Foundation

/// The opening handshake of RFC 6455 section 4, without I/O.
enum WebSocketHandshake {
    /// What a server does with a request.
    enum Decision {
        /// It does not ask for a WebSocket (an upgrade to anything else, such as `h2c`, is ignored: RFC 9110 section 7.8).
        case plain
        /// It asks in a way that must be refused.
        case refuse(HTTPResponse)
        /// It may be accepted with this `Sec-WebSocket-Accept`.
        case accept(String)
    }

    /// Judges a request.
    static func judge(_ request: HTTPRequest) -> Decision {
        let headers = request.headers
        guard headers.contains("websocket", in: "Upgrade") else { return .plain }
        guard request.method == "GET", request.body.isEmpty, headers.contains("upgrade", in: "Connection") else {
            return .refuse(.failure(400, code: "badUpgrade", message: "a WebSocket begins with a GET that upgrades"))
        }
        guard headers.values("Sec-WebSocket-Version") == ["13"] else {
            var response = HTTPResponse.failure(
                426, code: "upgradeRequired", message: "only version 13 of the WebSocket protocol is spoken")
            response.headers["Sec-WebSocket-Version"] = "13"
            response.headers["Upgrade"] = "websocket"
            return .refuse(response)
        }
        let keys = headers.values("Sec-WebSocket-Key")
        guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else {
            return .refuse(.failure(400, code: "badUpgrade", message: "Sec-WebSocket-Key is not 16 bytes in base64"))
        }
        return .accept(accept(for: keys[0]))
    }

    /// The value that proves that the server speaks WebSocket.
    static func accept(for key: String) -> String {
        let input = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        lws_SHA1(input, input.count, &digest)
        return Data(digest).base64EncodedString()
    }

    /// A fresh key for a client.
    static func makeKey() -> String {
        Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    /// The client's request. A caller's fields cannot override those of the protocol.
    static func request(target: String, host: String, key: String, headers: HTTPFields) -> Data {
        let own = [
            "host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "content-length",
            "transfer-encoding", "sec-websocket-extensions",
        ]
        var text = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n"
        for field in headers.fields where !own.contains(field.name.lowercased()) {
            let value = field.value.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : Character($0) }
            text += "\(field.name): \(String(value))\r\n"
        }
        return Data((text + "\r\n").utf8)
    }

    /// What the server answered.
    enum Answer: Equatable {
        case incomplete
        case accepted(rest: [UInt8])
        case refused(status: Int)
        case malformed(String)
    }

    /// Reads the server's answer from all the bytes so far.
    static func answer(_ bytes: [UInt8], key: String) -> Answer {
        guard
            let end = bytes.indices.dropLast(3).first(where: { bytes[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) })
        else { return bytes.count > 16 << 10 ? .malformed("the answer's header is too long") : .incomplete }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let status = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard status.count >= 2, status[0].hasPrefix("HTTP/1."), let code = Int(status[1]) else {
            return .malformed("the answer is not HTTP")
        }
        guard code == 101 else { return .refused(status: code) }
        var headers = HTTPFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers.add(String(line[..<colon]), String(line[line.index(after: colon)...].trimmed()))
        }
        guard headers.contains("websocket", in: "Upgrade"), headers.contains("upgrade", in: "Connection"),
            headers["Sec-WebSocket-Accept"] == accept(for: key)
        else { return .malformed("the server does not speak WebSocket") }
        guard headers["Sec-WebSocket-Extensions"] == nil else {
            return .malformed("the server uses an extension that was not asked for")
        }
        return .accepted(rest: Array(bytes[(end + 4)...]))
    }
}
