import Foundation
import TestSupport
import Wire

@testable import CameraDevice

/// Values that many tests need.
enum Samples {
    static let sessionKey = "session-key-0123456789"

    static func credentials(
        ssid: String = "Porchlight Demo", password: String = "porchlight", sessionKey: String = sessionKey,
        security: WiFiSecurity? = nil, environment: ServerEnvironment = .production
    ) throws -> PairingCredentials {
        try PairingCredentials(
            ssid: Data(ssid.utf8), security: security, password: Secret(password), sessionKey: Secret(sessionKey),
            region: .us, environment: environment)
    }

    static func network(
        ssid: String = "Porchlight Demo", password: String = "porchlight", security: WiFiSecurity? = nil
    ) throws -> NetworkCredentials {
        NetworkCredentials(try credentials(ssid: ssid, password: password, security: security))
    }

    static func identity() throws -> CameraIdentity {
        let directory = try TemporaryDirectory()
        return try CameraIdentity.loaded(from: StateDirectory(path: directory.path("camera")))
    }
}
