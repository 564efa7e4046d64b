import DBus
import Foundation
import Glibc

@testable import CoreBluetooth

/// A service of a fake device, with handles that follow each other.
struct FakeService: Sendable {
    struct Characteristic: Sendable {
        var uuid: String
        var flags: [String]
        var value = Data()
        var descriptors: [String] = []
    }

    var handle: UInt16
    var uuid: String
    var isPrimary = true
    var includes: [UInt16] = []
    var characteristics: [Characteristic] = []

    /// The handle of a characteristic's declaration.
    func handle(_ index: Int) -> UInt16 { handle + 1 + UInt16(index) * 8 }

    /// How the daemon writes a 16-bit UUID.
    static func long(_ short: String) -> String {
        short.count == 4 ? "0000\(short.lowercased())-0000-1000-8000-00805f9b34fb" : short
    }

    /// A service with everything that the tests need.
    static let standard = FakeService(
        handle: 0x10, uuid: "FFF0",
        characteristics: [
            Characteristic(uuid: "FFF1", flags: ["read", "write"], value: Data("one".utf8), descriptors: ["2901"]),
            Characteristic(uuid: "FFF2", flags: ["write-without-response", "write"]),
            Characteristic(uuid: "FFF3", flags: ["notify", "read"], descriptors: ["2902"]),
            Characteristic(uuid: "FFF4", flags: ["indicate"], descriptors: ["2902"]),
        ])
}

extension FakeBlueZ {
    static func path(service handle: UInt16, characteristic: UInt16? = nil, descriptor: UInt16? = nil) -> String {
        func hex(_ number: UInt16) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 4 - text.count) + text
        }
        return device + "/service" + hex(handle) + (characteristic.map { "/char" + hex($0) } ?? "")
            + (descriptor.map { "/desc" + hex($0) } ?? "")
    }

    /// The path of a characteristic of ``FakeService/standard``.
    static func standardPath(_ index: Int) -> String {
        path(service: 0x10, characteristic: FakeService.standard.handle(index))
    }

    /// Exports services below a device, unless they are there. On the daemon's queue.
    func export(_ services: [FakeService], below device: String) throws {
        for service in services {
            func path(_ handle: UInt16) -> String {
                Self.path(service: handle).replacing(Self.device, with: device)
            }
            let servicePath = path(service.handle)
            guard property(servicePath, BlueZ.gattService, "UUID") == nil else { continue }
            try add(
                servicePath, BlueZ.gattService,
                [
                    "UUID": .string(FakeService.long(service.uuid)), "Primary": .bool(service.isPrimary),
                    "Device": .path(device), "Includes": .paths(service.includes.map(path)),
                ])
            for (index, characteristic) in service.characteristics.enumerated() {
                let handle = service.handle(index)
                let characteristicPath = Self.path(service: service.handle, characteristic: handle)
                    .replacing(Self.device, with: device)
                values[characteristicPath] = characteristic.value
                try add(
                    characteristicPath, BlueZ.gattCharacteristic,
                    [
                        "UUID": .string(FakeService.long(characteristic.uuid)), "Service": .path(servicePath),
                        "Flags": .strings(characteristic.flags), "MTU": .uint16(mtu),
                    ]
                ) { daemon, call in daemon.attributeCalled(call, flags: characteristic.flags) }
                for (number, uuid) in characteristic.descriptors.enumerated() {
                    let descriptor = Self.path(
                        service: service.handle, characteristic: handle, descriptor: handle + 2 + UInt16(number)
                    ).replacing(Self.device, with: device)
                    values[descriptor] = Data(uuid.utf8)
                    try add(descriptor, BlueZ.gattDescriptor, ["UUID": .string(FakeService.long(uuid))]) {
                        daemon, call in daemon.attributeCalled(call, flags: [])
                    }
                }
            }
        }
    }

    private func attributeCalled(_ call: BusMethodCall, flags: [String]) -> Bool {
        switch call.member {
        case "ReadValue":
            let value = values[call.path] ?? Data()
            // The result of a read is signalled as well, before the answer.
            if !flags.isEmpty { try? tree?.notify(call.path, BlueZ.gattCharacteristic, "Value", .bytes(value)) }
            call.reply([.bytes(value)])
        case "WriteValue":
            if sockets[call.path] != nil {
                call.fail(BlueZ.ErrorName.notPermitted, "Write acquired")
            } else {
                values[call.path] = call.arguments.first?.data
                call.reply()
            }
        case "AcquireWrite" where flags.contains("write-without-response"): acquire(call)
        case "AcquireWrite": call.fail(BlueZ.ErrorName.notSupported, "Operation is not supported")
        case "StartNotify":
            notifying.insert(call.path)
            call.reply()
        case "StopNotify":
            notifying.remove(call.path)
            call.reply()
        default: return false
        }
        return true
    }

    private func acquire(_ call: BusMethodCall) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            return call.fail(BlueZ.ErrorName.failed, "no socket")
        }
        if let before = sockets[call.path] { close(before) }
        sockets[call.path] = ends[0]
        call.reply([.fd(BusDescriptor(owning: ends[1])), .uint16(mtu)])
    }

    /// Notifies who has subscribed.
    /// - Returns: Whether anybody has.
    @discardableResult
    func notify(_ value: Data, _ path: String) -> Bool {
        queue.sync {
            guard notifying.contains(path) else { return false }
            return (try? tree?.notify(path, BlueZ.gattCharacteristic, "Value", .bytes(value))) != nil
        }
    }

    /// What has been written to a characteristic's socket, packet by packet.
    func receivedCommands(_ path: String, atMost count: Int = .max) -> [Data] {
        queue.sync {
            guard let socket = sockets[path] else { return [] }
            var packets: [Data] = []
            var buffer = [UInt8](repeating: 0, count: 600)
            while packets.count < count {
                let result = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if result <= 0 {
                    // The client gave it back.
                    if result == 0 {
                        close(socket)
                        sockets[path] = nil
                    }
                    break
                }
                packets.append(Data(buffer[..<result]))
            }
            return packets
        }
    }
}
