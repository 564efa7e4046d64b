import Basics
import Dispatch
import Foundation
import TestSupport

@testable import CoreBluetooth

/// The process behind a peripheral's socket, played by the test.
final class FakePeripheral: @unchecked Sendable {
    // Unchecked because the mutable state is touched on `queue` only.
    let address: RadioAddress
    let directory: RadioDirectory
    private let queue = DispatchQueue(label: "test.fake")
    private let air: SoftwareAir
    private let listener: Locked<RadioSocket?>
    private let closings = Recorder<Void>()
    private var source: (any DispatchSourceRead)?
    private var streams: [FrameStream] = []
    private let onConnect: @Sendable (FrameStream, RadioFrame) -> Void
    let frames = Recorder<RadioFrame>()

    /// Advertises as `fake` and lets `onConnect` play what comes after a central's first frame on a link.
    init(
        in directory: URL, number: UInt64 = 0xC0FE_0000_0001,
        onConnect: @escaping @Sendable (FrameStream, RadioFrame) -> Void = { _, _ in }
    ) throws {
        self.directory = RadioDirectory(path: directory.path)
        self.onConnect = onConnect
        address = RadioAddress(number: number)
        air = SoftwareAir(
            queue: queue, address: address, directory: self.directory, conditions: RadioConditions(),
            clock: RadioClock(ContinuousClock()), random: RadioRandom())
        try self.directory.prepare()
        let socket = try RadioSocket.listen(at: self.directory.path(of: address))
        let listener = Locked<RadioSocket?>(socket)
        self.listener = listener
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.accept() }
        source.setCancelHandler { [closings] in
            listener.withLock { $0 = nil }
            closings.record(())
        }
        self.source = source
        source.activate()
    }

    deinit { source?.cancel() }

    private func accept() {
        while let socket = try? listener.withLock({ $0 })?.accept() {
            let stream = FrameStream(socket, on: air)
            streams.append(stream)
            stream.start(
                onFrame: { [weak self, weak stream] frame in
                    guard let self, let stream else { return }
                    frames.record(frame)
                    switch frame {
                    case .listen:
                        guard let packet = try? AdvertisementPacket(Advertisement(localName: "fake")) else { return }
                        stream.sendNow(.advertisement(packet, isConnectable: true, rssi: -40))
                    default: onConnect(stream, frame)
                    }
                }, onEnd: { _ in })
        }
    }

    /// Dies as a killed process does: everything closes without a word, and the name stays behind. On return nobody is
    /// left waiting at its door, which closes after the source that watches it.
    func die() async throws {
        queue.sync {
            source?.cancel()
            source = nil
        }
        try await closings.next("the listener's end") { $0 }
        queue.sync {
            for stream in streams { stream.close() }
            streams = []
        }
    }
}
