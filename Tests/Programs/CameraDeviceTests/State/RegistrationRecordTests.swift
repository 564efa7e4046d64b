import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

@Suite struct RegistrationRecordTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let identity: CameraIdentity
    private let record: RegistrationRecord

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(path: directory.path("camera"))
        identity = try CameraIdentity.loaded(from: state)
        record = RegistrationRecord(
            cloud: try #require(URL(string: "https://cloud.example:8443/base")), deviceID: identity.deviceID,
            name: "Porch", timezoneSettings: TimezoneSettings(id: "America/New_York", tzFormat: "GMT-05:00"))
    }

    @Test func isReadAsWritten() throws {
        #expect(try RegistrationRecord.loaded(from: state, for: identity) == nil)
        try record.save(in: state)
        #expect(try RegistrationRecord.loaded(from: state, for: identity) == record)
        try RegistrationRecord.remove(from: state)
        #expect(try RegistrationRecord.loaded(from: state, for: identity) == nil)
    }

    @Test func isWorthNothingForAnotherKey() throws {
        try record.save(in: state)
        #expect(try RegistrationRecord.loaded(from: state, for: Samples.identity()) == nil)
    }

    @Test(arguments: ["", "{", "[]", #"{"cloud":"file:///etc"}"#, "\u{0}"])
    func damageIsAnError(content: String) throws {
        try state.replace(RegistrationRecord.fileName, with: Data(content.utf8))
        #expect(throws: CameraError.registrationDamaged(path: state.path(of: RegistrationRecord.fileName))) {
            try RegistrationRecord.loaded(from: state, for: identity)
        }
    }
}
