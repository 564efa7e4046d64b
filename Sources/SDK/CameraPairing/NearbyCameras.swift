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

    private struct Entry {
        var camera: BLECamera
        var average: Double?
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
            entries[id] = Entry(camera: camera, average: rssi == 127 ? nil : Double(rssi))
            return
        }
        entry.camera.layouts = sighting.layouts
        // The name stands in the scan response, which can come after the first packet.
        if let advertisedName = sighting.name, !advertisedName.isEmpty {
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
