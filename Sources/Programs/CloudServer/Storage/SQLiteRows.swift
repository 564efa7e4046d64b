import Foundation
import SQLite
import Wire

extension PairingSession {
    init(row: Row, key: CredentialDigest) throws {
        let forDevice: String? = try row["for_device"]
        let redeemedAt: Int64? = try row["redeemed_at"]
        let redeemedBy: String? = try row["redeemed_by"]
        let pairedAt: Int64? = try row["paired_at"]
        let failure: String? = try row["failure"]
        self.init(
            key: key, space: try row["space"],
            timezoneSettings: TimezoneSettings(id: try row["timezone_id"], tzFormat: try row["timezone_format"]),
            sessionType: forDevice.map(SessionType.fourG(deviceId:)) ?? .other,
            createdAt: Timestamp(rawValue: try row["created_at"]),
            expiresAt: Timestamp(rawValue: try row["expires_at"]),
            redeemed: try redeemedAt.map { at in
                guard let id = redeemedBy.flatMap(DeviceID.init(rawValue:)) else {
                    throw StoreError.fault(reason: "a used pairing session does not name its device")
                }
                return Redeemed(at: Timestamp(rawValue: at), by: id)
            },
            pairedAt: pairedAt.map(Timestamp.init(rawValue:)),
            failure: try failure.map { name in
                guard let failure = PairingFailure(rawValue: name) else {
                    throw StoreError.fault(reason: "a pairing session failed for an unknown reason, \(name)")
                }
                return failure
            })
    }
}

extension DeviceModel {
    init(row: Row) throws {
        let pairedAt: Int64? = try row["paired_at"]
        let publicKey: Data = try row["public_key"]
        self.init(
            deviceId: try row["id"], spaceId: try row["space"], name: try row["name"], model: try row["model"],
            pairingStatus: pairedAt == nil ? .authenticated : .paired, online: false, asleep: false, privacy: false,
            publicKey: publicKey.base64EncodedString())
    }
}

extension DeviceIdentity {
    /// What a device is called until somebody gives it a name: its model, and what it shows of its id in Bluetooth.
    var defaultName: String { "\(model.isEmpty ? "Camera" : model) \(id.ending)" }
}

extension StoreError {
    init(_ error: SQLiteError) {
        self =
            switch error {
            case .cannotOpen, .readOnly, .diskFull, .locked, .inputOutput, .unreliable:
                .unavailable(reason: "\(error)")
            case .corrupt, .constraint, .newerSchema, .column, .statement: .fault(reason: "\(error)")
            }
    }
}
