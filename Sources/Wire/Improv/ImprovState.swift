public import Foundation

/// Where an Improv device stands: its state characteristic, one byte.
public enum ImprovState: UInt8, Sendable, Hashable, CaseIterable {
    /// Credentials are refused until a person has pressed the device's button or done what else it asks for.
    case authorizationRequired = 1
    /// It takes credentials. A device that was authorised falls back after a while, a minute as a rule.
    case authorized = 2
    /// It is joining the network.
    case provisioning = 3
    /// It is on the network.
    case provisioned = 4

    /// Whether the device can be paired now, or once a person has pressed its button.
    public var isPairable: Bool { self == .authorizationRequired || self == .authorized }

    /// Reads the characteristic's value.
    public init(decoding data: Data) throws(WireError) {
        let code = try soleByte(of: data, field: "state")
        guard let state = ImprovState(rawValue: code) else {
            throw .value(field: "state", reason: "code \(code) is not known")
        }
        self = state
    }
}

/// What an Improv device did not like: its error characteristic, one byte.
public enum ImprovErrorState: Sendable, Hashable {
    /// Nothing is wrong; every command begins with this.
    case none
    /// The command was malformed.
    case invalidCommand
    /// The device does not know the command.
    case unknownCommand
    /// It took the credentials and could not join: a wrong password, an absent network, no address; it does not say which.
    case unableToConnect
    /// It was sent credentials before it was authorised.
    case notAuthorized
    /// It was told a host name that is none.
    case badHostname
    /// 0xFF, or a code of a later revision.
    case unknown(UInt8)

    /// Takes any code.
    public init(code: UInt8) {
        self =
            switch code {
            case 0: .none
            case 1: .invalidCommand
            case 2: .unknownCommand
            case 3: .unableToConnect
            case 4: .notAuthorized
            case 5: .badHostname
            default: .unknown(code)
            }
    }

    /// The byte on the wire.
    public var code: UInt8 {
        switch self {
        case .none: 0
        case .invalidCommand: 1
        case .unknownCommand: 2
        case .unableToConnect: 3
        case .notAuthorized: 4
        case .badHostname: 5
        case .unknown(let code): code
        }
    }

    /// Reads the characteristic's value.
    public init(decoding data: Data) throws(WireError) { self.init(code: try soleByte(of: data, field: "error")) }
}

/// What an Improv device can do beside taking credentials.
public struct ImprovCapabilities: OptionSet, Sendable, Hashable {
    /// The bits as they stand on the wire.
    public let rawValue: UInt8
    /// Wraps bits as read; unknown ones are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// It can make itself seen or heard.
    public static let identify = ImprovCapabilities(rawValue: 1 << 0)
    /// It tells what it is (revision 2.1).
    public static let deviceInfo = ImprovCapabilities(rawValue: 1 << 1)
    /// It lists the networks it hears (revision 2.2).
    public static let scan = ImprovCapabilities(rawValue: 1 << 2)
    /// Its host name can be read and set (revision 2.3).
    public static let hostname = ImprovCapabilities(rawValue: 1 << 3)
    /// Its name can be read and set (revision 2.4).
    public static let deviceName = ImprovCapabilities(rawValue: 1 << 4)

    /// Reads the characteristic's value: one byte, and in later revisions perhaps more.
    public init(decoding data: Data) throws(WireError) {
        guard let bits = data.first else { throw .missing(field: "capabilities") }
        self.init(rawValue: bits)
    }
}

/// The advertised service data of an Improv device: state (1 byte), capabilities (1), reserved (4).
public struct ImprovServiceData: Sendable, Hashable {
    /// Where the device stands.
    public var state: ImprovState
    /// What it can do.
    public var capabilities: ImprovCapabilities

    /// Describes a device.
    public init(state: ImprovState, capabilities: ImprovCapabilities) {
        self.state = state
        self.capabilities = capabilities
    }

    /// Reads the value; what stands in the reserved bytes, and whether they are there, does not matter.
    public init(decoding data: Data) throws(WireError) {
        guard (2...31).contains(data.count) else {
            throw .length(field: "service data", actual: data.count, allowed: 2...31)
        }
        let bytes = Array(data.prefix(2))
        state = try ImprovState(decoding: Data(bytes[..<1]))
        capabilities = ImprovCapabilities(rawValue: bytes[1])
    }

    /// The six bytes.
    public func encoded() -> Data { Data([state.rawValue, capabilities.rawValue, 0, 0, 0, 0]) }
}

private func soleByte(of data: Data, field: String) throws(WireError) -> UInt8 {
    guard data.count == 1, let byte = data.first else {
        throw .length(field: field, actual: data.count, allowed: 1...1)
    }
    return byte
}
