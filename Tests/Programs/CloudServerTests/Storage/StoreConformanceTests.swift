import CryptoKit
import Foundation
import TestSupport
import Testing
import Wire

@testable import CloudServer

/// The stores that the suite below runs on.
enum StoreKind: CaseIterable, Sendable {
    case sqlite

    /// Opens a store; a second time with the same directory, the same store after a restart.
    func open(_ directory: TemporaryDirectory) throws -> any Store {
        switch self {
        case .sqlite: try SQLiteStore(path: directory.path("cloud.sqlite"))
        }
    }
}

/// What every store has to do, written against the protocol.
@Suite struct StoreConformanceTests {
    private let directory: TemporaryDirectory
    private let start = Timestamp(rawValue: 1_800_000_000_000)
    private let timezone = TimezoneSettings(id: "America/New_York", tzFormat: "EST+5EDT,M3.2.0/2,M11.1.0/2")

    init() throws { directory = try TemporaryDirectory() }

    private func digest(_ text: String) -> CredentialDigest { CredentialDigest(of: Secret(text)) }

    private func session(_ key: String, space: String, type: SessionType = .other) -> PairingSession {
        PairingSession(
            key: digest(key), space: space, timezoneSettings: timezone, sessionType: type, createdAt: start,
            expiresAt: start + .seconds(600))
    }

    private func open(_ kind: StoreKind, spaces: [String] = ["a", "b"]) async throws -> any Store {
        let store = try kind.open(directory)
        for space in spaces {
            try await store.createSpace(
                Space(id: space, name: "Space \(space)"), token: digest("token of \(space)"), at: start)
        }
        return store
    }

    // MARK: Spaces and tokens

    @Test(arguments: StoreKind.allCases)
    func aTokenOpensItsSpacesOnly(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        #expect(try await store.spaces(openedBy: digest("token of a")) == ["a"])
        #expect(try await store.spaces(openedBy: digest("token of b")) == ["b"])
        #expect(try await store.spaces(openedBy: digest("another")) == nil)
        #expect(try await store.addToken(digest("second"), space: "a", at: start))
        #expect(try await store.spaces(openedBy: digest("second")) == ["a"])
        #expect(try await !store.addToken(digest("third"), space: "nowhere", at: start))
        #expect(try await store.spaces(openedBy: digest("third")) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func onlyOneFirstSpaceIsMade(_ kind: StoreKind) async throws {
        let store = try await open(kind, spaces: [])
        #expect(try await store.spaces().isEmpty)
        let digests = (0..<8).map { digest("owner \($0)") }
        let start = start
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (number, digest) in digests.enumerated() {
                group.addTask {
                    try await store.createFirstSpace(
                        Space(id: "s\(number)", name: "Home"), token: digest, at: start)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(made == 1)
        #expect(try await store.spaces().count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func spacesAreListedOldestFirst(_ kind: StoreKind) async throws {
        let store = try await open(kind, spaces: [])
        for (number, id) in ["z", "y", "x"].enumerated() {
            try await store.createSpace(
                Space(id: id, name: id), token: digest(id), at: start + .seconds(number))
        }
        #expect(try await store.spaces().map(\.id) == ["z", "y", "x"])
    }

    // MARK: Sessions

    @Test(arguments: StoreKind.allCases)
    func aSessionIsFoundInItsSpaceOnly(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        #expect(try await store.newestTimestamp() == nil)
        for type in [SessionType.other, .fourG(deviceId: TestDevice().id.rawValue)] {
            let made = session("key \(type)", space: "a", type: type)
            try await store.createSession(made)
            #expect(try await store.session(made.key, space: "a") == made)
            #expect(try await store.session(made.key, space: "b") == nil)
        }
        #expect(try await store.session(digest("other"), space: "a") == nil)
        #expect(try await store.newestTimestamp() == start)
    }

    @Test(arguments: StoreKind.allCases)
    func aSessionOfNoSpaceIsRefused(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        await #expect(throws: StoreError.self) { try await store.createSession(session("key", space: "nowhere")) }
    }

    @Test(arguments: StoreKind.allCases)
    func sessionsAreForgottenADayAfterTheirEnd(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let old = session("old", space: "a")
        try await store.createSession(old)
        var next = session("next", space: "a")
        next.createdAt = start + .seconds(600 + 86_399)
        next.expiresAt = next.createdAt + .seconds(600)
        try await store.createSession(next)
        #expect(try await store.session(old.key, space: "a") != nil)
        next.key = digest("last")
        next.createdAt = start + .seconds(600 + 86_401)
        next.expiresAt = next.createdAt + .seconds(600)
        try await store.createSession(next)
        #expect(try await store.session(old.key, space: "a") == nil)
    }

    // MARK: Redeeming

    @Test(arguments: StoreKind.allCases)
    func aKeyBringsADeviceIntoItsSpace(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let made = session("key", space: "a")
        try await store.createSession(made)
        let device = TestDevice()
        let result = try await store.redeem(made.key, by: device.identity(model: "PLC-1"), at: start + .seconds(5))
        let name = "PLC-1 \(device.id.ending)"
        #expect(
            result
                == .registered(
                    DeviceRegistrationReceipt(deviceId: device.id, name: name, timezoneSettings: timezone)))
        let stored = try #require(try await store.device(device.id))
        #expect(
            stored
                == DeviceModel(
                    deviceId: device.id.rawValue, spaceId: "a", name: name, model: "PLC-1",
                    pairingStatus: .authenticated, online: false, asleep: false, privacy: false,
                    publicKey: device.publicKey.base64EncodedString()))
        #expect(try await store.devices(space: "a") == [stored])
        #expect(try await store.devices(space: "b").isEmpty)
        let used = try #require(try await store.session(made.key, space: "a"))
        #expect(used.redeemed == PairingSession.Redeemed(at: start + .seconds(5), by: device.id))
    }

