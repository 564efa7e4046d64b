import Foundation
import WebSockets
import Wire

/// An answer of 400 or above: what a handler throws.
struct Refusal: Error, Sendable {
    let error: APIError
    var headers: HTTPFields = [:]

    init(_ code: APIError.Code, _ message: String, field: String? = nil) {
        error = APIError(code: code, message: message, field: field)
        switch code {
        case .unauthorized: headers["WWW-Authenticate"] = #"Bearer realm="porchlight""#
        case .upgradeRequired: headers["Upgrade"] = "websocket"
        case .deviceOffline, .unavailable: headers["Retry-After"] = "5"
        default: break
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .unavailable:
            self.init(.unavailable, "The server cannot reach its storage. Try again in a few seconds.")
        case .fault:
            self.init(.internalFault, "The server failed. Its log says why; tell whoever runs it.")
        }
    }

    /// The status that goes with the code; one place, so that a code never has two.
    var status: Int {
        switch error.code {
        case .notJSON, .badField: 400
        case .unauthorized: 401
        case .forbidden, .badSignature: 403
        case .notFound, .sessionKeyUnknown: 404
        case .methodNotAllowed: 405
        case .sessionKeyUsed, .deviceClaimed, .deviceOffline: 409
        case .sessionKeyExpired: 410
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .upgradeRequired: 426
        case .deviceRefused: 502
        case .unavailable: 503
        case .deviceTimeout: 504
        default: 500
        }
    }
}
