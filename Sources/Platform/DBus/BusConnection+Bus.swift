/// What the bus itself offers.
extension BusConnection {
    /// Asks the bus for a well-known name, such as `org.bluez`, without waiting in line for it.
    public func requestName(
        _ name: String, _ completion: @escaping @Sendable (Result<Void, BusError>) -> Void
    ) {
        let doNotQueue: UInt32 = 4
        call(BusName.bus, BusName.busPath, BusName.bus, "RequestName", [.string(name), .uint32(doNotQueue)]) {
            outcome in
            completion(
                outcome.flatMap { values in
                    switch values.first?.int {
                    case 1, 4: .success(())
                    case 3:
                        .failure(.remote(name: BusError.failed, message: "the name \(name) belongs to another program"))
                    default: .failure(.unexpectedReply("RequestName answered \(values)"))
                    }
                })
        }
    }
}
