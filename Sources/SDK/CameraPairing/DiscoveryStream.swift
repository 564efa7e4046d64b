import Foundation

/// Tells one consumer of each camera that comes into the list. Confined to the manager's queue.
struct DiscoveryStream {
    /// How many wait for a slow consumer.
    static let limit = 1024

    private var continuation: AsyncStream<BLECamera>.Continuation?
    private var scan = 0
    private var told: Set<UUID> = []
    private var number = 0

    /// Tells of the cameras of this scan; whoever heard of those of another hears no more.
    /// - Returns: The number by which ``isOpen(_:)`` knows it.
    mutating func begin(_ continuation: AsyncStream<BLECamera>.Continuation, scan: Int) -> Int {
        number += 1
        self.continuation?.finish()
        self.continuation = continuation
        self.scan = scan
        told = []
        return number
    }

    /// Whether this one still hears of cameras.
    func isOpen(_ number: Int) -> Bool { number == self.number && continuation != nil }

    /// Looks what has come, and whether the scan is over.
    mutating func follow(_ flow: PairingFlow) {
        guard let continuation else { return }
        let present = flow.cameras.introduced
        for camera in flow.published.cameraList where present.contains(camera.identifier) {
            if told.insert(camera.identifier).inserted { continuation.yield(camera) }
        }
        told.formIntersection(present)
        if flow.scans != scan || !flow.isSearching {
            continuation.finish()
            self.continuation = nil
        }
    }
}
