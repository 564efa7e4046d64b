import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

/// A camera on a real WebSocket.
struct SocketCamera: Sendable {
    let device: TestDevice
    let socket: WebSocket

    /// Connects, and proves itself.
    static func connect(_ device: TestDevice, port: Int) async throws -> SocketCamera {
        let url = try #require(URL(string: "ws://127.0.0.1:\(port)\(CloudRoute.cameraSocket)"))
        let camera = SocketCamera(device: device, socket: try await WebSocket.connect(to: url))
        try camera.say(.hello(deviceId: device.id, version: CameraSocketMessage.version))
        guard case .challenge(let nonce) = try await camera.hear() else { throw Unexpected() }
        try camera.say(try device.proof(nonce))
        guard case .welcome = try await camera.hear() else { throw Unexpected() }
        return camera
    }

    struct Unexpected: Error {}

    func say(_ message: CameraSocketMessage) throws {
        try socket.send(.text(String(decoding: try JSONEncoder().encode(message), as: UTF8.self)))
    }

    /// The next thing the cloud says.
    func hear() async throws -> CloudSocketMessage {
        let socket = socket
        return try await within(.seconds(20), "a message from the cloud") {
            var iterator = socket.messages.makeAsyncIterator()
            guard case .text(let text) = try await iterator.next() else { throw Unexpected() }
            return try JSONDecoder().decode(CloudSocketMessage.self, from: Data(text.utf8))
        }
    }

    /// Waits until the connection has ended.
    func ended() async throws {
        let socket = socket
        try await within(.seconds(20), "the connection's end") {
            do { for try await _ in socket.messages {} } catch is WebSocketsError {}
        }
    }
}
