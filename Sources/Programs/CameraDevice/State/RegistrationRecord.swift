import Foundation
import Wire

/// What a camera remembers of its pairing: the cloud it belongs to, and the network, with its password.
///
/// One file holds both, so that a power cut leaves the old pairing or the new one whole.
struct RegistrationRecord: Sendable, Equatable, Codable {
    /// The file in the state directory.
    static let fileName = "registration.json"

    /// The base address of the cloud.
    var cloud: URL
    /// The id under which the camera registered.
    var deviceID: DeviceID
    /// What the space calls the device.
    var name: String
    /// The time zone chosen at pairing.
    var timezoneSettings: TimezoneSettings
    /// The network to join at each start; nil for a camera that is wired.
    var network: NetworkCredentials?

    /// Reads the record; nil when the camera is not paired.
    static func loaded(
        from directory: StateDirectory, for identity: CameraIdentity
    ) throws(CameraError) -> RegistrationRecord? {
        let path = directory.path(of: fileName)
        let content: Data?
        do {
            content = try directory.read(fileName)
        } catch {
            throw .fileFailed(path: path, reason: error.reason)
        }
        guard let content else { return nil }
        guard let record = try? JSONDecoder().decode(RegistrationRecord.self, from: content),
            (try? CameraDestinations.check(record.cloud)) != nil
        else { throw .registrationDamaged(path: path) }
        // The key was replaced since: the registration is another identity's and worth nothing.
        return record.deviceID == identity.deviceID ? record : nil
    }

    /// Writes the record, whole or not at all.
    func save(in directory: StateDirectory) throws(CameraError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let content: Data
        do {
            content = try encoder.encode(self)
        } catch {
            preconditionFailure("a record of addresses and text always encodes: \(error)")
        }
        do {
            try directory.replace(Self.fileName, with: content)
        } catch {
            throw .fileFailed(path: directory.path(of: Self.fileName), reason: error.reason)
        }
    }

    /// Forgets the pairing.
    static func remove(from directory: StateDirectory) throws(CameraError) {
        do {
            try directory.remove(fileName)
        } catch {
            throw .fileFailed(path: directory.path(of: fileName), reason: error.reason)
        }
    }
}
