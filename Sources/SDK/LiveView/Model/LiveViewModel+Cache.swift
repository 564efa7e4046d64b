import Basics

extension LiveViewModel {
    private struct Key: Hashable {
        var spaceId: String
        var deviceId: String
        var mode: LiveViewMode
    }

    private static let cache = Locked<[Key: LiveViewModel]>([:])

    /// The model of a device and mode: always the same one, which outlives the screens that use it. It talks to the cloud
    /// that `InstaSDK` is configured for.
    ///
    /// Callbacks assigned to it stay until they are cleared, so clear them when a screen goes away.
    /// - Parameter wakeup: See ``wakeup``; set anew on a model that exists already.
    public static func model(
        spaceId: String, deviceId: String, mode: LiveViewMode = .live, wakeup: Bool = false
    ) -> LiveViewModel {
        let model = cache.withLock { models in
            let key = Key(spaceId: spaceId, deviceId: deviceId, mode: mode)
            if let known = models[key] { return known }
            let model = LiveViewModel(spaceId: spaceId, deviceId: deviceId, mode: mode, wakeup: wakeup)
            models[key] = model
            return model
        }
        model.wakeup = wakeup
        return model
    }
}
