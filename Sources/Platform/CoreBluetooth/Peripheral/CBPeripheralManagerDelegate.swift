public import Foundation

/// Hears of a peripheral manager's radio, of what centrals ask and of their subscriptions.
///
/// Every method is called on the manager's queue. All but the first are optional: they have a default that does nothing,
/// or, for requests, refuses.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The radio's condition changed. Nothing can be asked of the manager until `peripheral.state` is `poweredOn`.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// Apple's system started the app again. Never called on Linux, where no system restores programs.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// The answer to ``CBPeripheralManager/startAdvertising(_:)``.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

    /// The answer to ``CBPeripheralManager/add(_:)``.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

    /// A central turned notifications or indications on.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)

    /// A central turned them off, or its connection ended.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

    /// A central reads a characteristic without fixed value. Set `request.value` and respond; the central waits.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// A central writes. All pieces of a prepared write come in one call: carry out all of them or none, and respond to
    /// the first.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

    /// There is room for values again after
    /// ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` returned false.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
}

extension CBPeripheralManagerDelegate {
    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}
    /// Does nothing.
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}
    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}
    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {}
    /// Does nothing.
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {}
    /// Refuses with ``CBATTError/Code/requestNotSupported``.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        peripheral.respond(to: request, withResult: .requestNotSupported)
    }
    /// Refuses with ``CBATTError/Code/requestNotSupported``.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        if let first = requests.first { peripheral.respond(to: first, withResult: .requestNotSupported) }
    }
    /// Does nothing.
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
}
