import Wire

/// What an app asks of a camera's protection.
struct PairingWishes: Sendable {
    /// No layout but the protected one is good enough.
    var requiresProtection = false
    /// As printed on the camera.
    var setupCode: SetupCode?

    init() {}

    /// A code is of use on the protected layout alone.
    init(requiresProtection: Bool, code: Secret?) throws(WireError) {
        self.requiresProtection = requiresProtection || code != nil
        if let code { setupCode = try SetupCode(code) }
    }
}
