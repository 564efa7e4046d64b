import DBus
import Foundation

@testable import CoreBluetooth

extension FakeBlueZ {
    /// Plugs an adapter in.
    func addAdapter(_ name: String = "hci0", powered: Bool = true) {
        change { _ in
            let path = "/org/bluez/" + name
            try add(
                path, BlueZ.adapter,
                [
                    "Address": .string("00:AA:01:00:00:0\(name.last ?? "0")"), "Powered": .bool(powered),
                    "Discovering": false,
                ]
            ) { daemon, call in daemon.adapterCalled(call, path) }
        }
    }

    /// Pulls an adapter out, with all its devices.
    func removeAdapter(_ name: String = "hci0") { change { _ in remove("/org/bluez/" + name) } }

    /// Switches an adapter on or off. Off ends discovery and connections first.
    func power(_ isOn: Bool, _ name: String = "hci0") {
        change { tree in
            let path = "/org/bluez/" + name
            if !isOn {
                discoverers = [:]
                for device in paths(below: path + "/dev_")
                where property(device, BlueZ.device, "Connected")?.bool == true { try dropLink(device) }
            }
            try tree.set(path, BlueZ.adapter, "Powered", .bool(isOn))
        }
    }

    /// Whether somebody's discovery runs.
    var isDiscovering: Bool { queue.sync { !discoverers.isEmpty } }

    private func adapterCalled(_ call: BusMethodCall, _ path: String) -> Bool {
        switch call.member {
        case "SetDiscoveryFilter": call.reply()
        case "StartDiscovery":
            if property(path, BlueZ.adapter, "Powered")?.bool != true {
                call.fail(BlueZ.ErrorName.notReady, "Resource Not Ready")
            } else if discoverers[call.sender] != nil {
                call.fail(BlueZ.ErrorName.inProgress, "Operation already in progress")
            } else {
                discoverers[call.sender] = path
                call.reply()
            }
        case "StopDiscovery":
            if discoverers.removeValue(forKey: call.sender) == nil {
                call.fail(BlueZ.ErrorName.failed, "No discovery started")
            } else {
                call.reply()
            }
        case "RemoveDevice":
            call.reply()
            if let device = call.arguments.first?.string { remove(device) }
        default: return false
        }
        return true
    }
}
