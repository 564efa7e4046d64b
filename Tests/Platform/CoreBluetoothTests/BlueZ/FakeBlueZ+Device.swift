import DBus
import Foundation

@testable import CoreBluetooth

extension FakeBlueZ {
    /// The device that most tests have.
    static let address = RadioAddress(number: 0xC0FE_0000_0001)
    static let device = address.devicePath(adapter: "/org/bluez/hci0")

    /// A device is heard for the first time, or is known from earlier: then it has no signal strength.
    func addDevice(
        _ address: RadioAddress = address, name: String? = "fake", rssi: Int16? = -40, connected: Bool = false,
        uuids: [String] = [], more: [String: BusValue] = [:], services: [FakeService] = []
    ) {
        change { _ in
            let path = address.devicePath(adapter: "/org/bluez/hci0")
            var properties: [String: BusValue] = [
                "Address": .string(address.description), "AddressType": "random", "Connected": .bool(connected),
                "ServicesResolved": .bool(connected), "Paired": false, "UUIDs": .strings(uuids),
            ]
            if let name { properties["Name"] = .string(name) }
            if let rssi { properties["RSSI"] = .int16(rssi) }
            properties.merge(more) { _, new in new }
            tables[path] = services
            try add(path, BlueZ.device, properties) { daemon, call in daemon.deviceCalled(call, path) }
            if connected { try export(services, below: path) }
        }
    }

    func removeDevice(_ address: RadioAddress = address) {
        change { _ in remove(address.devicePath(adapter: "/org/bluez/hci0")) }
    }

    /// An advertisement of a known device is heard.
    func advertise(_ address: RadioAddress = address, rssi: Int16 = -41, more: [String: BusValue] = [:]) {
        change { tree in
            let path = address.devicePath(adapter: "/org/bluez/hci0")
            for (name, value) in more { try tree.set(path, BlueZ.device, name, value) }
            try tree.notify(path, BlueZ.device, "RSSI", .int16(rssi))
        }
    }

    /// The link to a device breaks.
    func breakLink(_ address: RadioAddress = address) {
        change { _ in try dropLink(address.devicePath(adapter: "/org/bluez/hci0")) }
    }

    /// Says that a device's services are known, or are not.
    func resolve(_ resolved: Bool = true, _ address: RadioAddress = address) {
        change { tree in
            try tree.set(
                address.devicePath(adapter: "/org/bluez/hci0"), BlueZ.device, "ServicesResolved", .bool(resolved))
        }
    }

    /// On the daemon's queue.
    func dropLink(_ path: String) throws {
        for (characteristic, socket) in sockets where characteristic.hasPrefix(path + "/") {
            close(socket)
            sockets[characteristic] = nil
        }
        notifying = notifying.filter { !$0.hasPrefix(path + "/") }
        try tree?.set(path, BlueZ.device, "ServicesResolved", false)
        try tree?.set(path, BlueZ.device, "Connected", false)
    }

    private func deviceCalled(_ call: BusMethodCall, _ path: String) -> Bool {
        do {
            switch call.member {
            case "Connect":
                try tree?.set(path, BlueZ.device, "Connected", true)
                call.reply()
                try export(tables[path] ?? [], below: path)
                if resolvesServices { try tree?.set(path, BlueZ.device, "ServicesResolved", true) }
            case "Disconnect":
                try dropLink(path)
                call.reply()
            default: return false
            }
        } catch {
            preconditionFailure("\(error)")
        }
        return true
    }
}
