#if DEBUG
    @testable import CameraDevice
    @testable import CoreBluetooth
    @testable import DBus
    import Foundation

    extension FuzzTarget {
        static func readSignature(_ input: Data) {
            let text = String(decoding: input, as: UTF8.self)
            guard let types = MessageType.parse(text) else { return }
            precondition(types.map(\.signature).joined() == text, "a signature changed when it was taken apart")
        }

        /// What the daemons of Bluetooth and Wi-Fi say of a device, its attributes and a station. A device gives much of it.
        static func readObjects(_ input: Data) {
            var maker = BusValueMaker(input)
            let properties = maker.properties()
            _ = Advertisement(device: properties)
            _ = Advertisement.isHidden(in: properties)
            if let strength = Advertisement.signalStrength(in: properties) {
                precondition((-127...20).contains(strength), "no controller measures this strength")
            }
            if let station = HeardStation(properties) {
                _ = station.network
                _ = station.isHidden
            }

            var objects: [String: [(path: String, properties: [String: BusValue])]] = [:]
            let interfaces = [BlueZ.gattService, BlueZ.gattCharacteristic, BlueZ.gattDescriptor]
            while !maker.isDone {
                let interface = interfaces[Int(maker.byte()) % interfaces.count]
                objects[interface, default: []].append((maker.text(), maker.properties()))
            }
            let table = GATTTable(device: "/org/bluez/hci0/dev_00_AA_01_01_00_01") { objects[$0] ?? [] }
            for service in table.services {
                precondition(table[service.id] == service.path, "a service is not found by its identifier")
                for characteristic in table.characteristics[service.id] ?? [] {
                    precondition(
                        table.characteristic(characteristic.id) != nil, "a characteristic is lost")
                }
            }
        }

        static func readRoutes(_ input: Data) {
            let messages = RouteMessage.messages(in: input)
            precondition(messages.count <= input.count / 16, "more messages were read than fit")
            for case .address(let address, _) in messages.map(\.content) {
                precondition([4, 16].contains(address.bytes.count), "an address of no family")
            }
        }
    }
#endif
