import Foundation

/// A connection to a peripheral, as its attributes' client sees it.
///
/// Called on the radio's queue, where every completion is delivered, exactly once. Reads and writes are of whole values:
/// blob reads and prepared writes are the link's affair.
protocol AttributeLink: AnyObject, Sendable {
    /// All primary services, in the order of their handles.
    func discoverServices(_ completion: @escaping RadioCompletion<[RemoteService]>)
    /// The services that a service includes.
    func discoverIncludedServices(
        of service: AttributeID, _ completion: @escaping RadioCompletion<[RemoteService]>)
    /// The characteristics of a service.
    func discoverCharacteristics(
        of service: AttributeID, _ completion: @escaping RadioCompletion<[RemoteCharacteristic]>)
    /// The descriptors of a characteristic.
    func discoverDescriptors(
        of characteristic: AttributeID, _ completion: @escaping RadioCompletion<[RemoteDescriptor]>)

    /// Reads a whole value of at most 512 bytes.
    func read(_ attribute: AttributeID, _ completion: @escaping RadioCompletion<Data>)
    /// Writes a whole value, by several requests if it is long, and waits for the answer.
    func write(_ value: Data, to attribute: AttributeID, _ completion: @escaping RadioCompletion<Void>)
    /// Writes without an answer. Completed when the link has room for another one.
    func writeWithoutResponse(
        _ value: Data, to attribute: AttributeID, _ completion: @escaping RadioCompletion<Void>)
    /// Turns notifications (or indications, where there are only these) on or off.
    func setNotify(
        _ enabled: Bool, for characteristic: AttributeID, _ completion: @escaping RadioCompletion<Void>)
    /// The strength at which the peripheral is received, in dBm.
    func readRSSI(_ completion: @escaping RadioCompletion<Int>)
}

/// The same by the peripheral's address: without a link to it everything fails with ``CBError/Code/notConnected``.
extension CentralRadio {
    private func withLink<Value: Sendable>(
        _ address: RadioAddress, _ completion: @escaping RadioCompletion<Value>, _ body: (any AttributeLink) -> Void
    ) {
        guard let link = link(to: address) else { return completion(.failure(.radio(.notConnected))) }
        body(link)
    }

    func discoverServices(of address: RadioAddress, _ completion: @escaping RadioCompletion<[RemoteService]>) {
        withLink(address, completion) { $0.discoverServices(completion) }
    }

    func discoverIncludedServices(
        of service: AttributeID, at address: RadioAddress, _ completion: @escaping RadioCompletion<[RemoteService]>
    ) {
        withLink(address, completion) { $0.discoverIncludedServices(of: service, completion) }
    }

    func discoverCharacteristics(
        of service: AttributeID, at address: RadioAddress,
        _ completion: @escaping RadioCompletion<[RemoteCharacteristic]>
    ) {
        withLink(address, completion) { $0.discoverCharacteristics(of: service, completion) }
    }

    func discoverDescriptors(
        of characteristic: AttributeID, at address: RadioAddress,
        _ completion: @escaping RadioCompletion<[RemoteDescriptor]>
    ) {
        withLink(address, completion) { $0.discoverDescriptors(of: characteristic, completion) }
    }

    func read(_ attribute: AttributeID, at address: RadioAddress, _ completion: @escaping RadioCompletion<Data>) {
        withLink(address, completion) { $0.read(attribute, completion) }
    }

    func write(
        _ value: Data, to attribute: AttributeID, at address: RadioAddress,
        _ completion: @escaping RadioCompletion<Void>
    ) {
        withLink(address, completion) { $0.write(value, to: attribute, completion) }
    }

    func writeWithoutResponse(
        _ value: Data, to attribute: AttributeID, at address: RadioAddress,
        _ completion: @escaping RadioCompletion<Void>
    ) {
        withLink(address, completion) { $0.writeWithoutResponse(value, to: attribute, completion) }
    }

    func setNotify(
        _ enabled: Bool, for characteristic: AttributeID, at address: RadioAddress,
        _ completion: @escaping RadioCompletion<Void>
    ) {
        withLink(address, completion) { $0.setNotify(enabled, for: characteristic, completion) }
    }

    func readRSSI(of address: RadioAddress, _ completion: @escaping RadioCompletion<Int>) {
        withLink(address, completion) { $0.readRSSI(completion) }
    }
}
