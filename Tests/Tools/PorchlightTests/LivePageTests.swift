import Foundation
import Testing
import Wire

@testable import porchlight

@Suite("The page that shows a camera")
struct LivePageTests {
    @Test(
        "Its address is the cloud's, whether that ends with a slash or not",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/"), ("http://[::1]:8080/", "http://[::1]:8080/"),
            ("https://cloud.example/home", "https://cloud.example/home/"),
        ])
    func address(cloud: String, page: String) throws {
        let page = page + "#space=s&device=d"
        let live = LivePage(cloud: try #require(URL(string: cloud)), spaceID: "s", deviceID: "d")
        #expect(live.address == page)
        #expect(live.address(token: Secret("t")) == page + "&token=t")
    }

    @Test("Secrets of the cloud's address are left out, and no value ends early")
    func secrets() throws {
        let cloud = try #require(URL(string: "https://owner:canary@cloud.example/?key=canary#canary"))
        let live = LivePage(cloud: cloud, spaceID: "a&b c", deviceID: "d")
        #expect(live.address == "https://cloud.example/#space=a%26b%20c&device=d")
    }
}
