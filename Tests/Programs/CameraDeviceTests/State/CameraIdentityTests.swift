import CryptoKit
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

@Suite struct CameraIdentityTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.path("camera/" + CameraIdentity.fileName) }

    private func load() throws -> CameraIdentity {
        try CameraIdentity.loaded(from: StateDirectory(path: directory.path("camera")))
    }

    @Test func isMadeOnceAndKept() throws {
        let made = try load()
        let again = try load()
        #expect(made.deviceID == again.deviceID)
        #expect(made.publicKey == again.publicKey)
        #expect(made.deviceID == DeviceID(publicKeyDigest: SHA256.hash(data: made.publicKey)))
        let bytes = Data("signed".utf8)
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: made.publicKey)
        #expect(key.isValidSignature(again.signature(for: bytes), for: bytes))
        #expect(!key.isValidSignature(again.signature(for: bytes), for: Data("other".utf8)))
    }

    @Test func twoDevicesHaveTwoKeys() throws {
        #expect(try load().deviceID != Samples.identity().deviceID)
    }

    @Test func theFileIsForTheOwnerAlone() throws {
        _ = try load()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: directory.path("camera"))
        #expect((folder[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path("camera")).sorted() == [
                "identity", "lock",
            ])
    }

    @Test func anExposedFileIsRefused() throws {
        _ = try load()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(throws: CameraError.identityExposed(path: path)) { try load() }
    }

    enum Damage: CaseIterable {
        case empty, cutShort, noText, otherKey, flippedBit, tooLong, otherFormat, shortKey
    }

    @Test(arguments: Damage.allCases)
    func damageIsAnErrorThatSaysWhatToDo(damage: Damage) throws {
        let identity = try load()
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        var lines = String(decoding: content, as: UTF8.self).components(separatedBy: "\n")
        let damaged: Data
        switch damage {
        case .empty: damaged = Data()
        case .cutShort: damaged = content.prefix(content.count / 2)
        case .noText: damaged = Data(repeating: 0xFF, count: 100)
        case .otherKey:
            lines[1] = Curve25519.Signing.PrivateKey().rawRepresentation.base64EncodedString()
            damaged = Data(lines.joined(separator: "\n").utf8)
        case .flippedBit:
            var key = try #require(Data(base64Encoded: lines[1]))
            key[7] ^= 1
            lines[1] = key.base64EncodedString()
            damaged = Data(lines.joined(separator: "\n").utf8)
        case .tooLong: damaged = content + Data("more\n".utf8)
        case .otherFormat:
            lines[0] = "porchlight-camera-identity-2"
            damaged = Data(lines.joined(separator: "\n").utf8)
        case .shortKey:
            lines[1] = Data(repeating: 1, count: 31).base64EncodedString()
            damaged = Data(lines.joined(separator: "\n").utf8)
        }
        try damaged.write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: CameraError.self) { try load() }
        guard case .identityDamaged(path, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.contains("delete the file"))
        #expect(!error.description.contains(lines[1]), "the key must not be repeated")
        // Never replaced silently.
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
        _ = identity
    }

    @Test func noKeyIsShown() throws {
        let identity = try load()
        let lines = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
            .components(separatedBy: "\n")
        var shown = "\(identity) \(String(reflecting: identity))"
        dump(identity, to: &shown)
        #expect(!shown.contains(lines[1]))
        #expect(shown.contains(identity.deviceID.rawValue))
    }
}
