internal import Basics
import Dispatch

extension RTCPeerConnection {
    /// Takes an event of the engine, on one of its threads.
    func engineReports(_ event: WebRTCBin.Event) {
        switch event {
        case .receiving(let pad, let engine):
            // Here and now: the engine pushes data into the pad as soon as this returns, and a pad that leads nowhere
            // ends the stream.
            receive(pad, of: engine)
        case .channelPrepared(let engine):
            // Here and now, so that no message arrives before its reader.
            let channel = RTCDataChannel(engine, of: bin, trust: trust, queue: queue)
            state.withLock { state in
                if !state.isClosed { state.prepared[UInt(bitPattern: engine.pointer)] = channel }
            }
        case .channelOpened(let engine):
            queue.async { [weak self] in self?.channelOpened(engine) }
        case .signalingStateChanged: queue.async { [weak self] in self?.signalingStateChanged() }
        case .iceConnectionStateChanged: queue.async { [weak self] in self?.iceConnectionStateChanged() }
        case .iceGatheringStateChanged: queue.async { [weak self] in self?.iceGatheringStateChanged() }
        case .connectionStateChanged: queue.async { [weak self] in self?.connectionStateChanged() }
        case .candidate(let line, let text): queue.async { [weak self] in self?.candidate(text, line: Int(line)) }
        case .failed(let reason):
            queue.async { [weak self] in self?.fail(.connectionLost(reason: reason)) }
        }
    }

    private func receive(_ pad: Pad, of engine: OwnedObject) {
        let transceiver = transceivers.first { $0.state.withLock { $0.engine?.pointer } == engine.pointer }
        do throws(WebRTCError) {
            guard let transceiver, let track = transceiver.incomingTrack else { return try bin.discard(pad) }
            let incoming = try IncomingVideo(pad, to: track, of: bin) { [trust, weak bin] in
                bin.map { trust.holds(for: $0) } ?? false
            }
            transceiver.state.withLock { $0.incoming = incoming }
            notify { $0.peerConnection($1, didStartReceivingOn: transceiver) }
        } catch {
            queue.async { [weak self] in self?.fail(error) }
        }
    }

    private func channelOpened(_ engine: OwnedObject) {
        let channel: RTCDataChannel? = state.withLock { state in
            guard let channel = state.prepared.removeValue(forKey: UInt(bitPattern: engine.pointer)) else { return nil }
            state.channels.append(channel)
            return channel
        }
        guard let channel else { return }
        guard trust.holds(for: bin) else { return fail(.wrongFingerprint) }
        delegate?.peerConnection(self, didOpen: channel)
    }

    private func signalingStateChanged() {
        let new = RTCSignalingState(engine: bin.state("signaling-state"))
        guard change(\.signaling, to: new) else { return }
        delegate?.peerConnection(self, didChange: new)
    }

    private func iceConnectionStateChanged() {
        let new = RTCIceConnectionState(engine: bin.state("ice-connection-state"))
        guard change(\.iceConnection, to: new) else { return }
        delegate?.peerConnection(self, didChange: new)
    }

    private func iceGatheringStateChanged() {
        let new = RTCIceGatheringState(engine: bin.state("ice-gathering-state"))
        guard change(\.gathering, to: new) else { return }
        if new == .complete {
            let waiters = state.withLock { state in
                defer { state.waiters = [:] }
                return Array(state.waiters.values)
            }
            for waiter in waiters { waiter.resume() }
        }
        delegate?.peerConnection(self, didChange: new)
    }

    private func connectionStateChanged() {
        let new = RTCPeerConnectionState(engine: bin.state("connection-state"))
        if new == .connected {
            guard trust.holds(for: bin) else { return fail(.wrongFingerprint) }
            // Only now: what is sent before DTLS is up is lost, and with it the key frame made for this viewer.
            for transceiver in transceivers { transceiver.state.withLock { $0.outgoing }?.open() }
        }
        guard change(\.connection, to: new) else { return }
        delegate?.peerConnection(self, didChange: new)
    }

    private func candidate(_ text: String, line: Int) {
        let mid: String? = state.withLock { state in
            state.local.flatMap { $0.sections.indices.contains(line) ? $0.sections[line].mid : nil }
        }
        guard !state.withLock({ $0.isClosed }) else { return }
        delegate?.peerConnection(
            self, didGenerate: RTCIceCandidate(sdp: text, sdpMLineIndex: Int32(clamping: line), sdpMid: mid))
    }

    /// Takes over a state, unless the connection is closed or nothing changes.
    private func change<Value: Equatable & Sendable>(
        _ path: any WritableKeyPath<State, Value> & Sendable, to new: Value
    ) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        return state.withLock { state in
            guard !state.isClosed, state[keyPath: path] != new else { return false }
            state[keyPath: path] = new
            return true
        }
    }
}
