import TestSupport
import Testing
import Wire

@testable import CameraPairing

@Suite("One app and two cameras", .timeLimit(.minutes(3)))
struct TurnsTests {
    // In a process of its own: others of this one take memory, too.
    @Test("fifty pairings in turn leave memory and descriptors as they were, on every layout")
    func everyLayout() async {
        await #expect(processExitsWith: .success) {
            for layout in PairingLayout.tested { try await Turns.pair(layout) }
        }
    }
}

/// Pairs two cameras in turn, each of which starts anew for each turn.
enum Turns {
    /// The dispatch library opens some of its own when it first needs them; a socket a pairing would be forty.
    static let descriptorMargin = 4
    /// A pairing that is not let go of takes 30 KiB and more; what the allocator keeps for its threads is counted as used.
    static let heapMargin = 512 * 1024
    /// Stacks of threads that come and go are in it, too.
    static let residentMargin = 8 * 1024 * 1024

    static func pair(_ layout: PairingLayout, turns: Int = 50, warmUp: Int = 10) async throws {
        let air = try PairingAir(clock: TimerClock())
        let identities = [try FaultCamera.identity(), try FaultCamera.identity()]
        let app = PairingApp(in: air)
        var before: ProcessFigures?
        for turn in 0..<turns {
            if turn == warmUp { before = try ProcessFigures.settled() }
            let radio: PairingAir.Radio = turn.isMultiple(of: 2) ? .camera : .otherCamera
            let camera = try FaultCamera(layout, radio, in: air, identity: identities[turn % 2], failure: nil)
            try await camera.start()
            try await app.pair(camera.name, Handover.protected)
            #expect(try await camera.credentials() == Handover.credentials(Handover.protected))
            try await app.hangUp()
            await camera.stop()
        }
        let start = try #require(before)
        var end = try ProcessFigures.settled()
        // A socket is closed when its queue comes to it.
        let deadline = ContinuousClock.now + .seconds(10)
        while end.descriptors > start.descriptors + descriptorMargin, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
            end = try ProcessFigures.settled()
        }
        let figures: Comment = "\(layout): \(start) → \(end)"
        #expect(end.descriptors <= start.descriptors + descriptorMargin, figures)
        #expect(end.heapBytes <= start.heapBytes + heapMargin, figures)
        #expect(end.residentBytes <= start.residentBytes + residentMargin, figures)
    }
}
