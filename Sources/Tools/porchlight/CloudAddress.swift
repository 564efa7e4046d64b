import Foundation

/// The address of a cloud as a person gives it.
enum CloudAddress {
    /// - Throws: ``CommandError/usage(_:)`` for what is no address of one.
    static func read(_ text: String) throws(CommandError) -> URL {
        guard let cloud = URL(string: text), let host = cloud.host(), !host.isEmpty,
            ["http", "https"].contains(cloud.scheme?.lowercased())
        else {
            throw .usage("'\(text)' is no address of a cloud, such as https://cloud.example.")
        }
        return cloud
    }
}

extension URL {
    /// Without what may hold a secret: user, password, query and fragment.
    var withoutSecrets: URLComponents {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true) ?? URLComponents()
        (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
        return components
    }
}
