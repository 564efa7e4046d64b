import Basics
import CryptoKit
import Foundation
import Wire

/// Speaks with one camera on its socket: hello, challenge, proof, and then answers until it ends.
struct CameraSocketService: Sendable {
    let store: any Store
    let cameras: CameraHub
    let time: ServerTime
    let clock: any Clock<Duration>
    let credentials: CredentialSource

    /// How long a caller may take to prove itself.
    static let handshakeLimit: Duration = .seconds(10)

    private static let log = Log("cloud.cameras")

    /// Runs until the connection ends. `messages` are the camera's, one JSON text each.
    func serve(
        _ link: some CameraLink, messages: some AsyncSequence<String, any Error> & Sendable
    ) async {
        let tooSlow = Task { [clock] in
            try await clock.sleep(for: Self.handshakeLimit)
            link.close(.slowHandshake)
        }
        defer { tooSlow.cancel() }
        var incoming = messages.makeAsyncIterator()
        var attachment: CameraHub.Attachment?
        do {
            let device = try await handshake(link) { () async throws in try await incoming.next() }
            tooSlow.cancel()
            let attached = await cameras.connect(device, by: link)
            attachment = attached
            // In this order: whoever reads that a camera is paired may ask it for a live view at once.
            try await store.markConnected(device, at: time.now)
            await cameras.welcome(attached)
            while let text = try await incoming.next() {
                try await cameras.receive(try Self.decode(text), from: attached)
            }
        } catch let error as APIError {
            Self.log.warning("a camera is refused: \(error)")
            _ = link.send(.refused(error))
            link.close(.refused)
        } catch let error as StoreError {
            Self.log.error("a camera cannot be let in: \(error)")
            _ = link.send(.refused(Refusal(error).error))
            link.close(.refused)
        } catch {
            Self.log.info("a camera's connection ended: \(error)")
        }
        if let attachment { await cameras.disconnect(attachment) }
    }

    /// The connection ended before the camera had proved itself.
    private struct Gone: Error, CustomStringConvertible {
        var description: String { "it left during the handshake" }
    }

    private func handshake(
        _ link: some CameraLink, next: () async throws -> String?
    ) async throws -> DeviceID {
        guard let first = try await next() else { throw Gone() }
        guard case .hello(let device, let version) = try Self.decode(first) else {
            throw APIError(code: .badField, message: "The first message must be hello.", field: "type")
        }
        guard version == CameraSocketMessage.version else {
            throw APIError(
                code: .badField, message: "This server speaks version \(CameraSocketMessage.version) of the protocol.",
                field: "version")
        }
        guard let known = try await store.device(device), let raw = Data(base64Encoded: known.publicKey),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else {
            throw APIError(code: .notFound, message: "This camera is in no space. Pair it.", field: "deviceId")
        }
        let nonce = credentials.nonce()
        guard link.send(.challenge(nonce: nonce)), let second = try await next() else { throw Gone() }
        guard case .proof(let signature) = try Self.decode(second) else {
            throw APIError(code: .badField, message: "The challenge must be answered with proof.", field: "type")
        }
        guard key.isValidSignature(signature, for: CameraSocketMessage.signedBytes(deviceId: device, nonce: nonce))
        else {
            throw APIError(
                code: .badSignature, message: "The proof does not verify with the key that the camera registered.",
                field: "signature")
        }
        return device
    }

    private static func decode(_ text: String) throws(APIError) -> CameraSocketMessage {
        do {
            return try RequestBody.decode(CameraSocketMessage.self, from: Data(text.utf8))
        } catch {
            throw error.error
        }
    }
}
