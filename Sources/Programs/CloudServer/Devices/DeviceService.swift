import Wire

/// Reads devices: what is remembered of them, and whether they are connected.
struct DeviceService: Sendable {
    let store: any Store
    let cameras: CameraHub

    static var noSuchDevice: Refusal {
        Refusal(.notFound, "There is no such device in this space.", field: "deviceId")
    }

    func device(_ id: String, space: String) async throws -> DeviceModel {
        guard let id = DeviceID(rawValue: id), var device = try await store.device(id), device.spaceId == space else {
            throw Self.noSuchDevice
        }
        device.online = await cameras.isOnline(id)
        return device
    }

    func devices(space: String) async throws -> [DeviceModel] {
        let online = await cameras.online
        return try await store.devices(space: space).map { device in
            var device = device
            device.online = DeviceID(rawValue: device.deviceId).map(online.contains) ?? false
            return device
        }
    }
}
