/// Offers as other programs make them, recorded on a test machine: video to receive, sound to receive, a data channel.
enum RecordedOffer {
    /// Chromium in headless mode.
    static let chromium = """
        v=0
        o=- 8133446968353687591 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 35 36 37 38 102 103 104 107 108 109 114 115 116 117 39 40 41 42 43 44 45 46 47 48 118 119 120 49
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:GbY/
        a=ice-pwd:p1Ff3VM8q/rXDjR8GduW9LSO
        a=ice-options:trickle
        a=fingerprint:sha-256 D7:4A:D8:C7:72:6F:A7:C0:1B:63:49:4C:9D:87:C9:AE:0C:C6:FF:27:C5:12:AF:CA:50:02:ED:09:F6:B7:29:9D
        a=setup:actpass
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:toffset
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:3 urn:3gpp:video-orientation
        a=extmap:4 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
        a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
        a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/video-timing
        a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
        a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
        a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
        a=recvonly
        a=rtcp-mux
        a=rtcp-rsize
        a=rtcp-xr:rcvr-rtt=all
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:98 VP9/90000
        a=rtcp-fb:98 goog-remb
        a=rtcp-fb:98 transport-cc
        a=rtcp-fb:98 ccm fir
        a=rtcp-fb:98 nack
        a=rtcp-fb:98 nack pli
        a=fmtp:98 profile-id=0
        a=rtpmap:99 rtx/90000
        a=fmtp:99 apt=98
        a=rtpmap:100 VP9/90000
        a=rtcp-fb:100 goog-remb
        a=rtcp-fb:100 transport-cc
        a=rtcp-fb:100 ccm fir
        a=rtcp-fb:100 nack
        a=rtcp-fb:100 nack pli
        a=fmtp:100 profile-id=2
        a=rtpmap:101 rtx/90000
        a=fmtp:101 apt=100
        a=rtpmap:35 VP9/90000
        a=rtcp-fb:35 goog-remb
        a=rtcp-fb:35 transport-cc
        a=rtcp-fb:35 ccm fir
        a=rtcp-fb:35 nack
        a=rtcp-fb:35 nack pli
        a=fmtp:35 profile-id=1
        a=rtpmap:36 rtx/90000
        a=fmtp:36 apt=35
        a=rtpmap:37 VP9/90000
        a=rtcp-fb:37 goog-remb
        a=rtcp-fb:37 transport-cc
        a=rtcp-fb:37 ccm fir
        a=rtcp-fb:37 nack
        a=rtcp-fb:37 nack pli
        a=fmtp:37 profile-id=3
        a=rtpmap:38 rtx/90000
        a=fmtp:38 apt=37
        a=rtpmap:102 H264/90000
        a=rtcp-fb:102 goog-remb
        a=rtcp-fb:102 transport-cc
        a=rtcp-fb:102 ccm fir
        a=rtcp-fb:102 nack
        a=rtcp-fb:102 nack pli
        a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
        a=rtpmap:103 rtx/90000
        a=fmtp:103 apt=102
        a=rtpmap:104 H264/90000
        a=rtcp-fb:104 goog-remb
        a=rtcp-fb:104 transport-cc
        a=rtcp-fb:104 ccm fir
        a=rtcp-fb:104 nack
        a=rtcp-fb:104 nack pli
        a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
        a=rtpmap:107 rtx/90000
        a=fmtp:107 apt=104
        a=rtpmap:108 H264/90000
        a=rtcp-fb:108 goog-remb
        a=rtcp-fb:108 transport-cc
        a=rtcp-fb:108 ccm fir
        a=rtcp-fb:108 nack
        a=rtcp-fb:108 nack pli
        a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rtpmap:109 rtx/90000
        a=fmtp:109 apt=108
        a=rtpmap:114 H264/90000
        a=rtcp-fb:114 goog-remb
        a=rtcp-fb:114 transport-cc
        a=rtcp-fb:114 ccm fir
        a=rtcp-fb:114 nack
        a=rtcp-fb:114 nack pli
        a=fmtp:114 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
        a=rtpmap:115 rtx/90000
        a=fmtp:115 apt=114
        a=rtpmap:116 H264/90000
        a=rtcp-fb:116 goog-remb
        a=rtcp-fb:116 transport-cc
        a=rtcp-fb:116 ccm fir
        a=rtcp-fb:116 nack
        a=rtcp-fb:116 nack pli
        a=fmtp:116 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f
        a=rtpmap:117 rtx/90000
        a=fmtp:117 apt=116
        a=rtpmap:39 H264/90000
        a=rtcp-fb:39 goog-remb
        a=rtcp-fb:39 transport-cc
        a=rtcp-fb:39 ccm fir
        a=rtcp-fb:39 nack
        a=rtcp-fb:39 nack pli
        a=fmtp:39 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=4d001f
        a=rtpmap:40 rtx/90000
        a=fmtp:40 apt=39
        a=rtpmap:41 H264/90000
        a=rtcp-fb:41 goog-remb
        a=rtcp-fb:41 transport-cc
        a=rtcp-fb:41 ccm fir
        a=rtcp-fb:41 nack
        a=rtcp-fb:41 nack pli
        a=fmtp:41 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=f4001f
        a=rtpmap:42 rtx/90000
        a=fmtp:42 apt=41
        a=rtpmap:43 H264/90000
        a=rtcp-fb:43 goog-remb
        a=rtcp-fb:43 transport-cc
        a=rtcp-fb:43 ccm fir
        a=rtcp-fb:43 nack
        a=rtcp-fb:43 nack pli
        a=fmtp:43 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=f4001f
        a=rtpmap:44 rtx/90000
        a=fmtp:44 apt=43
        a=rtpmap:45 AV1/90000
        a=rtcp-fb:45 goog-remb
        a=rtcp-fb:45 transport-cc
        a=rtcp-fb:45 ccm fir
        a=rtcp-fb:45 nack
        a=rtcp-fb:45 nack pli
        a=fmtp:45 level-idx=5;profile=0;tier=0
        a=rtpmap:46 rtx/90000
        a=fmtp:46 apt=45
        a=rtpmap:47 AV1/90000
        a=rtcp-fb:47 goog-remb
        a=rtcp-fb:47 transport-cc
        a=rtcp-fb:47 ccm fir
        a=rtcp-fb:47 nack
        a=rtcp-fb:47 nack pli
        a=fmtp:47 level-idx=5;profile=1;tier=0
        a=rtpmap:48 rtx/90000
        a=fmtp:48 apt=47
        a=rtpmap:118 red/90000
        a=rtpmap:119 rtx/90000
        a=fmtp:119 apt=118
        a=rtpmap:120 ulpfec/90000
        a=rtpmap:49 flexfec-03/90000
        a=rtcp-fb:49 goog-remb
        a=rtcp-fb:49 transport-cc
        a=fmtp:49 repair-window=10000000
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:GbY/
        a=ice-pwd:p1Ff3VM8q/rXDjR8GduW9LSO
        a=ice-options:trickle
        a=fingerprint:sha-256 D7:4A:D8:C7:72:6F:A7:C0:1B:63:49:4C:9D:87:C9:AE:0C:C6:FF:27:C5:12:AF:CA:50:02:ED:09:F6:B7:29:9D
        a=setup:actpass
        a=mid:1
        a=extmap:14 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:4 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:mid
        a=recvonly
        a=rtcp-mux
        a=rtcp-rsize
        a=rtcp-xr:rcvr-rtt=all
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtpmap:63 red/48000/2
        a=fmtp:63 111/111
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=rtpmap:13 CN/8000
        a=rtpmap:110 telephone-event/48000
        a=rtpmap:126 telephone-event/8000
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=ice-ufrag:GbY/
        a=ice-pwd:p1Ff3VM8q/rXDjR8GduW9LSO
        a=ice-options:trickle
        a=fingerprint:sha-256 D7:4A:D8:C7:72:6F:A7:C0:1B:63:49:4C:9D:87:C9:AE:0C:C6:FF:27:C5:12:AF:CA:50:02:ED:09:F6:B7:29:9D
        a=setup:actpass
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144
        """.replacing("\n", with: "\r\n") + "\r\n"

