import Wire

/// The network that the camera is to join.
struct JoinWish: Sendable {
    var ssid: String
    /// Empty for an open network.
    var password: Secret
    /// Whether it hides its name, so that it is in no list.
    var isHidden = false
}
