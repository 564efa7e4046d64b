import Foundation
import TestSupport
import Testing
import WebRTC

@Suite("A peer connection")
struct PeerConnectionTests {
    @Test("brings H.264 frames of the right size and messages both ways, and closes cleanly")
    func videoAndData() async throws {
        let source = smallSource()
        try source.startCapture()
        let viewing = try await Viewing(of: Engine.factory.videoTrack(with: source, trackId: "video"))
        try await viewing.connects()
        try await viewing.sees(atLeast: 10)
        let frame = try #require(viewing.counter.last)
        #expect(frame.width == 320 && frame.height == 240)
        #expect(viewing.counter.sizes == [CGSize(width: 320, height: 240)])
        #expect(viewing.viewerLog.entries.contains(.added(streams: ["camera"])))
        #expect(viewing.viewerLog.entries.contains(.receiving))
        #expect(viewing.viewer.transceivers.map(\.currentDirection) == [.recvOnly])
        #expect(viewing.camera.transceivers.map(\.currentDirection) == [.sendOnly])

        try await within(.seconds(20), "the channel opens at the viewer") {
            try await viewing.viewerLog.hears(.channel(label: "control", .open))
        }
        try await within(.seconds(20), "the channel opens at the camera") {
            try await viewing.cameraLog.hears(.opened(label: "control"))
        }
        #expect(viewing.channel.sendData(RTCDataBuffer(data: Data("siren".utf8), isBinary: false)))
        try await within(.seconds(20), "the text arrives") {
            try await viewing.cameraLog.hears(.message(Data("siren".utf8), isBinary: false))
        }
        let back = try #require(viewing.cameraLog.channels.first)
        #expect(back.sendData(RTCDataBuffer(data: Data([0, 1, 2, 255]), isBinary: true)))
        try await within(.seconds(20), "the bytes arrive") {
            try await viewing.viewerLog.hears(.message(Data([0, 1, 2, 255]), isBinary: true))
        }
        let tooLarge = Data(count: RTCDataChannel.maximumMessageSize + 1)
        #expect(!back.sendData(RTCDataBuffer(data: tooLarge, isBinary: true)))
        #expect(!back.sendData(RTCDataBuffer(data: Data([0xFF]), isBinary: false)))

        await viewing.close()
        #expect(viewing.viewer.connectionState == .closed && viewing.camera.signalingState == .closed)
        #expect(viewing.channel.readyState == .closed && back.readyState == .closed)
        #expect(!viewing.channel.sendData(RTCDataBuffer(data: Data("late".utf8), isBinary: false)))
        #expect(viewing.viewer.dataChannel(forLabel: "late") == nil)
        await #expect(throws: WebRTCError.closed) { try await viewing.viewer.offer(for: noConstraints) }
        await source.stopCapture()
        #expect(source.state == .ended)
    }

    @Test("keeps what arrives on a channel until somebody listens")
    func unreadMessages() async throws {
        let source = smallSource()
        let viewing = try await Viewing(of: Engine.factory.videoTrack(with: source, trackId: "video"))
        try await within(.seconds(20), "the channel opens") {
            try await viewing.viewerLog.hears(.channel(label: "control", .open))
        }
        try await within(.seconds(20), "the channel opens at the camera") {
            try await viewing.cameraLog.hears(.opened(label: "control"))
        }
        viewing.channel.delegate = nil
        let back = try #require(viewing.cameraLog.channels.first)
        for text in ["one", "two"] { #expect(back.sendData(RTCDataBuffer(data: Data(text.utf8), isBinary: false))) }
        #expect(!back.sendData(RTCDataBuffer(data: Data(), isBinary: true)))
        // Wherever the messages are on their way by now, none may be lost.
        let reader = PeerLog()
        viewing.channel.delegate = reader
        try await within(.seconds(20), "the last text") {
            try await reader.hears(.message(Data("two".utf8), isBinary: false))
        }
        #expect(
            reader.entries == [
                .message(Data("one".utf8), isBinary: false), .message(Data("two".utf8), isBinary: false),
            ])
        await viewing.close()
    }

