import Foundation
import TestSupport
import Testing

@testable import WebRTC

@Suite("Device formats")
struct DeviceFormatTests {
    private typealias Rate = DeviceOffer.Rate

    init() { GStreamer.start() }

    private static func offers(_ caps: String) -> [DeviceOffer] { DeviceOffer.offers(in: Caps(caps)) }

    private func best(_ caps: String, _ width: Int = 1280, _ height: Int = 720, _ rate: Int = 30) -> String? {
        DeviceFormat.best(of: Self.offers(caps), width: width, height: height, rate: Rate(rate))?.caps
    }

    /// What a common USB camera says.
    private static let webcam = """
        video/x-raw,format=YUY2,width=640,height=480,framerate={30/1,15/1};\
        video/x-raw,format=YUY2,width=640,height=360,framerate={30/1,15/1};\
        video/x-raw,format=YUY2,width=1280,height=720,framerate={10/1,5/1};\
        video/x-raw,format=YUY2,width=1920,height=1080,framerate=5/1;\
        image/jpeg,width=640,height=480,framerate=30/1;image/jpeg,width=1280,height=720,framerate={60/1,30/1};\
        image/jpeg,width=1920,height=1080,framerate=30/1;video/x-h264,width=1280,height=720,framerate=30/1
        """

    @Test("are taken raw where the camera is fast enough, else as MJPEG")
    func rawOrJPEG() {
        #expect(best(Self.webcam) == "image/jpeg,width=1280,height=720,framerate=30/1")
        #expect(best(Self.webcam, 1280, 720, 10) == "video/x-raw,format=YUY2,width=1280,height=720,framerate=10/1")
        #expect(best(Self.webcam, 640, 360) == "video/x-raw,format=YUY2,width=640,height=360,framerate=30/1")
        #expect(best(Self.webcam, 640, 480, 20) == "video/x-raw,format=YUY2,width=640,height=480,framerate=30/1")
        #expect(best(Self.webcam, 1920, 1080) == "image/jpeg,width=1920,height=1080,framerate=30/1")
    }

    @Test("are the smallest of the right shape that need not be enlarged")
    func size() {
        let raw = "video/x-raw,format=I420,framerate=30/1"
        let sizes = [(320, 180), (640, 360), (640, 480), (1280, 720), (3840, 2160)]
        let caps = sizes.map { "\(raw),width=\($0.0),height=\($0.1)" }.joined(separator: ";")
        func size(_ width: Int, _ height: Int) -> String? {
            DeviceFormat.best(of: Self.offers(caps), width: width, height: height, rate: Rate(30)).map {
                "\($0.width)x\($0.height)"
            }
        }
        #expect(size(320, 180) == "320x180")
        #expect(size(480, 270) == "640x360")
        #expect(size(640, 480) == "640x480")
        #expect(size(960, 540) == "1280x720", "not 640x480, which would be enlarged")
        #expect(size(4096, 2304) == "3840x2160", "the largest, where all are too small")
        #expect(size(400, 300) == "640x480")
    }

    @Test("are the cheapest layout of several")
    func layout() {
        let caps = "video/x-raw,format={RGB,UYVY,NV12,I420},width=640,height=360,framerate=30/1"
        #expect(best(caps, 640, 360) == "video/x-raw,format=I420,width=640,height=360,framerate=30/1")
    }

    @Test("are fitted into what a scaling camera can do")
    func ranges() {
        let caps = "video/x-raw,format=NV12,width=[17,1921],height=[16,1080],framerate=[1/1,60/1]"
        #expect(best(caps) == "video/x-raw,format=NV12,width=1280,height=720,framerate=30/1")
        #expect(best(caps, 4000, 2000, 120) == "video/x-raw,format=NV12,width=1920,height=1080,framerate=60/1")
    }

    @Test("are the fastest where all are too slow, with fractions as they are")
    func rates() {
        let caps = "video/x-raw,format=YUY2,width=1280,height=720,framerate={30000/1001,15/1,15/2}"
        #expect(best(caps) == "video/x-raw,format=YUY2,width=1280,height=720,framerate=30000/1001")
        #expect(best(caps, 1280, 720, 10) == "video/x-raw,format=YUY2,width=1280,height=720,framerate=15/1")
    }

    @Test("are taken from H.264 where there is nothing else")
    func h264() {
        let caps = "video/x-h264,width=1920,height=1080,framerate=30/1"
        #expect(best(caps) == "video/x-h264,width=1920,height=1080,framerate=30/1")
    }

    @Test("that cannot be used are passed over")
    func unusable() {
        #expect(Self.offers("video/x-bayer,format=rggb,width=640,height=480,framerate=30/1").isEmpty)
        #expect(Self.offers("video/x-raw(memory:DMABuf),format=NV12,width=640,height=480,framerate=30/1").isEmpty)
        #expect(Self.offers("video/x-raw(format:Interlaced),format=NV12,width=640,height=480,framerate=30/1").isEmpty)
        #expect(Self.offers("video/x-raw,format=NV12,width=640,height=480").isEmpty)
        #expect(best("video/x-vp8,width=640,height=480,framerate=30/1") == nil)
    }

    @Test("of no camera are refused with the system's reason")
    func noCamera() throws {
        let source = try Element("v4l2src")
        for (path, reason) in [("/dev/video987", "No such file or directory"), ("/dev/null", "it is no camera")] {
            source.set("device", text: path)
            #expect(throws: WebRTCError.captureFailed(source: path, reason: reason)) {
                try DeviceOffer.all(of: source, path: path)
            }
        }
    }
}
