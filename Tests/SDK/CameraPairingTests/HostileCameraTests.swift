import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraPairing

@Suite("Lists from cameras that mean no good, or have much to tell")
struct HostileCameraTests {
    private static let layouts: [PairingLayout] = [.standard, .chunked]

    /// The frames of a list as the layout sends it.
    private func frames(_ records: [Data], _ layout: PairingLayout, limit: Int = 180) throws -> [[Data]] {
        try records.enumerated().map { number, record in
            var message = record
            if layout != .standard {
                // The exchange numbers its kinds anew and names the conversation.
                message = Data([record[0] + 0x81, 0xA1, 0xB2]) + record.dropFirst()
            }
            // The welcome and the answer to the scan came before.
            let first = layout == .standard ? 0 : 2
            return try Frame.split(message, message: UInt8(truncatingIfNeeded: number + first), limit: limit).map(
                \.encoded)
        }
    }

    private func network(_ ssid: Data, rssi: Int = -60) -> Data {
        Data([1, WiFiSecurity.wpa2.rawValue, UInt8(bitPattern: Int8(rssi)), 1]) + ssid
    }

    private func script(_ layout: PairingLayout, _ notifications: [Data]) -> ScriptedCamera.Script {
        var script = ScriptedCamera.Script()
        script.layouts = [layout]
        if layout == .standard {
            script.rawNotifications = notifications
        } else {
            script.networks = [PairingRig.home]
            script.exchange.rawNotifications = notifications
        }
        return script
    }

    @Test("500 entries: duplicates, hidden ones, names that are no text, names of 32 bytes", arguments: layouts)
    func crowd(layout: PairingLayout) async throws {
        var records: [Data] = []
        for number in 0..<500 {
            switch number % 5 {
            case 0: records.append(network(Data("Net \(number)".utf8)))
            case 1: records.append(network(Data("Net \(number - 1)".utf8), rssi: -40))
            case 2: records.append(network(Data()))
            case 3: records.append(network(Data([0xFF, 0xC0, UInt8(number / 5), 0x80])))
            default: records.append(network(Data("\(String(repeating: "n", count: 28))\(1000 + number)".utf8)))
            }
        }
        records.append(Data([2, 1, 0xF4]))
        let rig = PairingRig()
        let camera = try await rig.camera(script(layout, frames(records, layout).flatMap(\.self)))
        try await rig.connect()
        let list = try await within(.seconds(60), "the list") { [ble = rig.ble] in try await ble.allNetworks() }
        #expect(
            list.count == 300,
            "100 with a stronger double, 100 that are no text, 100 of 32 bytes; hidden ones have no name")
        #expect(list.filter { $0.ssid.hasPrefix("Net ") }.allSatisfy { $0.rssi == -40 })
        #expect(list.filter { $0.ssid.utf8.count == 32 }.count == 100)
        // One whose name is no text is joined by its bytes all the same.
        let odd = try #require(list.last { $0.ssid.contains("\u{FFFD}") })
        try await rig.ble.write(PairingRig.details(ssid: odd.ssid))
        let ssid =
            layout == .standard
            ? camera.fields[.ssid]
            : camera.requests.compactMap { if case .credentials(let fields) = $0 { fields[.ssid] } else { nil } }.last
        #expect(ssid?.prefix(2) == Data([0xFF, 0xC0]))
        await rig.ble.released()
    }

    @Test("A list without end ends the connection, and what was kept is bounded", arguments: layouts)
    func endless(layout: PairingLayout) async throws {
        let records = (0..<2100).map { network(Data("Net \($0)".utf8)) }
        let rig = PairingRig()
        let camera = try await rig.camera(script(layout, frames(records, layout).flatMap(\.self)))
        try await rig.connect()
        await #expect(throws: CameraPairingError.networkListEndless) {
            try await within(.seconds(60), "the end") { [ble = rig.ble] in _ = try await ble.allNetworks() }
        }
        #expect(rig.ble.wifiList.count == 1024)
        try await rig.value(rig.ble.$cameraConnectionStatus, "the end") { $0 == .notConnected }
        camera.vanish()
    }

    @Test("A message that never ends: the guard ends the connection", arguments: layouts)
    func neverFinished(layout: PairingLayout) async throws {
        let whole = try frames([network(Data("Home".utf8)) + Data(count: 27)], layout, limit: 12)[0]
        let rig = PairingRig()
        let camera = try await rig.camera(script(layout, Array(whole.dropLast())))
        try await rig.connect()
        rig.ble.sendWiFiScanCommand()
        rig.ble.getWiFiList()
        try await within(.seconds(60), "the guard") { [clock = rig.clock] in await clock.sleeper(for: .seconds(90)) }
        rig.clock.advance(by: .seconds(90))
        try await rig.value(rig.ble.$cameraConnectionStatus, "the end") { $0 == .notConnected }
        #expect(rig.ble.failure == .noNetworks)
        camera.vanish()
    }

    @Test("Frames replayed, out of order and with false lengths: the good ones arrive, once each", arguments: layouts)
    func disorder(layout: PairingLayout) async throws {
        let records = [network(Data("First".utf8)), network(Data("Second".utf8)), Data([2, 0, 2])]
        let good = try frames(records, layout, limit: 12)
        let next = UInt8(layout == .standard ? 3 : 5)
        var sent: [Data] = []
        for message in good.dropLast() {
            sent += message.flatMap { [$0, $0] } + message
            sent += [
                // A frame ahead of its turn, one of no message, a length of 65,535, bytes beyond what was announced.
                Data([0x10, next, 0, 9, 1]), Data([0x12, next + 1, 0, 1, 1]), Data([0x11, next, 0, 0, 0xFF, 0xFF, 1]),
                Data([0x13, next, 0, 0, 0, 1, 1, 1]),
            ]
        }
        sent += good[2]
        let rig = PairingRig()
        let camera = try await rig.camera(script(layout, sent))
        try await rig.connect()
        let list = try await within(.seconds(60), "the list") { [ble = rig.ble] in try await ble.allNetworks() }
        #expect(list.map(\.ssid) == ["First", "Second"])
        #expect(rig.ble.failure == nil)
        camera.vanish()
    }
}
