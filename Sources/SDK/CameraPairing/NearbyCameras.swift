import Foundation

/// The cameras heard in one scan, with strength smoothed so that the list does not jump at every packet.
///
/// Strength is an exponential average that gives each new packet a quarter. A camera changes its step only when the
/// average has passed the step's threshold by 3 dB, and within a step the order is by name.
struct NearbyCameras: Sendable {
    private static let weightOfNew = 0.25
    private static let hysteresis = 3.0
    /// More than a person can choose from; whoever fills the air with names gets no more memory than this.
    private static let limit = 128

    /// A camera that was heard this often is heard again soon, or is gone. Some radios tell of each device only once.
    private static let packetsOfPresence = 3
    /// After this many ticks of silence it is gone.
    private static let ticksOfSilence = 3

    private struct Entry {
        var camera: BLECamera
        var average: Double?
        var packets = 1
        var silence = 0
        /// The scan response with the name can come after the first packet.
        var isNamed: Bool
    }

    private var entries: [UUID: Entry] = [:]

    /// The strongest step first, then by name; the identifier settles equal names.
    var sorted: [BLECamera] {
        entries.values.map(\.camera).sorted { left, right in
            if left.signal != right.signal { return left.signal > right.signal }
            if left.name != right.name { return left.name < right.name }
            return left.identifier.uuidString < right.identifier.uuidString
        }
    }

    func contains(_ id: UUID) -> Bool { entries[id] != nil }

    mutating func hear(_ id: UUID, _ sighting: Sighting) {
        let rssi = sighting.rssi
        guard var entry = entries[id] else {
            guard entries.count < Self.limit else { return }
            let name = BLECamera.displayName(
                advertised: sighting.name, identifier: id, protocol: sighting.pairingProtocol)
            var camera = BLECamera(
                name: name, identifier: id, rssi: rssi, protocol: sighting.pairingProtocol)
            camera.layouts = sighting.layouts
            let isNamed = !(sighting.name ?? "").isEmpty
            entries[id] = Entry(camera: camera, average: rssi == 127 ? nil : Double(rssi), isNamed: isNamed)
            return
        }
        entry.packets += 1
        entry.silence = 0
        entry.camera.layouts = sighting.layouts
        if let advertisedName = sighting.name, !advertisedName.isEmpty {
            entry.isNamed = true
            entry.camera.name = BLECamera.displayName(
                advertised: advertisedName, identifier: id, protocol: sighting.pairingProtocol)
        }
        if rssi != 127 {
            let average = entry.average.map { $0 + (Double(rssi) - $0) * Self.weightOfNew } ?? Double(rssi)
            let isFirst = entry.average == nil
            entry.average = average
            entry.camera.rssi = Int(average.rounded())
            entry.camera.signal =
                isFirst ? BLECamera.Signal(rssi: rssi) : Self.step(from: entry.camera.signal, average: average)
        }
        entries[id] = entry
    }

    /// Those that were heard with their name, or again without.
    var introduced: Set<UUID> { Set(entries.filter { $0.value.isNamed || $0.value.packets > 1 }.keys) }

    /// Some time has passed: drops who has fallen silent.
    /// - Parameter linked: The camera that is connected has a reason not to advertise.
    mutating func tick(linked: UUID?) {
        for (id, entry) in entries {
            entries[id]?.silence += 1
            let isGone = entry.packets >= Self.packetsOfPresence && entry.silence + 1 >= Self.ticksOfSilence
            if isGone, id != linked { entries[id] = nil }
        }
    }

    mutating func identify(_ id: UUID, as deviceID: String) { entries[id]?.camera.cameraDid = deviceID }

    /// Takes a name that the camera has told; one that leaves nothing to show changes nothing.
    mutating func rename(_ id: UUID, to name: String) {
        let shown = BLECamera.shown(name)
        if !shown.isEmpty { entries[id]?.camera.name = shown }
    }

    private static func step(from current: BLECamera.Signal, average: Double) -> BLECamera.Signal {
        let up = BLECamera.Signal(rssi: Int((average - hysteresis).rounded(.down)))
        let down = BLECamera.Signal(rssi: Int((average + hysteresis).rounded(.down)))
        return max(min(current, down), up)
    }
}
