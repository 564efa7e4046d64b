import Basics
import CloudClient
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

/// Polling to the end, on a clock that the test moves.
@Suite struct PairingSessionTests {
    private static let waiting = PairingSessionStatus(expired: false, status: .initialized)
    private static let arrived = PairingSessionStatus(
        expired: false, status: .authenticated, deviceId: Sample.deviceId, login: PairingStep(status: "Success"))

    /// Answers one response after the other; the last one stays.
    private static func script(_ responses: [HTTPResponse]) -> ScriptedCloud.Script {
        let left = Locked(responses)
        return { _ in left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    }

    /// Moves the clock on by `step` as soon as somebody sleeps, until cancelled.
    private func ticking<Result: Sendable>(
        _ clock: ManualClock, by step: Duration = .seconds(3),
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await within(.seconds(30), "the end of the session") {
            let ticker = Task {
                while !Task.isCancelled {
                    await clock.sleepers(atLeast: 1)
                    clock.advance(by: step)
                    await Task.yield()
                }
            }
            defer { ticker.cancel() }
            return try await body()
        }
    }

    /// The session's clock is the test's; requests run on the real one, so that only the session sleeps on it.
    private func session(_ cloud: ScriptedCloud, _ clock: ManualClock) -> PairingSession {
        PairingSession(spaceId: "home", sessionKey: "key-canary", connection: cloud.connection(), clock: clock)
    }

    @Test func endsWithTheFirstStateInTheCloud() async throws {
        let script = Self.script([.json(200, Self.waiting), .json(200, Self.waiting), .json(200, Self.arrived)])
        try await withCloud(script) { cloud in
            let clock = ManualClock()
            let session = session(cloud, clock)
            let states = try await ticking(clock) {
                var states: [PairingSessionStatus] = []
                for try await status in session.statuses() { states.append(status) }
                return states
            }
            #expect(states == [Self.waiting, Self.waiting, Self.arrived])
            #expect(cloud.received.count == 3)
            #expect(clock.now.offset == .seconds(6))
        }
    }

    @Test func givesTheDeviceId() async throws {
        try await withCloud(Self.script([.json(200, Self.arrived)])) { cloud in
            let id = try await session(cloud, ManualClock()).deviceId()
            #expect(id == Sample.deviceId)
        }
    }

    @Test(arguments: [
        (PairingSessionStatus(expired: true, status: .initialized), PairingSessionError.expired),
        (
            PairingSessionStatus(
                expired: false, status: .failed, login: PairingStep(status: "Failure", reason: "wrong password")),
            .loginFailed(reason: "wrong password")
        ),
        (
            PairingSessionStatus(
                expired: false, status: .authenticated, deviceId: Sample.deviceId,
                login: PairingStep(status: "Success"), pairing: PairingStep(status: "Failure", reason: "claimed")),
            .pairingFailed(reason: "claimed")
        ),
        (PairingSessionStatus(expired: false, status: .failed), .pairingFailed(reason: "the cloud gave none")),
    ])
    func failures(status: PairingSessionStatus, error: PairingSessionError) async throws {
        try await withCloud(Self.script([.json(200, Self.waiting), .json(200, status)])) { cloud in
            let clock = ManualClock()
            let session = session(cloud, clock)
            await #expect(throws: error) { try await ticking(clock) { try await session.deviceId() } }
            #expect(cloud.received.count == 2)
        }
    }

    @Test func staysOverBusyServers() async throws {
        let busy = HTTPResponse.json(503, APIError(code: .unavailable, message: "busy"))
        let script = Self.script([busy, .json(200, Self.waiting), busy, .text(502, "<html>"), .json(200, Self.arrived)])
        try await withCloud(script) { cloud in
            let clock = ManualClock()
            let session = session(cloud, clock)
            let id = try await ticking(clock) { try await session.deviceId() }
            #expect(id == Sample.deviceId)
            #expect(cloud.received.count == 5)
        }
    }

    @Test func endsAtOnceOnWhatWillNotMend() async throws {
        let unknown = APIError(code: .sessionKeyUnknown, message: "no such key")
        try await withCloud(Self.script([.json(404, unknown)])) { cloud in
            let session = session(cloud, ManualClock())
            await #expect(throws: PairingSessionError.cloud(.api(unknown, status: 404, retryAfter: nil))) {
                try await session.deviceId()
            }
        }
    }

    @Test func keepsToItsBudget() async throws {
        try await withCloud(Self.script([.json(200, Self.waiting)])) { cloud in
            let clock = ManualClock()
            let session = session(cloud, clock)
            await #expect(throws: PairingSessionError.timedOut(after: .seconds(180), lastError: nil)) {
                try await ticking(clock) { try await session.deviceId() }
            }
            #expect(clock.now.offset == .seconds(180))
            #expect(cloud.received.count == 60)
        }
    }

    @Test func namesTheLastErrorWhenTheBudgetEnds() async throws {
        let busy = APIError(code: .unavailable, message: "busy")
        try await withCloud(Self.script([.json(503, busy)])) { cloud in
            let clock = ManualClock()
            let session = session(cloud, clock)
            let last = CloudError.api(busy, status: 503, retryAfter: nil)
            await #expect(throws: PairingSessionError.timedOut(after: .seconds(7), lastError: last)) {
                try await ticking(clock, by: .seconds(1)) { try await session.deviceId(within: .seconds(7)) }
            }
            #expect(clock.now.offset == .seconds(7))
        }
    }

    @Test func cancellationEndsTheWait() async throws {
        try await withCloud(Self.script([.json(200, Self.waiting)])) { cloud in
            let clock = ManualClock()
            let session = session(cloud, clock)
            let task = Task { try await session.deviceId() }
            try await within(.seconds(20), "the pause") { await clock.sleepers(atLeast: 1) }
            task.cancel()
            try await within(.seconds(20), "the end") {
                _ = await #expect(throws: PairingSessionError.cloud(.cancelled)) { try await task.value }
            }
        }
    }

    @Test func waitsUntilTheDeviceIsPaired() async throws {
        let script = Self.script([
            .json(200, Sample.device(status: .authenticated)), .json(200, Sample.device(status: .authenticated)),
            .json(200, Sample.device(status: .activated)),
        ])
        try await withCloud(script) { cloud in
            let clock = ManualClock()
            let session = session(cloud, clock)
            let device = try await ticking(clock) { try await session.pairedDevice(deviceId: Sample.deviceId) }
            #expect(device.pairingStatus == .activated)
            #expect(clock.now.offset == .seconds(6))
        }
    }

    @Test func aDeviceThatFailedIsNotWaitedFor() async throws {
        try await withCloud(Self.script([.json(200, Sample.device(status: .failed))])) { cloud in
            let session = session(cloud, ManualClock())
            await #expect(throws: PairingSessionError.self) {
                try await session.pairedDevice(deviceId: Sample.deviceId)
            }
        }
    }
}
