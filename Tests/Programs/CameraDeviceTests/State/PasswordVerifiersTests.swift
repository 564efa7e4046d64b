import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

@Suite struct PasswordVerifiersTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let identity: CameraIdentity

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(path: directory.path("camera"))
        identity = try CameraIdentity.loaded(from: state)
    }

    private var path: String { state.path(of: PasswordVerifiers.fileName) }

    /// As a start does that is through.
    @discardableResult
    private func started(renewing: Bool = false) throws -> (PasswordVerifiers, SetupCode?) {
        let (verifiers, code) = try PasswordVerifiers.loaded(from: state, for: identity, renewing: renewing)
        if code != nil { try verifiers.save(in: state) }
        return (verifiers, code)
    }

    /// Whether a client with this password gets in.
    private func opens(_ code: SetupCode?, _ verifiers: PasswordVerifiers) throws -> Bool {
        var rules = PairingRules(
            info: PairingInfo(layouts: .protected, capabilities: .setupCode, model: ""), deviceID: identity.deviceID,
            verifiers: verifiers)
        var peer = ProtectedPeer()
        try peer.agree(code, with: &rules)
        return peer.channel != nil && peer.heard == [.answer(.init(message: 2))]
    }

    @Test func theFirstStartMakesACodeAndTellsItOnce() throws {
        let (made, code) = try started()
        let told = try #require(code)
        #expect(!told.isTrivial)
        #expect(state.mode(of: PasswordVerifiers.fileName) == 0o600)
        let (kept, again) = try started()
        #expect(again == nil)
        #expect(kept.stretching == made.stretching)
        #expect(try opens(told, kept))
        #expect(try opens(nil, kept))
        #expect(try !opens(SetupCode("3141-5926"), kept))
    }

    @Test func theCodeIsNowhereOnTheDisk() throws {
        let code = try #require(try started().1)
        for name in try FileManager.default.contentsOfDirectory(atPath: state.path) {
            guard let content = FileManager.default.contents(atPath: state.path(of: name)) else { continue }
            for shown in [code.revealed, code.printed] {
                #expect(content.range(of: Data(shown.utf8)) == nil, "\(name)")
            }
            for line in content.split(separator: 0x0A) {
                guard let bytes = Data(base64Encoded: line) else { continue }
                #expect(bytes.range(of: Data(code.revealed.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test func anotherCodeMayBeMade() throws {
        let first = try #require(try started().1)
        let (verifiers, second) = try started(renewing: true)
        let told = try #require(second)
        #expect(try opens(told, verifiers))
        #expect(try !opens(first, verifiers))
    }

    @Test func aNewIdentityHasANewCode() throws {
        try started()
        #expect(try PasswordVerifiers.loaded(from: state, for: Samples.identity()).1 != nil)
    }

    @Test func whatOthersMayReadIsNotUsed() throws {
        try started()
        #expect(chmod(path, 0o640) == 0)
        #expect(throws: CameraError.setupCodeExposed(path: path)) {
            try started()
        }
        #expect(try started(renewing: true).1 != nil)
        #expect(state.mode(of: PasswordVerifiers.fileName) == 0o600)
    }

    @Test(arguments: ["", "x", "\n\n\n", "porchlight-camera-setup-code-1\nAAAA\nAAAA\n"])
    func damageIsFound(content: String) throws {
        try state.replace(PasswordVerifiers.fileName, with: Data(content.utf8))
        #expect(throws: CameraError.setupCodeDamaged(path: path)) {
            try started()
        }
    }

    @Test func everyChangedLineIsFound() throws {
        try started()
        let content = try #require(try state.read(PasswordVerifiers.fileName))
        let lines = String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for change in [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 1, 3], [0, 2, 2, 3], [0, 1, 2], [0, 1, 2, 1]] {
            let text = change.map { lines[$0] }.joined(separator: "\n")
            try state.replace(PasswordVerifiers.fileName, with: Data(text.utf8))
            #expect(throws: CameraError.self, "\(change)") {
                try started()
            }
        }
    }

    @Test func aDiskThatTakesNothingIsTold() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect {
            try started()
        } throws: { error in
            if case CameraError.fileFailed = error { true } else { false }
        }
    }
}
