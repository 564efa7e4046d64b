import Testing

@testable import WebRTC

@Suite("The factory")
struct FactoryTests {
    @Test("finds everything that it needs here, and warms up")
    func warmUp() async throws {
        #expect(RTCPeerConnectionFactory.missingElements(capturing: true).isEmpty)
        try RTCPeerConnectionFactory.requireElements()
        try await RTCPeerConnectionFactory().warmUp()
    }

    @Test("names a missing element and the package that brings it")
    func missingElement() {
        let wanted = GStreamer.Requirement(element: "nosuchelement", debianPackage: "gstreamer1.0-nowhere")
        let error = #expect(throws: WebRTCError.self) {
            try GStreamer.load([GStreamer.requirements[0], wanted])
        }
        #expect(error == .missingElement(name: "nosuchelement", debianPackage: "gstreamer1.0-nowhere"))
        #expect(error?.description.contains("apt-get install gstreamer1.0-nowhere") == true)
        #expect(throws: WebRTCError.missingElement(name: "other", debianPackage: "gstreamer1.0-plugins-bad")) {
            try Element("other")
        }
        #expect(GStreamer.debianPackage(of: "x264enc") == "gstreamer1.0-plugins-ugly")
    }

    @Test("takes STUN and TURN servers, and hides their credentials")
    func iceServers() throws {
        let server = RTCIceServer(urlStrings: ["turn:h"], username: "u:1", credential: "p@ss/word")
        #expect(try IceServerURL("stun:stun.example.org", of: server) == .stun("stun://stun.example.org:3478"))
        #expect(
            try IceServerURL("turn:[2001:db8::1]:99?transport=tcp", of: server)
                == .turn("turn://u%3A1:p%40ss%2Fword@[2001:db8::1]:99?transport=tcp"))
        #expect(try IceServerURL("turns:h", of: server) == .turn("turns://u%3A1:p%40ss%2Fword@h:5349"))
        for url in ["http://h", "stun", "turn:", "turn:a@b", "turn:a b"] {
            #expect(throws: WebRTCError.self) { try IceServerURL(url, of: server) }
        }
        let open = RTCIceServer(urlStrings: ["turn:h"])
        #expect(throws: WebRTCError.self) { try IceServerURL("turn:h", of: open) }
        var dumped = ""
        dump(server, to: &dumped)
        for text in ["\(server)", dumped, String(reflecting: server)] { #expect(!text.contains("p@ss")) }
        let configuration = RTCConfiguration()
        configuration.iceServers = [RTCIceServer(urlStrings: ["ftp:h"])]
        #expect(throws: WebRTCError.self) { try RTCPeerConnectionFactory().makePeerConnection(with: configuration) }
        configuration.iceServers = [RTCIceServer(urlStrings: ["stun:127.0.0.1:9"]), server]
        let connection = try RTCPeerConnectionFactory().makePeerConnection(with: configuration)
        connection.close()
    }
}
