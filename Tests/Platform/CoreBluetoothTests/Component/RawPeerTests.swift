import Basics
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

/// Peers that misbehave or die. They exist on the software radio only.
@Suite(
    "Strange peers of the software radio", .softwareRadio(because: "the peers are its sockets"), .timeLimit(.minutes(2))
)
struct RawPeerTests {
    let air: SoftwareAirFixture

    init() throws { air = try SoftwareAirFixture() }

    /// A central that is connected to a fake that accepts and then plays `script` on each ATT packet.
    private func connected(
        _ script: @escaping @Sendable (FrameStream, ATTPacket) -> Void
    ) async throws -> (FakePeripheral, CentralProbe, CBPeripheral) {
        let fake = try FakePeripheral(in: air.radio) { stream, frame in
            if case .connect = frame { stream.sendNow(.accepted(mtu: 64)) }
            if case .att(let data) = frame, let packet = try? ATTPacket(data) { script(stream, packet) }
        }
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("fake")
        try await app.connect(peripheral)
        return (fake, app, peripheral)
    }

    @Test("a killed peripheral is noticed at once, and what it left is cleared away")
    func killed() async throws {
        let (fake, app, peripheral) = try await connected { _, _ in }
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 61)
        peripheral.discoverServices(nil)
        try await fake.frames.next("a request") { frame in
            if case .att = frame { () } else { nil }
        }
        try await fake.die()
        await #expect(throws: CBError(.connectionTimeout)) {
            try await app.answer("services") { if case .services(let error) = $0 { .some(error) } else { nil } }
        }
        #expect(try await app.expectDisconnected(peripheral) as? CBError == CBError(.connectionTimeout))
        #expect(fake.directory.addresses() == [fake.address])
        app.manager.scanForPeripherals(withServices: nil)
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise("alive")
        _ = try await app.discovered("alive")
        #expect(!fake.directory.addresses().contains(fake.address))
    }

    @Test("a peripheral that accepts the connection and never answers is waited for until it is cancelled")
    func neverAccepts() async throws {
        let fake = try FakePeripheral(in: air.radio)
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("fake")
        app.manager.connect(peripheral)
        try await fake.frames.next("the attempt") { frame in
            if case .connect = frame { () } else { nil }
        }
        #expect(peripheral.state == .connecting)
        app.manager.cancelPeripheralConnection(peripheral)
        #expect(try await app.expectDisconnected(peripheral) == nil)
        #expect(peripheral.state == .disconnected)
    }

    @Test("a peripheral that dies before it answers is tried again")
    func diesEarly() async throws {
        let attempts = Locked(0)
        let fake = try FakePeripheral(in: air.radio) { stream, frame in
            guard case .connect = frame else { return }
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            if attempt < 3 { stream.close() } else { stream.sendNow(.accepted(mtu: 23)) }
        }
        let app = try await CentralProbe.ready(air)
        try await app.connect(try await app.find("fake"))
        #expect(attempts.withLock { $0 } == 3)
        _ = fake
    }

    @Test("a refusal is reported and the peripheral can be tried again")
    func refuses() async throws {
        let fake = try FakePeripheral(in: air.radio) { stream, frame in
            if case .connect = frame { stream.close(farewell: .refused) }
        }
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("fake")
        for _ in 0..<2 {
            app.manager.connect(peripheral)
            let error = try await app.events.next("the refusal") { event -> CBError? in
                if case .failed(peripheral, let error) = event { error as? CBError } else { nil }
            }
            #expect(error == CBError(.connectionFailed))
            #expect(peripheral.state == .disconnected)
        }
        _ = fake
    }

    @Test(
        "hostile answers end the link or the request with an error",
        arguments: [
            // Handles that go down, that repeat, that are zero; UUIDs of no width; an empty list; the wrong answer.
            .readByGroupTypeResponse([.init(first: 5, last: 2, value: Data([1, 2]))]),
            .readByGroupTypeResponse([.init(first: 0, last: 0, value: Data([1, 2]))]),
            .readByGroupTypeResponse([
                .init(first: 9, last: 9, value: Data([1, 2])), .init(first: 3, last: 4, value: Data([1, 2])),
            ]),
            .readByGroupTypeResponse([.init(first: 1, last: 2, value: Data([1, 2, 3]))]),
            .readResponse(Data([1])), .confirmation, .readRequest(handle: 1),
            .error(request: 0x12, handle: 0, code: 1), .error(request: 0x10, handle: 0, code: 0),
        ] as [ATTPacket])
    func hostile(answer: ATTPacket) async throws {
        let (fake, app, peripheral) = try await connected { stream, _ in stream.sendNow(.att(answer.encoded)) }
        peripheral.discoverServices(nil)
        await #expect(throws: (any Error).self) {
            try await app.answer("services") { if case .services(let error) = $0 { .some(error) } else { nil } }
        }
        #expect(peripheral.services == nil)
        _ = fake
    }

    @Test(
        "characteristics with impossible handles are refused", arguments: [[0x02, 0, 0], [0x02, 3, 0], [0x02, 9, 0]])
    func impossible(declaration: [UInt8]) async throws {
        let (fake, app, peripheral) = try await connected { stream, packet in
            switch packet {
            case .readByGroupTypeRequest:
                let group = ATTPacket.Group(first: 3, last: 0xFFFF, value: Data([0x0D, 0x18]))
                stream.sendNow(.att(ATTPacket.readByGroupTypeResponse([group]).encoded))
            case .readByTypeRequest(first: 3, last: _, type: _):
                let lines = [3, 5].map { ATTPacket.Attribute(handle: $0, value: Data(declaration + [0x37, 0x2A])) }
                stream.sendNow(.att(ATTPacket.readByTypeResponse(lines).encoded))
            default: stream.sendNow(.att(ATTPacket.error(request: packet.opcode, handle: 0, code: 0x0A).encoded))
            }
        }
        await #expect(throws: CBATTError(.invalidPdu)) { try await app.discoverAll(peripheral) }
        _ = fake
    }

    @Test("bytes that are no frames end the link, and the next peripheral is still found")
    func garbage() async throws {
        let (fake, app, peripheral) = try await connected { stream, _ in
            stream.sendNow(.listen(RadioAddress(number: 1)))
        }
        peripheral.discoverServices(nil)
        let error = try await app.expectDisconnected(peripheral)
        #expect(error as? CBError == CBError(.connectionFailed))
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise("good")
        try await app.connect(try await app.find("good"))
        _ = fake
    }

    @Test("a central that breaks the protocol loses its link; others are served")
    func hostileCentral() async throws {
        let pair = try await Pair(air)
        let directory = RadioDirectory(path: air.radio.path)
        let address = try #require(directory.addresses().first)
        let queue = DispatchQueue(label: "test.hostile")
        let software = SoftwareAir(
            queue: queue, address: RadioAddress(number: 77), directory: directory, conditions: RadioConditions(),
            clock: RadioClock(ContinuousClock()), random: RadioRandom())
        let hello = RadioFrame.connect(RadioAddress(number: 77), mtu: 0)
        for frames in [
            [.refused], [hello, .att(Data([0x99]))], [hello, .att(Data([0x0B, 1]))], [hello, hello],
            [hello, .accepted(mtu: 1)],
            [hello, .att(ATTPacket.confirmation.encoded)], [.att(Data([1]))],
        ] as [[RadioFrame]] {
            guard case .reached(let socket) = directory.reach(address) else {
                Issue.record("the peripheral cannot be reached")
                return
            }
            let ends = Recorder<FrameStream.End>()
            queue.sync {
                let stream = FrameStream(socket, on: software)
                stream.start(
                    onFrame: { _ in
                        // Held until the end.
                        _ = stream
                    }, onEnd: { ends.record($0) })
                for frame in frames { stream.sendNow(frame) }
            }
            #expect(try await ends.next("the end of the hostile link") { $0 } == .closed)
        }
        #expect(try await pair.app.read(pair.remote(pair.sample.fixed)) == Data("Porchlight".utf8))
    }

    @Test("without a directory that is this user's alone to write to, there is no radio")
    func directory() async throws {
        let open = air.directory.appendingPathComponent("open")
        try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open.path)
        _ = try await CentralProbe.ready(air)
        let link = air.directory.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: air.radio)
        for path in [open.path, link.path, "/nowhere/at/all"] {
            let probe = CentralProbe(air.central(nil).merging([CBManagerOptionRadioDirectoryKey: path]) { $1 })
            try await probe.expectState(.unsupported)
            #expect(probe.manager.stateReason?.contains("PORCHLIGHT_RADIO_DIR") == true)
        }
    }

    @Test("without a queue the delegate is called on the main queue")
    func mainQueue() async throws {
        final class Delegate: NSObject, CBCentralManagerDelegate {
            let states = Recorder<CBManagerState>()
            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                dispatchPrecondition(condition: .onQueue(.main))
                let state = MainActor.assumeIsolated { central.state }
                states.record(state)
            }
        }
        let delegate = Delegate()
        let manager = CBCentralManager(delegate: delegate, queue: nil, options: air.central(nil))
        #expect(try await delegate.states.next("the state") { $0 } == .poweredOn)
        #expect(manager.delegate === delegate)
    }
}
