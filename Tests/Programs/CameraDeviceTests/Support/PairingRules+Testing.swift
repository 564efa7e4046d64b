import Foundation
import Wire

@testable import CameraDevice

extension PairingRules {
    /// Rules that wait for a client.
    static func sample(
        _ layouts: PairingInfo.Layouts = [.standard, .chunked], code: SetupCode? = nil,
        capabilities: PairingInfo.Capabilities = .managesWiFi
    ) throws -> PairingRules {
        let deviceID = try Samples.identity().deviceID
        return PairingRules(
            info: PairingInfo(layouts: layouts, capabilities: capabilities, model: "Model"), deviceID: deviceID,
            verifiers: try code.map { try .cheap($0, deviceID: deviceID) })
    }

    /// Writes a field of the standard layout.
    mutating func write(
        _ value: Data, to characteristic: PairingService.Characteristic, by client: UUID
    ) throws(PairingService.WriteRefusal) -> [Action] {
        try write([WrittenValue(attribute: .standard(characteristic), bytes: value)], by: client)
    }

    /// A client leaves.
    /// - Returns: What is to be done besides forgetting what it was to be sent.
    mutating func leaving(_ client: UUID) -> [Action] {
        left(client).filter { if case .drop = $0 { false } else { true } }
    }
}

extension PairingRules {
    /// A client of an exchange says something, in frames of a length.
    mutating func say(
        _ bytes: Data, number: UInt8, on layout: PairingLayout = .chunked, by client: UUID, limit: Int = 20
    ) throws -> [Action] {
        var actions: [Action] = []
        for frame in try Frame.split(bytes, message: number, limit: limit) {
            let write = WrittenValue(attribute: .exchange(layout), bytes: frame.encoded)
            actions += try self.write([write], by: client)
        }
        return actions
    }

    /// A client of an exchange asks for something.
    mutating func say(
        _ request: ExchangeRequest, number: UInt8, on layout: PairingLayout = .chunked, by client: UUID
    ) throws -> [Action] {
        try say(request.encoded, number: number, on: layout, by: client)
    }

    /// What clients are sent.
    static func messages(_ actions: [Action]) -> [ExchangeAnswer] {
        actions.compactMap { if case .send(let message, _) = $0 { message } else { nil } }
    }
}

extension PasswordVerifiers {
    /// Verifiers that are made in no time.
    static func cheap(_ code: SetupCode, deviceID: DeviceID) throws -> PasswordVerifiers {
        var stretching = ExchangeWelcome.Stretching.fresh()
        (stretching.logN, stretching.r) = (10, 1)
        return try PasswordVerifiers(code, deviceID: deviceID, stretching: stretching)
    }
}
