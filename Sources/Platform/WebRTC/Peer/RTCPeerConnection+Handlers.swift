import Dispatch

/// The forms with completion handlers, which are called on the connection's queue.
extension RTCPeerConnection {
    /// ``offer(for:)`` with a handler.
    public func offer(
        for constraints: RTCMediaConstraints,
        completionHandler: @escaping @Sendable (RTCSessionDescription?, (any Error)?) -> Void
    ) {
        run(completionHandler) { () async throws(WebRTCError) in try await self.offer(for: constraints) }
    }

    /// ``answer(for:)`` with a handler.
    public func answer(
        for constraints: RTCMediaConstraints,
        completionHandler: @escaping @Sendable (RTCSessionDescription?, (any Error)?) -> Void
    ) {
        run(completionHandler) { () async throws(WebRTCError) in try await self.answer(for: constraints) }
    }

    /// ``setLocalDescription(_:)`` with a handler.
    public func setLocalDescription(
        _ description: RTCSessionDescription, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        run({ completionHandler($1) }) { () async throws(WebRTCError) in
            try await self.setLocalDescription(description)
        }
    }

    /// ``setRemoteDescription(_:)`` with a handler.
    public func setRemoteDescription(
        _ description: RTCSessionDescription, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        run({ completionHandler($1) }) { () async throws(WebRTCError) in
            try await self.setRemoteDescription(description)
        }
    }

    /// ``add(_:)`` with a handler.
    public func add(_ candidate: RTCIceCandidate, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        run({ completionHandler($1) }) { () async throws(WebRTCError) in try await self.add(candidate) }
    }

    private func run<Value: Sendable>(
        _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws(WebRTCError) -> Value
    ) {
        Task { [queue] in
            do throws(WebRTCError) {
                let value = try await body()
                queue.async { handler(value, nil) }
            } catch {
                queue.async { handler(nil, error) }
            }
        }
    }
}
