import Wire

@testable import CameraDevice

/// A joiner that says what a test wants.
struct ScriptedNetworks: NetworkJoiner {
    struct Deaf: Error {}

    var heard: [HeardNetwork]?
    var managesWiFi = true
    var joinsFiveGigahertz = true

    func scan() async throws -> [HeardNetwork] {
        guard let heard else { throw Deaf() }
        return heard
    }

    var summary: String { "scripted" }
    func join(_ network: NetworkCredentials) async throws(PairingFailure) { throw .internalFault }
    func keep() async {}
    func goBack() async {}
    func resume(_ network: NetworkCredentials?) async {}
    func hasAnotherWay() async -> Bool { true }
    func signalStrength() async -> Int? { nil }
}
