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

    @Test func keepsTheNetworkForItsOwnerAlone() throws {
        var record = record
        record.network = try Samples.network(ssid: "Home", password: "canary 7391")
        try record.save(in: state)
        #expect(try RegistrationRecord.loaded(from: state, for: identity) == record)
        #expect(state.mode(of: RegistrationRecord.fileName) == 0o600)
        var shown = "\(record) \(String(reflecting: record))"
        dump(record, to: &shown)
        #expect(!shown.contains("canary"))
    }

    @Test(arguments: ["short", "with\nline feed"])
    func aNetworkThatCannotBeIsDamage(password: String) throws {
        var record = record
        record.network = try Samples.network(ssid: "Home", password: "a good password")
        try record.save(in: state)
        let content = try #require(try state.read(RegistrationRecord.fileName))
        let text = String(decoding: content, as: UTF8.self)
        let escaped = password.replacing("\n", with: "\\n")
        try state.replace(
            RegistrationRecord.fileName, with: Data(text.replacing("a good password", with: escaped).utf8))
        #expect(throws: CameraError.registrationDamaged(path: state.path(of: RegistrationRecord.fileName))) {
            try RegistrationRecord.loaded(from: state, for: identity)
        }
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