    @Test(arguments: StoreKind.allCases)
    func keysThatCannotBeUsedSayWhyAndLeaveNothing(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let made = session("key", space: "a")
        try await store.createSession(made)
        let late = TestDevice()
        #expect(
            try await store.redeem(digest("other"), by: late.identity(), at: start) == .refused(.unknown))
        #expect(
            try await store.redeem(made.key, by: late.identity(), at: made.expiresAt) == .refused(.expired))
        guard case .registered = try await store.redeem(made.key, by: TestDevice().identity(), at: start) else {
            Issue.record("the key is refused")
            return
        }
        #expect(try await store.redeem(made.key, by: late.identity(), at: start) == .refused(.used))
        #expect(
            try await store.redeem(made.key, by: late.identity(), at: made.expiresAt) == .refused(.used),
            "a key that was used has not expired")
        #expect(try await store.device(late.id) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeviceMayRepeatItselfWithinTheKeysLife(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let made = session("key", space: "a")
        try await store.createSession(made)
        let device = TestDevice()
        guard case .registered(let receipt) = try await store.redeem(made.key, by: device.identity(), at: start) else {
            Issue.record("it is refused")
            return
        }
        let before = try await store.device(device.id)
        #expect(
            try await store.redeem(made.key, by: device.identity(model: "Other"), at: start + .seconds(1))
                == .repeated(receipt))
        #expect(try await store.device(device.id) == before)
        #expect(try await store.session(made.key, space: "a")?.redeemed?.at == start)
        let impostor = DeviceIdentity(id: device.id, publicKey: TestDevice().publicKey, model: "")
        #expect(try await store.redeem(made.key, by: impostor, at: start) == .refused(.used))
        #expect(
            try await store.redeem(made.key, by: device.identity(), at: made.expiresAt) == .refused(.used))
    }

    @Test(arguments: StoreKind.allCases)
    func theLastMomentStillCounts(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let made = session("key", space: "a")
        try await store.createSession(made)
        let lastMoment = Timestamp(rawValue: made.expiresAt.rawValue - 1)
        guard case .registered = try await store.redeem(made.key, by: TestDevice().identity(), at: lastMoment) else {
            Issue.record("the key is refused a millisecond before its end")
            return
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneOfFiftyUsesAKey(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        // Two stores on one database, as two servers would be.
        let second = try kind.open(directory)
        let made = session("key", space: "a")
        try await store.createSession(made)
        let devices = (0..<50).map { _ in TestDevice() }
        let start = start
        let results = try await withThrowingTaskGroup(of: Redemption.self) { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    try await (number.isMultiple(of: 2) ? store : second).redeem(
                        made.key, by: device.identity(), at: start)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let registered = results.filter { if case .registered = $0 { true } else { false } }
        #expect(registered.count == 1)
        #expect(results.count { $0 == .refused(.used) } == 49)
        #expect(try await store.devices(space: "a").count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeviceOfAnotherSpaceStaysThere(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let device = TestDevice()
        let first = session("first", space: "a")
        let second = session("second", space: "b")
        try await store.createSession(first)
        try await store.createSession(second)
        _ = try await store.redeem(first.key, by: device.identity(), at: start)
        #expect(try await store.redeem(second.key, by: device.identity(), at: start) == .claimed)
        #expect(try await store.device(device.id)?.spaceId == "a")
        let failed = try #require(try await store.session(second.key, space: "b"))
        #expect(failed.failure == .alreadyClaimed)
        #expect(failed.redeemed == nil, "the key is used up")
        guard case .registered = try await store.redeem(second.key, by: TestDevice().identity(), at: start) else {
            Issue.record("another camera cannot use the key")
            return
        }
        #expect(try await store.session(second.key, space: "b")?.failure == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func anotherKeyDoesNotGetADevicesId(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let device = TestDevice()
        for key in ["first", "second"] { try await store.createSession(session(key, space: "a")) }
        _ = try await store.redeem(digest("first"), by: device.identity(), at: start)
        let impostor = DeviceIdentity(id: device.id, publicKey: TestDevice().publicKey, model: "")
        #expect(try await store.redeem(digest("second"), by: impostor, at: start) == .claimed)
        #expect(try await store.device(device.id)?.publicKey == device.publicKey.base64EncodedString())
    }

    @Test(arguments: StoreKind.allCases)
    func aDevicePairsAgainInItsSpace(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let device = TestDevice()
        for key in ["first", "second"] { try await store.createSession(session(key, space: "a")) }
        _ = try await store.redeem(digest("first"), by: device.identity(model: "Old"), at: start)
        try await store.markConnected(device.id, at: start + .seconds(1))
        guard
            case .registered(let receipt) = try await store.redeem(
                digest("second"), by: device.identity(model: "New"), at: start + .seconds(2))
        else {
            Issue.record("it is refused")
            return
        }
        #expect(receipt.name == "Old \(device.id.ending)", "the name that the space gave it is kept")
        let stored = try #require(try await store.device(device.id))
        #expect(stored.model == "New" && stored.pairingStatus == .authenticated, "paired before it is back")
        #expect(try await store.session(digest("second"), space: "a")?.pairedAt == nil)
        try await store.markConnected(device.id, at: start + .seconds(3))
        #expect(try await store.device(device.id)?.pairingStatus == .paired)
        #expect(try await store.session(digest("second"), space: "a")?.pairedAt == start + .seconds(3))
        #expect(try await store.session(digest("first"), space: "a")?.pairedAt == start + .seconds(1))
        #expect(try await store.devices(space: "a").count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aSessionForOneCameraTakesNoOther(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let meant = TestDevice()
        let made = session("key", space: "a", type: .fourG(deviceId: meant.id.rawValue))
        try await store.createSession(made)
        #expect(try await store.redeem(made.key, by: TestDevice().identity(), at: start) == .otherDevice)
        guard case .registered = try await store.redeem(made.key, by: meant.identity(), at: start) else {
            Issue.record("the camera that is meant is refused")
            return
        }
    }

    // MARK: Failures and connections

    @Test(arguments: StoreKind.allCases)
    func aFailureIsKeptUntilTheKeyIsUsed(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let made = session("key", space: "a")
        try await store.createSession(made)
        #expect(try await store.recordFailure(.wrongPassword, key: made.key, at: start) == .valid)
        #expect(try await store.session(made.key, space: "a")?.failure == .wrongPassword)
        #expect(try await store.recordFailure(.noAddress, key: made.key, at: start) == .valid)
        #expect(try await store.session(made.key, space: "a")?.failure == .noAddress)
        #expect(try await store.recordFailure(.noAddress, key: digest("other"), at: start) == .unknown)
        #expect(try await store.recordFailure(.internalFault, key: made.key, at: made.expiresAt) == .expired)
        #expect(try await store.session(made.key, space: "a")?.failure == .noAddress)
        _ = try await store.redeem(made.key, by: TestDevice().identity(), at: start)
        #expect(try await store.recordFailure(.noAddress, key: made.key, at: start) == .used)
        #expect(try await store.session(made.key, space: "a")?.failure == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func connectingPairsTheDeviceOnce(_ kind: StoreKind) async throws {
        let store = try await open(kind)
        let device = TestDevice()
        let made = session("key", space: "a")
        try await store.createSession(made)
        _ = try await store.redeem(made.key, by: device.identity(), at: start)
        try await store.markConnected(TestDevice().id, at: start)
        #expect(try await store.device(device.id)?.pairingStatus == .authenticated)
        try await store.markConnected(device.id, at: start + .seconds(1))
        try await store.markConnected(device.id, at: start + .seconds(9))
        #expect(try await store.device(device.id)?.pairingStatus == .paired)
        #expect(try await store.session(made.key, space: "a")?.pairedAt == start + .seconds(1))
    }

    @Test(arguments: StoreKind.allCases)
    func everythingIsThereAfterARestart(_ kind: StoreKind) async throws {
        let device = TestDevice()
        do {
            let store = try await open(kind)
            for key in ["used", "failed", "fresh"] { try await store.createSession(session(key, space: "a")) }
            _ = try await store.redeem(digest("used"), by: device.identity(), at: start)
            try await store.markConnected(device.id, at: start)
            _ = try await store.recordFailure(.networkNotFound, key: digest("failed"), at: start)
        }
        let store = try kind.open(directory)
        try await store.check()
        #expect(try await store.spaces().map(\.id) == ["a", "b"])
        #expect(try await store.spaces(openedBy: digest("token of a")) == ["a"])
        #expect(try await store.device(device.id)?.pairingStatus == .paired)
        #expect(try await store.session(digest("used"), space: "a")?.redeemed?.by == device.id)
        #expect(try await store.session(digest("failed"), space: "a")?.failure == .networkNotFound)
        #expect(try await store.session(digest("fresh"), space: "a") == session("fresh", space: "a"))
        #expect(try await store.redeem(digest("used"), by: TestDevice().identity(), at: start) == .refused(.used))
        #expect(try await store.newestTimestamp() == start)
    }
}
