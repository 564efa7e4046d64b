import DBus
import Foundation

/// What the daemon calls on the objects of characteristics and descriptors (BlueZ 5.66, doc/gatt-api.txt).
extension BlueZPeripheral {
    /// Who asks, and what the options of a call say.
    private struct Options {
        var path: String
        var central: RemoteCentral
        var offset: Int
        /// Whether it is about a prepared write, which comes as a whole later.
        var isPreparation: Bool
    }

    func requested(_ attribute: PublishedServices.Attribute, _ call: BusMethodCall) {
        guard call.sender == adapter.objects?.owner else {
            return call.fail(BusError.accessDenied, "only the Bluetooth daemon may call this")
        }
        switch (attribute, call.member) {
        case (.characteristic(let characteristic), "ReadValue"):
            guard characteristic.permissions.allowsReading else { return call.fail(.readNotPermitted) }
            read(characteristic.id, call)
        case (.descriptor(let descriptor), "ReadValue"): read(descriptor, call)
        case (.characteristic(let characteristic), "WriteValue"): write(characteristic, call)
        case (.characteristic(let characteristic), "AcquireNotify"): subscribe(characteristic.id, call)
        case (.characteristic(let characteristic), "StartNotify"):
            centrals.counted(characteristic.id)
            call.reply()
        case (.characteristic(let characteristic), "StopNotify"):
            call.reply()
            deliverLosses(centrals.stopped(characteristic.id))
        case (.characteristic(let characteristic), "Confirm"):
            call.reply()
            values.confirmed(characteristic.id)
        default: call.refuse()
        }
    }

    private func read(_ attribute: AttributeID, _ call: BusMethodCall) {
        guard let options = options(call.arguments.first, of: call) else { return }
        deliver?(.read(options.central, attribute, offset: options.offset, ticket(for: call, of: options.path)))
    }

    private func write(_ characteristic: LocalCharacteristic, _ call: BusMethodCall) {
        guard let value = call.arguments.first?.data else {
            return call.fail(BlueZ.ErrorName.invalidArguments, "\(call.member) needs a value")
        }
        guard let options = options(call.arguments.dropFirst().first, of: call) else { return }
        guard !options.isPreparation else { return call.reply() }
        guard characteristic.permissions.allowsWriting else { return call.fail(.writeNotPermitted) }
        let piece = WritePiece(attribute: characteristic.id, offset: options.offset, value: value)
        // Without a reply there is nobody who waits: a command, or a request that the daemon has confirmed by itself.
        let ticket = call.expectsReply ? ticket(for: call, of: options.path) : nil
        deliver?(.write(options.central, [piece], ticket))
    }

    private func subscribe(_ characteristic: AttributeID, _ call: BusMethodCall) {
        guard let options = options(call.arguments.first, of: call) else { return }
        // The daemon's socket would be one for all subscribers, and it would not say who the next ones are. Refused by this
        // name, it counts the subscriber and asks again for the next one.
        call.fail(BlueZ.ErrorName.notSupported, "values are sent as changes of Value")
        deliverLosses(centrals.subscribed(options.path, to: characteristic))
    }

    /// Reads the options of a call. Answers it when they are not what they should be.
    private func options(_ value: BusValue?, of call: BusMethodCall) -> Options? {
        let properties = value?.properties ?? [:]
        guard let adapterPath = adapter.path, let path = properties["device"]?.string,
            let address = RadioAddress(devicePath: path, adapter: adapterPath)
        else {
            call.fail(BlueZ.ErrorName.invalidArguments, "\(call.member) needs the option 'device'")
            return nil
        }
        let offset = properties["offset"].map { $0.int ?? -1 } ?? 0
        guard (0...ATTLimit.valueBytes).contains(offset) else {
            call.fail(.invalidOffset)
            return nil
        }
        return Options(
            path: path, central: met(path, address, mtu: properties["mtu"]?.int), offset: offset,
            isPreparation: properties["prepare-authorize"]?.bool ?? false)
    }
}

extension BusMethodCall {
    /// Answers with an ATT error, as far as the daemon can be told.
    func fail(_ code: CBATTError.Code) {
        let error = code.blueZError
        fail(error.name, error.message)
    }
}