    /// aiortc 1.x.
    static let aiortc = """
        v=0
        o=- 4005017298 4005017298 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=msid-semantic:WMS *
        m=video 38632 UDP/TLS/RTP/SAVPF 97 98 99 100 101 102
        c=IN IP4 192.0.2.2
        a=recvonly
        a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=mid:0
        a=msid:52670664-aab2-411f-b5e5-423addf8862b cff55a57-dde7-4c9c-8609-289d3fa88097
        a=rtcp:9 IN IP4 0.0.0.0
        a=rtcp-mux
        a=ssrc-group:FID 2499167091 1838585214
        a=ssrc:2499167091 cname:4953f947-eb2d-4745-aad7-38e9dca9fb1f
        a=ssrc:1838585214 cname:4953f947-eb2d-4745-aad7-38e9dca9fb1f
        a=rtpmap:97 VP8/90000
        a=rtcp-fb:97 nack
        a=rtcp-fb:97 nack pli
        a=rtcp-fb:97 goog-remb
        a=rtpmap:98 rtx/90000
        a=fmtp:98 apt=97
        a=rtpmap:99 H264/90000
        a=rtcp-fb:99 nack
        a=rtcp-fb:99 nack pli
        a=rtcp-fb:99 goog-remb
        a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
        a=rtpmap:100 rtx/90000
        a=fmtp:100 apt=99
        a=rtpmap:101 H264/90000
        a=rtcp-fb:101 nack
        a=rtcp-fb:101 nack pli
        a=rtcp-fb:101 goog-remb
        a=fmtp:101 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rtpmap:102 rtx/90000
        a=fmtp:102 apt=101
        a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 38632 typ host
        a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 60475 typ host
        a=end-of-candidates
        a=ice-ufrag:8al2
        a=ice-pwd:POqjChqQItM8b1pjCdW817
        a=fingerprint:sha-256 7F:4F:7A:A9:C5:C5:AF:54:E6:DE:8B:19:56:AC:48:22:C8:E3:D8:C2:D2:5A:46:59:4A:C5:C9:46:02:AE:FC:C9
        a=fingerprint:sha-384 70:76:7F:81:10:9F:8C:EF:FD:8E:C8:9B:86:60:35:11:CC:63:BA:05:E8:34:C0:17:C5:4F:91:4B:DC:7A:D7:AA:95:C3:CC:51:CD:86:DB:7B:5F:B2:98:2F:5B:73:82:91
        a=fingerprint:sha-512 A4:7D:A1:81:06:87:0A:9E:E2:2A:A5:A8:22:62:83:4A:90:3D:AB:13:58:6F:DB:D5:55:FF:39:CE:09:D4:16:64:28:90:6D:82:AE:D3:D9:69:C3:B8:B2:CC:E3:AB:82:A5:38:34:63:D7:C7:0F:EE:6A:B6:76:CE:EC:C2:FA:18:08
        a=setup:actpass
        m=audio 34006 UDP/TLS/RTP/SAVPF 96 9 0 8
        c=IN IP4 192.0.2.2
        a=recvonly
        a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=mid:1
        a=msid:52670664-aab2-411f-b5e5-423addf8862b 9d60d9c2-1cd2-4668-981d-1b7457ba49ab
        a=rtcp:9 IN IP4 0.0.0.0
        a=rtcp-mux
        a=ssrc:2058529325 cname:4953f947-eb2d-4745-aad7-38e9dca9fb1f
        a=rtpmap:96 opus/48000/2
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 34006 typ host
        a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 50134 typ host
        a=end-of-candidates
        a=ice-ufrag:8al2
        a=ice-pwd:POqjChqQItM8b1pjCdW817
        a=fingerprint:sha-256 7F:4F:7A:A9:C5:C5:AF:54:E6:DE:8B:19:56:AC:48:22:C8:E3:D8:C2:D2:5A:46:59:4A:C5:C9:46:02:AE:FC:C9
        a=fingerprint:sha-384 70:76:7F:81:10:9F:8C:EF:FD:8E:C8:9B:86:60:35:11:CC:63:BA:05:E8:34:C0:17:C5:4F:91:4B:DC:7A:D7:AA:95:C3:CC:51:CD:86:DB:7B:5F:B2:98:2F:5B:73:82:91
        a=fingerprint:sha-512 A4:7D:A1:81:06:87:0A:9E:E2:2A:A5:A8:22:62:83:4A:90:3D:AB:13:58:6F:DB:D5:55:FF:39:CE:09:D4:16:64:28:90:6D:82:AE:D3:D9:69:C3:B8:B2:CC:E3:AB:82:A5:38:34:63:D7:C7:0F:EE:6A:B6:76:CE:EC:C2:FA:18:08
        a=setup:actpass
        m=application 43061 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 192.0.2.2
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144
        a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 43061 typ host
        a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 40998 typ host
        a=end-of-candidates
        a=ice-ufrag:8al2
        a=ice-pwd:POqjChqQItM8b1pjCdW817
        a=fingerprint:sha-256 7F:4F:7A:A9:C5:C5:AF:54:E6:DE:8B:19:56:AC:48:22:C8:E3:D8:C2:D2:5A:46:59:4A:C5:C9:46:02:AE:FC:C9
        a=fingerprint:sha-384 70:76:7F:81:10:9F:8C:EF:FD:8E:C8:9B:86:60:35:11:CC:63:BA:05:E8:34:C0:17:C5:4F:91:4B:DC:7A:D7:AA:95:C3:CC:51:CD:86:DB:7B:5F:B2:98:2F:5B:73:82:91
        a=fingerprint:sha-512 A4:7D:A1:81:06:87:0A:9E:E2:2A:A5:A8:22:62:83:4A:90:3D:AB:13:58:6F:DB:D5:55:FF:39:CE:09:D4:16:64:28:90:6D:82:AE:D3:D9:69:C3:B8:B2:CC:E3:AB:82:A5:38:34:63:D7:C7:0F:EE:6A:B6:76:CE:EC:C2:FA:18:08
        a=setup:actpass
        """.replacing("\n", with: "\r\n") + "\r\n"

    /// An offer of the form of Safari's: High first, no level below 4.2, no retransmission.
    static let safariLike = small(
        codecs: [
            (96, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c2a"),
            (98, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e02a"),
        ])

    /// An offer with one section for video.
    static func small(codecs: [(payloadType: Int, parameters: String)]) -> String {
        var lines = [
            "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
            "m=video 9 UDP/TLS/RTP/SAVPF \(codecs.map { "\($0.payloadType)" }.joined(separator: " "))",
            "c=IN IP4 0.0.0.0", "a=mid:0", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuv",
            "a=fingerprint:sha-256 \(Array(repeating: "0A", count: 32).joined(separator: ":"))",
            "a=setup:actpass", "a=rtcp-mux", "a=recvonly",
        ]
        for codec in codecs {
            lines += ["a=rtpmap:\(codec.payloadType) H264/90000", "a=fmtp:\(codec.payloadType) \(codec.parameters)"]
        }
        return lines.map { $0 + "\r\n" }.joined()
    }
}