    @Test("works when candidates trickle")
    func trickle() async throws {
        let (viewerLog, cameraLog) = (PeerLog(), PeerLog())
        let viewer = try Engine.factory.makePeerConnection(with: RTCConfiguration(), delegate: viewerLog)
        let camera = try Engine.factory.makePeerConnection(with: RTCConfiguration(), delegate: cameraLog)
        let channel = try #require(viewer.dataChannel(forLabel: "control"))
        let offer = try await viewer.offer(for: noConstraints)
        #expect(!offer.sdp.contains("a=candidate:"))
        try await viewer.setLocalDescription(offer)
        try await camera.setRemoteDescription(offer)
        let answer = try await camera.answer(for: noConstraints)
        try await camera.setLocalDescription(answer)
        try await viewer.setRemoteDescription(answer)
        for (from, to) in [(viewerLog, camera), (cameraLog, viewer)] {
            try await within(.seconds(20), "gathering ends") { try await from.hears(.gathering(.complete)) }
            for case .candidate(let candidate) in from.entries {
                #expect(candidate.sdp.hasPrefix("candidate:") && candidate.sdpMid != nil)
                try await to.add(candidate)
            }
            try await to.add(RTCIceCandidate(sdp: "", sdpMLineIndex: 0, sdpMid: nil))
        }
        try await within(.seconds(20), "the viewer connects") { try await viewerLog.hears(.connection(.connected)) }
        await #expect(throws: WebRTCError.self) {
            try await viewer.add(RTCIceCandidate(sdp: "candidate:1 1 UDP", sdpMLineIndex: 0, sdpMid: nil))
        }
        await #expect(throws: WebRTCError.self) {
            let text = "candidate:1 1 UDP 1 127.0.0.1 9 typ host"
            try await viewer.add(RTCIceCandidate(sdp: text, sdpMLineIndex: 7, sdpMid: nil))
        }
        #expect(channel.readyState != .closed)
        for peer in [viewer, camera] {
            peer.close()
            await peer.closed()
        }
    }

    @Test("sends from the side that offers too, and through completion handlers")
    func cameraOffers() async throws {
        let source = smallSource()
        try source.startCapture()
        let (viewerLog, counter) = (PeerLog(), FrameCounter())
        let camera = try #require(
            Engine.factory.peerConnection(with: RTCConfiguration(), constraints: noConstraints, delegate: nil))
        let viewer = try Engine.factory.makePeerConnection(with: RTCConfiguration(), delegate: viewerLog)
        let options = RTCRtpTransceiverInit()
        options.direction = .sendOnly
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        #expect(camera.addTransceiver(with: track, init: options) != nil)
        let offer = try await withCheckedThrowingContinuation { continuation in
            camera.offer(for: noConstraints) { offer, error in
                continuation.resume(with: offer.map { .success($0) } ?? .failure(error ?? WebRTCError.closed))
            }
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            camera.setLocalDescription(offer) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
        try await camera.iceGatheringCompleted()
        try await viewer.setRemoteDescription(try #require(camera.localDescription))
        let received = try #require(viewer.receivers.first?.track as? RTCVideoTrack)
        received.add(counter)
        try await viewer.setLocalDescription(viewer.answer(for: noConstraints))
        try await viewer.iceGatheringCompleted()
        try await camera.setRemoteDescription(try #require(viewer.localDescription))
        try await within(.seconds(20), "a frame") { try await counter.frames(atLeast: 3) }
        for peer in [viewer, camera] {
            peer.close()
            await peer.closed()
        }
        #expect(received.readyState == .ended)
        await source.stopCapture()
    }

    @Test("reports statistics of both directions, of the pair of candidates and of the transport")
    func statistics() async throws {
        let source = smallSource()
        try source.startCapture()
        let viewing = try await Viewing(of: Engine.factory.videoTrack(with: source, trackId: "video"))
        try await viewing.sees(atLeast: 10)
        let inbound = await viewing.viewer.statistics()
        // The stream of retransmissions is reported beside that of the picture.
        #expect(
            inbound.statistics(ofType: "inbound-rtp").contains {
                $0.number("packetsReceived") ?? 0 >= 10 && $0.number("bytesReceived") ?? 0 > 1000
            })
        let outbound = await viewing.camera.statistics()
        #expect(outbound.statistics(ofType: "outbound-rtp").contains { $0.number("packetsSent") ?? 0 >= 10 })
        for report in [inbound, outbound] {
            let transport = try #require(report.statistics(ofType: "transport").first)
            let pair = try #require(transport.text("selectedCandidatePairId").flatMap { report.statistics[$0] })
            #expect(pair.type == "candidate-pair" && pair.text("localCandidateId") != nil)
            #expect(report.statistics(ofType: "local-candidate").contains { $0.text("candidateType") == "host" })
        }
        await viewing.close()
        #expect(await viewing.viewer.statistics().statistics.isEmpty)
        await source.stopCapture()
    }

    @Test("is cut when the peer's certificate is not the one that its description promised")
    func wrongFingerprint() async throws {
        let source = smallSource()
        try source.startCapture()
        let viewing = try await Viewing(of: Engine.factory.videoTrack(with: source, trackId: "video")) { answer in
            let lines = answer.sdp.split(separator: "\r\n").map { line in
                line.hasPrefix("a=fingerprint:")
                    ? "a=fingerprint:sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":") : line
            }
            return RTCSessionDescription(type: .answer, sdp: lines.map { $0 + "\r\n" }.joined())
        }
        try await within(.seconds(20), "the viewer gives up") {
            try await viewing.viewerLog.hears(.connection(.failed))
        }
        #expect(viewing.viewer.failure == .wrongFingerprint)
        #expect(viewing.counter.frames == 0)
        #expect(!viewing.viewerLog.entries.contains(.connection(.connected)))
        await viewing.close()
        await source.stopCapture()
    }

    @Test("refuses what does not fit its state, and stays usable")
    func states() async throws {
        let peer = try Engine.factory.makePeerConnection(with: RTCConfiguration())
        await #expect(throws: WebRTCError.self) { try await peer.offer(for: noConstraints) }
        await #expect(throws: WebRTCError.self) { try await peer.answer(for: noConstraints) }
        await #expect(throws: WebRTCError.self) {
            try await peer.add(RTCIceCandidate(sdp: "candidate:1", sdpMLineIndex: 0, sdpMid: nil))
        }
        #expect(peer.addTransceiver(of: .audio) == nil)
        #expect(peer.addTransceiver(of: .video) != nil)
        let offer = try await peer.offer(for: noConstraints)
        await #expect(throws: WebRTCError.self) {
            try await peer.setLocalDescription(RTCSessionDescription(type: .offer, sdp: offer.sdp + "a=x\r\n"))
        }
        await #expect(throws: WebRTCError.self) {
            try await peer.setRemoteDescription(RTCSessionDescription(type: .answer, sdp: offer.sdp))
        }
        await #expect(throws: WebRTCError.self) {
            try await peer.setRemoteDescription(RTCSessionDescription(type: .rollback, sdp: offer.sdp))
        }
        try await peer.setLocalDescription(offer)
        #expect(peer.signalingState == .haveLocalOffer || peer.localDescription?.type == .offer)
        #expect(peer.addTransceiver(of: .video) == nil)
        await #expect(throws: WebRTCError.self) { try await peer.offer(for: noConstraints) }
        peer.close()
        peer.close()
        await peer.closed()
        await #expect(throws: WebRTCError.closed) { try await peer.iceGatheringCompleted() }
    }

    @Test("gives up waiting for candidates when its task is cancelled or it is closed")
    func waiting() async throws {
        let peer = try Engine.factory.makePeerConnection(with: RTCConfiguration())
        let cancelled = Task { try await peer.iceGatheringCompleted() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task { try await peer.iceGatheringCompleted() }
        peer.close()
        await #expect(throws: WebRTCError.closed) { try await waiting.value }
        await peer.closed()
    }
}
