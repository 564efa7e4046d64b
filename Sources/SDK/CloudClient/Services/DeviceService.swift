public import Combine
public import Wire

/// The devices of a space.
///
/// Each call is there twice: as a cold publisher that makes one request for each subscription, delivers one
/// ``ServiceResult`` on an arbitrary thread and is cancelled with its subscription; and as `async`, which throws what went
/// wrong. An answer that is about another space or device than was asked for is refused as
/// ``CloudError/unexpectedAnswer(status:reason:)``.
public struct DeviceService: Sendable {
    private let connection: CloudConnection

    init(_ connection: CloudConnection) { self.connection = connection }

    /// Asks for one device. Source: seed 001, step 6.
    public func device(spaceId: String, deviceId: String) -> AnyPublisher<ServiceResult<DeviceModel>, Never> {
        ServicePublisher { () async throws(CloudError) in
            try await device(spaceId: spaceId, deviceId: deviceId)
        }.eraseToAnyPublisher()
    }

    /// Asks for one device. Source: seed 001, step 6.
    public func device(spaceId: String, deviceId: String) async throws(CloudError) -> DeviceModel {
        let route = CloudRoute.device(
            space: try CloudCall.segment(spaceId, "spaceId"), device: try CloudCall.segment(deviceId, "deviceId"))
        let device = try await connection.value(DeviceModel.self, of: .get(route), expecting: [200])
        guard device.spaceId == spaceId, device.deviceId == deviceId else {
            throw .unexpectedAnswer(status: 200, reason: "it is about another device than was asked for")
        }
        return device
    }

    /// Asks for all devices of a space.
    public func devices(spaceId: String) -> AnyPublisher<ServiceResult<[DeviceModel]>, Never> {
        ServicePublisher { () async throws(CloudError) in
            try await devices(spaceId: spaceId)
        }.eraseToAnyPublisher()
    }

    /// Asks for all devices of a space.
    public func devices(spaceId: String) async throws(CloudError) -> [DeviceModel] {
        let route = CloudRoute.devices(space: try CloudCall.segment(spaceId, "spaceId"))
        let devices = try await connection.value([DeviceModel].self, of: .get(route), expecting: [200])
        guard devices.allSatisfy({ $0.spaceId == spaceId }) else {
            throw .unexpectedAnswer(status: 200, reason: "it lists a device of another space than was asked for")
        }
        return devices
    }
}
