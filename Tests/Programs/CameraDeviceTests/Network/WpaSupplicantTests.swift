import Basics
import DBus
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

@Suite struct WpaSupplicantTests: SupplicantTesting {
    let bus: PrivateBus
    let clock = ManualClock()

    init() throws { bus = try PrivateBus() }

    // MARK: Joining

    @Test func joins() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let addresses = FakeAddresses()
        let supplicant = made(addresses)
        let task = try await joining(supplicant, fake)
        fake.report(["State": "authenticating"])
        fake.report(["State": "completed"])
        addresses.report(.added(FakeAddresses.leased))
        #expect(try await failure(task) == nil)
        let block = try #require(fake.blocks.values.first)
        #expect(fake.blocks.count == 1)
        #expect(block.isEnabled)
        #expect(block.fields["ssid"] == .bytes(Data("Home".utf8)))
        #expect(block.fields["psk"] == "correct horse")
        #expect(await supplicant.signalStrength() == -57)
    }

    @Test func hasTheInterfaceMadeWhereThereIsNone() async throws {
        let fake = try await FakeSupplicant.start(on: bus, interface: nil)
        #expect(await WpaSupplicant.freeInterface(bus: .address(bus.address)) == nil)
        let supplicant = try await WpaSupplicant.open("wlan0", bus: .address(bus.address), clock: clock)
        #expect(fake.all == [.created("wlan0")])
        #expect(supplicant.managesWiFi)
        #expect(await WpaSupplicant.freeInterface(bus: .address(bus.address)) == "wlan0")
    }

    @Test func readingTakesNoInterface() async throws {
        let fake = try await FakeSupplicant.start(on: bus, interface: nil)
        let supplicant = made()
        #expect(await supplicant.signalStrength() == nil)
        #expect(!(await supplicant.hasAnotherWay()))
        #expect(fake.all.isEmpty)
    }

    @Test func anInterfaceThatSomebodyUsesIsNotTakenUnasked() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.configure("/camera/1", ssid: "Earlier", mark: "porchlight-camera", isCurrent: true)
        #expect(await WpaSupplicant.freeInterface(bus: .address(bus.address)) == "wlan0")
        fake.configure("/board/1", ssid: "Board")
        #expect(await WpaSupplicant.freeInterface(bus: .address(bus.address)) == nil)
    }

    @Test(arguments: [FakeNetworkManager.Answer.managed, .unmanaged, .unknownDevice, .noDevice, .accessDenied])
    func anInterfaceOfNetworkManagerIsNotTaken(_ answer: FakeNetworkManager.Answer) async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let manager = try await FakeNetworkManager.start(on: bus, answer)
        let address = BusAddress.address(bus.address)
        let isFree = answer == .unmanaged || answer == .unknownDevice
        #expect(await WpaSupplicant.freeInterface(bus: address) == (isFree ? "wlan0" : nil))
        if isFree {
            _ = try await WpaSupplicant.open("wlan0", bus: address, clock: clock)
        } else {
            await #expect(throws: WiFiError.managed(interface: "wlan0", by: "NetworkManager")) {
                try await WpaSupplicant.open("wlan0", bus: address, clock: clock)
            }
        }
        withExtendedLifetime((fake, manager)) {}
    }

    @Test func aReportOfTheNetworkBeforeIsNotTakenForThisOnes() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let addresses = FakeAddresses(present: [FakeAddresses.fixed])
        let supplicant = made(addresses)
        let task = try await joining(supplicant, fake)
        let path = try #require(fake.blocks.keys.first)
        fake.set(quietly: ["CurrentNetwork": .path("/")])
        fake.report(["State": "completed"])
        // By the time that this is seen, the report before has been looked at.
        fake.report(["DisconnectReason": 15, "State": "4way_handshake"])
        fake.set(quietly: ["CurrentNetwork": .path(path)])
        fake.report(["State": "completed"])
        #expect(try await failure(task) == nil)
    }

    @Test func aPasswordThatIsWrongIsSaidToBe() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let supplicant = made()
        let task = try await joining(supplicant, fake)
        fake.report(["State": "4way_handshake"])
        fake.report(["DisconnectReason": 15])
        fake.report(["State": "disconnected"])
        #expect(try await failure(task) == .wrongPassword)
        #expect(fake.blocks.isEmpty)
    }

    @Test func aPasswordThatIsWrongForSAEIsSaidToBe() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let supplicant = made()
        let network = try Samples.network(ssid: "Home", password: "correct horse", security: .wpa3)
        let task = try await joining(supplicant, fake, network)
        fake.report(["State": "authenticating"])
        fake.report(["State": "disconnected", "AuthStatusCode": 1])
        #expect(try await failure(task) == .wrongPassword)
    }

    @Test func aNetworkThatIsNotHeardIsNotFound() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let task = try await joining(made(), fake)
        fake.hear([.station("Other")])
        for _ in 0..<3 { fake.reportScanDone() }
        #expect(try await failure(task) == .networkNotFound)
    }

    @Test func aNetworkOfAnotherKindIsSaidToBe() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let task = try await joining(made(), fake)
        fake.hear([.station("Home", rsn: [])])
        fake.reportScanDone()
        #expect(try await failure(task) == .invalidCredentials)
    }

    @Test func aStationThatDoesNotAnswerTakesTooLong() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let task = try await joining(made(), fake)
        fake.hear([.station("Home")])
        fake.report(["State": "authenticating"])
        // Reports are taken in turn: when this one is looked into, the one before was heard.
        try await fake.nextRead(of: "CurrentNetwork")
        fake.set(quietly: ["CurrentNetwork": .path("/")])
        fake.report(["State": "completed"])
        try await fake.nextRead(of: "CurrentNetwork")
        await clock.sleepers()
        clock.advance(by: WpaSupplicant.Limits().association)
        #expect(try await failure(task) == .noAddress)
    }

    @Test func aNetworkWithoutAddressesIsSaidToBe() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let task = try await joining(made(), fake)
        fake.report(["State": "completed"])
        await clock.sleepers(atLeast: 2)
        clock.advance(by: WpaSupplicant.Limits().address)
        #expect(try await failure(task) == .noAddress)
        #expect(fake.blocks.isEmpty)
    }

    // MARK: Staying

    @Test func goesBackToTheNetworkOfTheRegistration() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let supplicant = made()
        await supplicant.resume(try Samples.network(ssid: "Home", password: "correct horse"))
        try await fake.nextSelection()
        #expect(fake.blocks.values.first?.fields["psk"] == "correct horse")
        withExtendedLifetime(supplicant) {}
    }

    @Test func aConnectionOfTheRunBeforeIsKept() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let addresses = FakeAddresses()
        let first = made(addresses)
        let network = try await join("Home", first, fake, addresses)
        await first.keep()
        fake.hear([.station("Home")])
        fake.report(["CurrentBSS": .path(FakeSupplicant.path + "/BSSs/0")])
        let before = fake.all
        let second = made()
        await second.resume(network)
        // Whatever resuming did was done before the answer to this.
        fake.report(["State": "completed"])
        await second.waitUntilStaying()
        #expect(fake.all == before)
    }

    @Test func aSupplicantThatComesBackIsToldAgain() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let supplicant = made()
        await supplicant.resume(try Samples.network(ssid: "Home", password: "correct horse"))
        try await fake.nextSelection()
        await supplicant.waitUntilStaying()
        await fake.quit()
        let next = try await FakeSupplicant.start(on: bus, interface: nil)
        try await next.nextSelection()
        #expect(next.all.first == .created("wlan0"))
    }

    @Test func aSupplicantThatStartsLaterIsWaitedFor() async throws {
        let supplicant = made()
        await supplicant.resume(try Samples.network(ssid: "Home", password: "correct horse"))
        let fake = try await FakeSupplicant.start(on: bus)
        // Its start is told by the bus; if it was not heard yet, the next attempt by the clock finds it.
        let moving = Task { [clock] in
            while !Task.isCancelled {
                await clock.sleepers()
                clock.advance(by: .seconds(30))
            }
        }
        try await fake.nextSelection()
        moving.cancel()
        clock.advance(by: .seconds(30))
        withExtendedLifetime(supplicant) {}
    }

    @Test func aSupplicantThatDiesWhileJoiningEndsTheAttempt() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let task = try await joining(made(), fake)
        await fake.quit()
        #expect(try await failure(task) == .internalFault)
    }

    // MARK: Listening

    @Test func listsWhatIsHeard() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.hear([
            .station("Home"), .station(Data("Five".utf8), signal: -60, megahertz: 5180, rsn: ["sae"]),
            .station(Data()), .station(Data("Gone".utf8), age: 100), .station(Data("Peer".utf8), mode: "ad-hoc"),
        ])
        let supplicant = made()
        #expect(!supplicant.joinsFiveGigahertz)
        let scanning = Task { try await supplicant.scan() }
        try await fake.nextScan()
        fake.reportScanDone()
        let heard = try await within { try await scanning.value }
        #expect(
            heard.merged() == [
                HeardNetwork(ssid: Data("Home".utf8), security: .wpa2, rssi: -50, bands: .twoGigahertz),
                HeardNetwork(ssid: Data("Five".utf8), security: .wpa3, rssi: -60, bands: .fiveGigahertz),
            ])
        #expect(supplicant.joinsFiveGigahertz)
    }

    @Test func aScanThatWasRefusedIsTriedAgain() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        fake.refuse("Scan", times: 1)
        let supplicant = made()
        let scanning = Task { try await supplicant.scan() }
        await clock.sleepers()
        clock.advance(by: WpaSupplicant.Limits().scanPause)
        try await fake.nextScan()
        fake.reportScanDone(false)
        await clock.sleepers(atLeast: 2)
        clock.advance(by: WpaSupplicant.Limits().scanPause)
        try await fake.nextScan()
        fake.reportScanDone()
        #expect(try await within { try await scanning.value }.isEmpty)
    }

    @Test func aScanThatNeverEndsIsAnError() async throws {
        let fake = try await FakeSupplicant.start(on: bus)
        let supplicant = made()
        let scanning = Task { try await supplicant.scan() }
        for _ in 0..<4 {
            try await fake.nextScan()
            await clock.sleepers()
            clock.advance(by: WpaSupplicant.Limits().scan)
        }
        await #expect(throws: WiFiError.scanFailed(reason: "nothing was heard of a scan")) {
            try await within { try await scanning.value }
        }
    }

    // MARK: Nobody there

    @Test func withoutASupplicantTheErrorSaysWhatToStart() async throws {
        let address = BusAddress.address(bus.address)
        #expect(await WpaSupplicant.freeInterface(bus: address) == nil)
        await #expect { try await WpaSupplicant.open("wlan0", bus: address) } throws: { error in
            guard case .noSupplicant = error as? WiFiError else { return false }
            return "\(error)".contains("wpa_supplicant -u")
        }
        let joiner = made()
        await #expect(throws: PairingFailure.internalFault) { try await joiner.join(Samples.network()) }
        await #expect(throws: WiFiError.self) { try await joiner.scan() }
        #expect(await joiner.signalStrength() == nil)
    }

    @Test func withoutABusTheErrorSaysSo() async throws {
        let nowhere = BusAddress.address("unix:path=/nowhere/bus")
        #expect(await WpaSupplicant.freeInterface(bus: nowhere) == nil)
        await #expect(throws: WiFiError.self) { try await WpaSupplicant.open("wlan0", bus: nowhere) }
    }

    @Test func noPasswordIsEverShown() async throws {
        let network = try Samples.network(ssid: "Home", password: "canary 7391")
        var shown = "\(network) \(String(reflecting: network))"
        dump(network, to: &shown)
        for error in [WiFiError.wrongPassword, .timedOut, .refused(reason: "x"), .unsuitable(reason: "y")] {
            shown += "\(error)"
        }
        #expect(!shown.contains("canary"))
    }
}
