import Testing
import Wire

@Suite struct CloudRouteTests {
    @Test func pathsArePinned() {
        #expect(CloudRoute.pairingSessions(space: "s1") == "/v1/spaces/s1/pairing-sessions")
        #expect(CloudRoute.pairingSessionStatus(space: "s1") == "/v1/spaces/s1/pairing-sessions/status")
        #expect(CloudRoute.device(space: "s1", device: "d1") == "/v1/spaces/s1/devices/d1")
        #expect(CloudRoute.devices(space: "s1") == "/v1/spaces/s1/devices")
        #expect(CloudRoute.live(space: "s1", device: "d1") == "/v1/spaces/s1/devices/d1/live")
        #expect(CloudRoute.liveSession("a-b_c") == "/v1/live/a-b_c")
        #expect(CloudRoute.registrations == "/v1/devices")
        #expect(CloudRoute.pairingFailures == "/v1/pairing-failures")
        #expect(CloudRoute.cameraSocket == "/v1/camera")
        #expect(CloudRoute.health == "/v1/health")
    }

    @Test func aServerCanMakePatternsOfThem() {
        #expect(
            CloudRoute.live(space: "{spaceId}", device: "{deviceId}") == "/v1/spaces/{spaceId}/devices/{deviceId}/live")
    }
}
