import Combine
import Foundation
import Porchlight
import Wire

/// What a person has said before, and who is asked for the rest.
struct PairingAnswers: Sendable {
    /// Nil for the nearest, or for the one that is chosen from the list.
    var camera: CameraChoice?
    /// Nil for the one that is chosen from the list.
    var ssid: String?
    /// Whether ``ssid`` hides its name, so that it is in no list.
    var isHidden = false
    var password: PasswordSource
    /// The code that is printed on the camera.
    var setupCode: SetupCode?
    /// Whether nothing may be said unprotected.
    var isProtected = false
    /// Nil where nobody is asked.
    var dialogue: Dialogue?

    /// Whether a camera is chosen from the list of those that are heard.
    var asksForCamera: Bool { camera == nil && dialogue != nil }

    /// Whether a network is chosen from the list of those that the camera hears.
    var asksForNetwork: Bool { ssid == nil && dialogue != nil }

    /// The camera to pair: asked for where none is named.
    /// - Parameter heard: One that fits.
    func camera(_ heard: BLECamera, of ble: BLEManager) async throws -> BLECamera {
        guard camera == nil, let dialogue else { return heard }
        return try await Self.answered("--camera NAME") {
            try await dialogue.ask(CameraQuestion(), from: ble.changes(of: ble.$cameraList))
        }
    }

    /// The code that is printed on the camera; nil where the person has none, or nobody is asked.
    /// - Parameter isNeeded: Whether the camera takes nobody without it.
    func setupCode(isNeeded: Bool) async throws -> SetupCode? {
        guard let dialogue else { return nil }
        return try await Self.answered("--setup-code-file FILE") {
            try await dialogue.ask(SetupCodeQuestion(isNeeded: isNeeded))
        }
    }

    /// The network to join, with its password.
    func network(_ ble: BLEManager) async throws -> JoinWish {
        var choice = ssid.map { ssid in
            let listed = ble.wifiList.first { $0.ssid == ssid }
            return NetworkQuestion.Choice(ssid: ssid, isHidden: isHidden, isOpen: listed?.isOpen ?? false)
        }
        if choice == nil, let dialogue {
            choice = try await Self.answered("--ssid NAME") {
                try await dialogue.ask(
                    NetworkQuestion(canList: !ble.wifiListUnavailable), from: ble.changes(of: ble.$wifiList))
            }
        }
        guard let choice else { throw CommandError.usage("'--ssid' is needed. See '--help'.") }
        let password = try await password(for: choice)
        return JoinWish(ssid: choice.ssid, password: password, isHidden: choice.isHidden)
    }

    private func password(for choice: NetworkQuestion.Choice) async throws -> Secret {
        if case .known(let password) = password { return password }
        guard let dialogue, !choice.isOpen else { return Secret("") }
        return try await Self.answered("--password-file FILE, or --open for a network without") {
            try await dialogue.ask(PasswordQuestion(for: choice.ssid, mayBeOpen: choice.isHidden))
        }
    }

    /// Another password for a network that has refused one; nil where nobody can give it.
    func password(insteadOf refused: JoinWish) async throws -> Secret? {
        guard let dialogue, dialogue.isPerson else { return nil }
        return try await Self.answered("--password-file FILE") {
            try await dialogue.ask(PasswordQuestion(for: refused.ssid, mayBeOpen: refused.isHidden))
        }
    }

    /// What is missing where the input ends before it has answered.
    private static func answered<Answer: Sendable>(
        _ option: String, _ ask: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await ask()
        } catch let error as Dialogue.Unanswered {
            let reason = error.reason.map { "\($0) " } ?? ""
            throw CommandError.usage("\(reason)There is no answer in standard input: say \(option).")
        }
    }
}

extension BLEManager {
    /// A property's value now and whenever it changes; ends with the failure of the manager.
    func changes<Value: Sendable>(of property: Published<Value>.Publisher) -> AsyncThrowingStream<Value, any Error> {
        let (stream, feed) = AsyncThrowingStream.makeStream(of: Value.self)
        let watch = Task {
            for await (value, failure) in property.combineLatest($failure).values {
                if let failure { return feed.finish(throwing: failure) }
                feed.yield(value)
            }
        }
        feed.onTermination = { _ in watch.cancel() }
        return stream
    }
}
