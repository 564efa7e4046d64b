import Foundation
import TestSupport
import Testing

@testable import WebRTC

@Suite("An offer of another program")
struct OfferTests {
    @Test(
        "is answered with its own H.264 payload type",
        arguments: [
            ("Chromium", RecordedOffer.chromium, "108 109", "42e01f"),
            ("aiortc", RecordedOffer.aiortc, "101 102", "42e01f"),
            ("Safari", RecordedOffer.safariLike, "98", "42e02a"),
        ])
    func answer(name: String, offer: String, payloadTypes: String, profile: String) async throws {
        let source = smallSource()
        let camera = try Engine.factory.makePeerConnection(with: RTCConfiguration())
        camera.add(Engine.factory.videoTrack(with: source, trackId: "video"), streamIds: ["camera"])
        try await camera.setRemoteDescription(RTCSessionDescription(type: .offer, sdp: offer))
        #expect(camera.remoteDescription?.sdp == offer)
        try await camera.setLocalDescription(camera.answer(for: noConstraints))
        try await camera.iceGatheringCompleted()
        let text = try #require(camera.localDescription?.sdp)
        let answer = try SessionDescription(parsing: text)
        try answer.checkAnswer()
        try answer.checkAnswers(SessionDescription(parsing: offer))
        #expect(text.contains("m=video 9 UDP/TLS/RTP/SAVPF \(payloadTypes)\r\n"))
        #expect(answer.sections[0].direction == .sendonly && answer.sections[0].streams == ["camera"])
        let codec = try #require(answer.sections[0].codecs.first)
        #expect(codec.parameter("profile-level-id") == profile && codec.parameter("packetization-mode") == "1")
        #expect(!answer.sections[0].candidates.isEmpty && answer.sections[0].sources.count >= 1)
        for section in answer.sections where section.kind == .audio { #expect(section.direction == .inactive) }
        camera.close()
        await camera.closed()
    }

    @Test("is refused by a connection before the engine sees it, which stays usable")
    func refused() async throws {
        let camera = try Engine.factory.makePeerConnection(with: RTCConfiguration())
        let bad = RecordedOffer.chromium.replacing("a=rtcp-mux\r\n", with: "")
        await #expect(throws: WebRTCError.self) {
            try await camera.setRemoteDescription(RTCSessionDescription(type: .offer, sdp: bad))
        }
        #expect(camera.signalingState == .stable && camera.remoteDescription == nil)
        try await camera.setRemoteDescription(RTCSessionDescription(type: .offer, sdp: RecordedOffer.chromium))
        // A second offer is a renegotiation.
        await #expect(throws: WebRTCError.self) {
            try await camera.setRemoteDescription(RTCSessionDescription(type: .offer, sdp: RecordedOffer.chromium))
        }
        camera.close()
        await camera.closed()
    }

    @Test("that passes the checks cannot make the engine abort, with whichever line left out or doubled")
    func everyLine() async throws {
        var seen: Set<String> = []
        var tried = 0
        for original in [RecordedOffer.chromium, RecordedOffer.aiortc] {
            let lines = original.split(separator: "\r\n")
            for index in lines.indices {
                for doubles in [false, true] {
                    var changed = lines
                    if doubles { changed.insert(lines[index], at: index) } else { changed.remove(at: index) }
                    let text = changed.map { $0 + "\r\n" }.joined()
                    guard let read = try? SessionDescription(parsing: text), (try? read.checkOffer()) != nil else {
                        continue
                    }
                    let chosen = read.sections.enumerated().compactMap { index, section in
                        section.videoCodec.map { (index, $0) }
                    }
                    let canonical = read.canonicalText(keeping: Dictionary(uniqueKeysWithValues: chosen))
                    guard seen.insert(canonical).inserted else { continue }
                    tried += 1
                    let source = smallSource()
                    let camera = try Engine.factory.makePeerConnection(with: RTCConfiguration())
                    camera.add(Engine.factory.videoTrack(with: source, trackId: "video"), streamIds: [])
                    try await camera.setRemoteDescription(RTCSessionDescription(type: .offer, sdp: text))
                    try await camera.setLocalDescription(camera.answer(for: noConstraints))
                    camera.close()
                    await camera.closed()
                }
            }
        }
        #expect(tried > 10)
    }
}
