import Basics
import DBus
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// What becomes of the network before, and of the new one: kept, left, or killed in the middle.
@Suite struct WpaSupplicantTrialTests: SupplicantTesting {
    let bus: PrivateBus
    let clock = ManualClock()

    init() throws { bus = try PrivateBus() }

    @Test func aNetworkReplacesTheOneBeforeOnceItIsKept() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.configure("/board/1", ssid: "Board", isCurrent: true)
        let addresses = FakeAddresses()
        let supplicant = made(addresses)
        _ = try await join("First", supplicant, fake, addresses)
        await supplicant.keep()
        #expect(fake.names == ["Board", "First"])
        let network = try await join("Second", supplicant, fake, addresses)
        #expect(fake.names == ["Board", "First", "Second"])
        await supplicant.keep()
        #expect(fake.names == ["Board", "Second"])
        #expect(fake.blocks["/board/1"]?.isEnabled == false)
        #expect(await supplicant.wanted == network)
        let all = fake.all
        await supplicant.keep()
        await supplicant.goBack()
        #expect(fake.all == all)
    }

    @Test func goesBackFromANetworkThatWasJoined() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.configure("/board/1", ssid: "Board", isCurrent: true)
        fake.configure("/board/2", ssid: "Spare")
        fake.configure("/board/3", ssid: "Off", isEnabled: false)
        let addresses = FakeAddresses()
        let supplicant = made(addresses)
        _ = try await join("New", supplicant, fake, addresses)
        #expect(fake.blocks.filter(\.value.isEnabled).count == 1)
        // A task that was cancelled goes back all the same.
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await supplicant.goBack()
        }
        try await within(.seconds(20), "the way back") { await task.value }
        #expect(fake.names == ["Board", "Spare", "Off"])
        #expect(fake.blocks.filter(\.value.isEnabled).keys.sorted() == ["/board/1", "/board/2"])
        #expect(await supplicant.wanted == nil)
        #expect(await supplicant.hasAnotherWay())
    }

    @Test func goesBackToTheNetworkThatWasKept() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let addresses = FakeAddresses()
        let supplicant = made(addresses)
        let first = try await join("First", supplicant, fake, addresses)
        await supplicant.keep()
        _ = try await join("Second", supplicant, fake, addresses)
        // Joining another one gives up the one before it, not the one that was kept.
        _ = try await join("Third", supplicant, fake, addresses)
        #expect(fake.names == ["First", "Third"])
        await supplicant.goBack()
        #expect(fake.names == ["First"])
        #expect(fake.blocks.values.first?.isEnabled == true)
        #expect(await supplicant.wanted == first)
    }

    @Test(arguments: [true, false])
    func aSupplicantThatIsRestartedDuringATrialGetsTheNetworkThatIsDecidedOn(isKept: Bool) async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let addresses = FakeAddresses()
        let supplicant = made(addresses)
        _ = try await join("First", supplicant, fake, addresses)
        await supplicant.keep()
        _ = try await join("Second", supplicant, fake, addresses)
        let path = try #require(fake.blocks.first { $0.value.isEnabled }?.key)
        await fake.quit()
        let next = try await FakeSupplicant.start(on: bus)
        // Paths are used again: this one is not the camera's.
        next.configure(path, ssid: "Board")
        if isKept { await supplicant.keep() } else { await supplicant.goBack() }
        try await next.nextSelection()
        await supplicant.waitUntilStaying()
        #expect(next.names == ["Board", isKept ? "Second" : "First"])
        #expect(!next.all.contains { $0 == .kept(path) || $0 == .removed(path) })
    }

    @Test func theNetworkBeforeIsJoinedAgainWhenTheNewOneFails() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.configure("/board/1", ssid: "Board", isCurrent: true)
        fake.configure("/board/2", ssid: "Spare")
        fake.configure("/board/3", ssid: "Off", isEnabled: false)
        let supplicant = made()
        let task = try await joining(supplicant, fake)
        fake.report(["State": "4way_handshake"])
        fake.report(["State": "disconnected", "DisconnectReason": 2])
        #expect(try await failure(task) == .wrongPassword)
        #expect(fake.blocks.filter(\.value.isEnabled).keys.sorted() == ["/board/1", "/board/2"])
        #expect(fake.blocks.count == 3)
        #expect(fake.all.suffix(3).prefix(2) == [.selected("/board/1"), .enabled("/board/2")])
        #expect(await supplicant.hasAnotherWay())
    }

    @Test func theNetworkBeforeIsJoinedAgainWhenJoiningIsGivenUp() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.configure("/board/1", ssid: "Board", isCurrent: true)
        let task = try await joining(made(), fake)
        task.cancel()
        #expect(try await failure(task) == .internalFault)
        #expect(fake.blocks.filter(\.value.isEnabled).keys.sorted() == ["/board/1"])
        #expect(fake.blocks.count == 1)
    }

    @Test func withoutANetworkOrAWireThereIsNoOtherWay() async throws {
        _ = try await FakeSupplicant.start(on: bus)
        #expect(!(await made().hasAnotherWay()))
        #expect(await made(FakeAddresses(isWired: true)).hasAnotherWay())
    }

    // MARK: Killed in the middle

    @Test(arguments: [true, false])
    func aCameraThatWasKilledWhileTryingStartsOnTheNetworkBefore(hadJoined: Bool) async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.configure("/board/1", ssid: "Board", isCurrent: true)
        fake.configure("/board/2", ssid: "Spare")
        fake.configure("/board/3", ssid: "Off", isEnabled: false)
        let addresses = FakeAddresses()
        let killed = made(addresses)
        var task: Task<Void, any Error>?
        if hadJoined {
            _ = try await join("New", killed, fake, addresses)
        } else {
            task = try await joining(killed, fake)
        }
        await made().resume(nil)
        #expect(fake.names == ["Board", "Spare", "Off"])
        #expect(fake.blocks.filter(\.value.isEnabled).keys.sorted() == ["/board/1", "/board/2"])
        #expect(fake.all.suffix(3).first == .selected("/board/1"))
        // Whoever is killed between these finds the way back once more.
        guard case .removed = fake.all.last else {
            Issue.record("\(fake.all)")
            return
        }
        task?.cancel()
        _ = await task?.result
    }

    @Test func aCameraThatWasKilledBeforeKeepingWhatItWroteDownStartsOnTheNewNetwork() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let addresses = FakeAddresses()
        let killed = made(addresses)
        _ = try await join("Old", killed, fake, addresses)
        await killed.keep()
        let network = try await join("New", killed, fake, addresses)
        let path = try #require(fake.blocks.first { $0.value.isEnabled }?.key)
        fake.hear([.station("New")])
        fake.report(["CurrentBSS": .path(FakeSupplicant.path + "/BSSs/0")])
        let before = fake.all
        let next = made()
        await next.resume(network)
        await next.waitUntilStaying()
        #expect(fake.names == ["New"])
        #expect(fake.all.count == before.count + 2, "the connection that works is not broken")
        #expect(fake.all.dropFirst(before.count).first == .kept(path))
        // It is the network that the camera belongs on now, and nothing is left to go back from.
        await made().resume(nil)
        #expect(fake.names == ["New"])
    }

    @Test func aNetworkThatWasTriedIsTakenOutWhenAnotherIsResumed() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let addresses = FakeAddresses()
        let killed = made(addresses)
        _ = try await join("New", killed, fake, addresses)
        let next = made()
        await next.resume(try Samples.network(ssid: "Old", password: "correct horse"))
        try await fake.nextSelection()
        await next.waitUntilStaying()
        #expect(fake.names == ["Old"])
    }

    @Test func whatCouldNotBeTakenOutAtTheStartIsTakenOutBeforeJoining() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.configure("/board/1", ssid: "Board", isCurrent: true)
        let addresses = FakeAddresses()
        _ = try await join("Tried", made(addresses), fake, addresses)
        fake.refuse("RemoveNetwork", times: 1)
        let supplicant = made(addresses)
        await supplicant.resume(nil)
        #expect(fake.names == ["Board", "Tried"])
        let task = Task { try await supplicant.join(Samples.network(ssid: "New", password: "correct horse")) }
        try await fake.next("the new network") { [first = fake.blocks.keys.sorted()] request in
            if case .added(let path) = request { !first.contains(path) } else { false }
        }
        #expect(!fake.names.contains("Tried"))
        task.cancel()
        _ = await task.result
        #expect(fake.names == ["Board"])
        #expect(fake.blocks["/board/1"]?.isEnabled == true)
    }
}
