/// The services of the cloud that ``InstaSDK`` is configured for.
///
/// They may be asked for before ``InstaSDK/configure(environment:region:cloud:token:)``: the configuration is read by each
/// call when it begins. To talk to several clouds from one process, make a ``CloudConnection`` for each.
public enum Factory {
    /// Pairing sessions.
    public static var spaceService: SpaceService { CloudConnection.shared.spaceService }
    /// The devices of a space.
    public static var deviceService: DeviceService { CloudConnection.shared.deviceService }
    /// Offers and answers of live views.
    public static var liveService: LiveService { CloudConnection.shared.liveService }
}
