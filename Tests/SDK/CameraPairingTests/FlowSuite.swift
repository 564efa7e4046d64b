import CoreBluetooth
import Foundation
import Wire

@testable import CameraPairing

/// A suite that drives the flow as a value.
protocol FlowSuite {
    var flow: PairingFlow { get set }
    var camera: UUID { get }
}

extension FlowSuite {
    mutating func powerOn() { _ = flow.handle(.managerState(.poweredOn, .allowedAlways)) }

    mutating func hear(_ id: UUID, _ name: String = "PORCH-A1B2", _ rssi: Int = -50) {
        _ = flow.handle(.discovered(id, Sighting(name: name, rssi: rssi)))
    }

    /// Up to a camera that takes commands.
    mutating func makeReady(_ kind: ConversationKind = .standard) {
        powerOn()
        _ = flow.handle(.startScan)
        hear(camera)
        _ = flow.handle(.connect(camera))
        _ = flow.handle(.linkReady(camera, kind))
    }

    /// Up to credentials that the camera has acknowledged.
    mutating func hand(_ kind: ConversationKind = .standard) {
        makeReady(kind)
        _ = flow.handle(.write(details()))
        _ = flow.handle(.written)
    }

    func details(password: String = "porchlight", region: String = "us") -> WiFiDetailModel {
        WiFiDetailModel(
            ssid: "Home", password: password, sessionKey: "0123456789abcdef", env: "production", region: region)
    }
}
