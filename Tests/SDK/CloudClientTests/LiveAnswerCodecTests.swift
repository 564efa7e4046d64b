import CloudClient
import Foundation
import Testing

@Suite("The codec that an answer names")
struct LiveAnswerCodecTests {
    private func codec(_ sdp: String) throws -> String? {
        LiveAnswer(sdp: sdp, session: try #require(URL(string: "http://127.0.0.1/v1/live/x"))).videoCodec
    }

    @Test("The first payload type of the video section counts")
    func firstPayload() throws {
        let sdp =
            "v=0\r\nm=audio 9 X 111\r\na=rtpmap:111 opus/48000/2\r\nm=video 9 X 96 97\r\n"
            + "a=rtpmap:97 VP8/90000\r\na=rtpmap:96 H264/90000\r\n"
        #expect(try codec(sdp) == "H264")
    }

    @Test(
        "Nothing is found where nothing is",
        arguments: [
            "", "m=video", "m=video 9 X", "m=video 9 X 96",
            "m=video 9 X 96\r\nm=audio 9 X 96\r\na=rtpmap:96 H264/90000",
            "m=video 9 X 96\na=rtpmap:96 ",
        ])
    func nothing(sdp: String) throws {
        #expect(try codec(sdp) == nil)
    }
}
