public import Foundation
public import Wire

/// What a cloud needs to know to start.
///
/// Time and randomness are injected: they decide when a key expires and what it is.
public struct CloudConfiguration: Sendable {
    /// Where the database lives. Made with mode 0700 when it is not there; files in it are readable by their owner only.
    public var dataDirectory: URL
    /// The address to listen on; loopback by default. Beyond loopback, put a TLS proxy in front: the cloud itself speaks
    /// plain HTTP.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes any free one, which ``CloudServer/port`` then names.
    public var port = 0
    /// The region that is handed to cameras.
    public var region = ServerRegion.us
    /// The directory of the web page that is served at `/`; nil serves none.
    public var consoleDirectory: URL?
    /// How long a pairing session's key lives: 1 s to 10 min.
    public var sessionKeyLife = longestSessionKeyLife
    /// How long a camera may take to answer an offer before the viewer is told 504.
    public var answerDeadline: Duration = .seconds(10)
    /// STUN and TURN servers, told to camera and viewer; none are needed within one network.
    public var iceServers: [ICEServer] = []
    /// What deadlines and the expiry of keys are measured with.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The time of day, read once at start.
    public var wallTime: @Sendable () -> Date = { Date() }
    /// Gives as many random bytes as it is asked for: keys, tokens, nonces and ids are made of them.
    public var randomBytes: @Sendable (_ count: Int) -> Data = systemRandomBytes

    /// Ten minutes.
    public static let longestSessionKeyLife: Duration = .seconds(600)

    /// The defaults, with the database in `dataDirectory`.
    public init(dataDirectory: URL) { self.dataDirectory = dataDirectory }

    /// Bytes from the system's random source.
    public static let systemRandomBytes: @Sendable (_ count: Int) -> Data = { count in
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
