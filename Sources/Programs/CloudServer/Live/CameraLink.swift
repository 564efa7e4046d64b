import Foundation
import WebSockets
import Wire

/// The way to one connected camera.
protocol CameraLink: Sendable {
    /// Queues a message; false when the connection has ended.
    func send(_ message: CloudSocketMessage) -> Bool
    /// Ends the connection, with a reason for the camera's log.
    func close(_ reason: CameraCloseReason)
}

/// Why the cloud ends a camera's connection, with the WebSocket close code that says so.
enum CameraCloseReason: Sendable, Hashable {
    /// It said something that the protocol does not have, or was not let in.
    case refused
    /// It connected again, and the newer connection counts.
    case replaced
    /// It did not prove itself in time.
    case slowHandshake
    /// It is to connect again: it has just registered.
    case reconnect
    /// The server stops.
    case goingAway

    /// RFC 6455 section 7.4; 4000 and up are the protocol's own.
    var code: Int {
        switch self {
        case .refused: 1008
        case .goingAway: 1001
        case .replaced: 4001
        case .slowHandshake: 4002
        case .reconnect: 4003
        }
    }

    var text: String {
        switch self {
        case .refused: "refused"
        case .goingAway: "the server stops"
        case .replaced: "a newer connection of this camera"
        case .slowHandshake: "no proof in time"
        case .reconnect: "connect again"
        }
    }
}

/// A camera on its WebSocket.
struct WebSocketCameraLink: CameraLink {
    let socket: WebSocket

    func send(_ message: CloudSocketMessage) -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try socket.send(.text(String(decoding: try encoder.encode(message), as: UTF8.self)))
            return true
        } catch {
            // Closed or too slow; either way its messages end, and whoever reads them cleans up.
            return false
        }
    }

    func close(_ reason: CameraCloseReason) { socket.close(code: reason.code, reason: reason.text) }
}
