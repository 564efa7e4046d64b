import Foundation
import Wire

/// The page of a cloud that shows one camera.
struct LivePage: Sendable {
    let cloud: URL
    let spaceID: String
    let deviceID: String

    /// Its address without the token that opens the space, and without what the cloud's own address may hold of secrets.
    var address: String {
        var components = cloud.withoutSecrets
        if !components.percentEncodedPath.hasSuffix("/") { components.percentEncodedPath += "/" }
        return "\(components.string ?? "")#space=\(Self.escaped(spaceID))&device=\(Self.escaped(deviceID))"
    }

    /// Its address with the token, which whoever reads it may use.
    func address(token: Secret) -> String { "\(address)&token=\(Self.escaped(token.revealed))" }

    private static func escaped(_ value: String) -> String {
        let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        return value.addingPercentEncoding(withAllowedCharacters: plain) ?? value
    }
}
