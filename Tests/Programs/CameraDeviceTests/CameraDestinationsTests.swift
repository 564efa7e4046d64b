import Foundation
import Testing
import Wire

@testable import CameraDevice

@Suite struct CameraDestinationsTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func oneCloudServesEveryPlace() throws {
        let cloud = try url("http://192.168.1.10:8080")
        let destinations = try CameraDestinations(everywhere: cloud)
        for region in ServerRegion.allCases {
            for environment in ServerEnvironment.allCases {
                #expect(destinations[region, environment] == cloud)
            }
        }
    }

    @Test func aPlaceLeftOutIsUnknown() throws {
        let destinations = try CameraDestinations([
            CameraDestinations.Place(.us, .production): url("https://us.example")
        ])
        #expect(destinations[.us, .production] != nil)
        #expect(destinations[.us, .staging] == nil)
        #expect(destinations[.apac, .production] == nil)
    }

    @Test(arguments: [
        "ftp://host", "file:///etc/passwd", "http:///path", "host", "https://name:secret@host",
        "http://host/?token=secret",
    ])
    func whatIsNoCloudIsRefused(text: String) throws {
        let address = try url(text)
        let error = try #require(throws: CameraError.self) { try CameraDestinations(everywhere: address) }
        #expect(!error.description.contains("secret"))
    }

    @Test(arguments: [
        ("http://host", "http://host/v1/devices", "ws://host/v1/camera"),
        ("http://host:8080/", "http://host:8080/v1/devices", "ws://host:8080/v1/camera"),
        ("https://host/base", "https://host/base/v1/devices", "wss://host/base/v1/camera"),
        ("HTTPS://host/base/", "HTTPS://host/base/v1/devices", "wss://host/base/v1/camera"),
        ("http://[::1]:80", "http://[::1]:80/v1/devices", "ws://[::1]:80/v1/camera"),
    ])
    func routesAreBelowTheBaseAddress(base: String, route: String, socket: String) throws {
        #expect(try url(base).cloudRoute(CloudRoute.registrations).absoluteString == route)
        #expect(try url(base).cloudSocketRoute(CloudRoute.cameraSocket).absoluteString == socket)
    }
}
