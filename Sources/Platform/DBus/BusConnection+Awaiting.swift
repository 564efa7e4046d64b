import Dispatch

/// Calls that a task waits for.
///
/// Unlike the rest of ``BusConnection`` they may be used anywhere: each goes to the connection's queue by itself, in the
/// order in which one caller makes them.
///
/// **Cancellation is not heard.** A call that is on its way may be carried out, and a caller that does not learn what came
/// of it could not undo it; and undoing is what cancelled tasks do. So a call made by a cancelled task is a call like any
/// other, and every one of them ends: with the answer, when the time is over, or when the connection closes. Who cannot
/// wait so long gives less time.
extension BusConnection {
    /// Calls a method.
    ///
    /// - Parameter timeout: How long to wait for the answer, by the machine's clock.
    /// - Returns: The answer's arguments.
    /// - Throws: ``BusError``, as the form with a completion hands it over.
    public nonisolated(nonsending) func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: Duration = .seconds(25)
    ) async throws(BusError) -> [BusValue] {
        let outcome = await withCheckedContinuation {
            (answered: CheckedContinuation<Result<[BusValue], BusError>, Never>) in
            queue.async { [self] in
                call(destination, path, interface, member, arguments, timeout: timeout) {
                    answered.resume(returning: $0)
                }
            }
        }
        return try outcome.get()
    }

    /// Reads a property.
    ///
    /// - Returns: Its value, without the variant around it.
    /// - Throws: ``BusError``; ``BusError/unexpectedReply(_:)`` for an answer without a value.
    public nonisolated(nonsending) func property(
        _ destination: String, _ path: String, _ interface: String, _ name: String, timeout: Duration = .seconds(25)
    ) async throws(BusError) -> BusValue {
        let answer = try await call(
            destination, path, BusName.properties, "Get", [.string(interface), .string(name)], timeout: timeout)
        guard answer.count == 1, case .variant(let value) = answer[0] else {
            throw .unexpectedReply("\(destination)\(path) answered without the value of \(interface).\(name)")
        }
        return value
    }

    /// Reads all properties of an object's interface.
    ///
    /// - Returns: The values by their names, without the variants around them.
    /// - Throws: ``BusError``; ``BusError/unexpectedReply(_:)`` for an answer without properties.
    public nonisolated(nonsending) func properties(
        _ destination: String, _ path: String, _ interface: String, timeout: Duration = .seconds(25)
    ) async throws(BusError) -> [String: BusValue] {
        let answer = try await call(
            destination, path, BusName.properties, "GetAll", [.string(interface)], timeout: timeout)
        guard answer.count == 1, let properties = answer[0].properties else {
            throw .unexpectedReply("\(destination)\(path) answered without the properties of \(interface)")
        }
        return properties
    }

    /// Sets a property.
    ///
    /// - Parameter value: Without a variant around it, unless the property itself is one.
    /// - Throws: ``BusError``
    public nonisolated(nonsending) func setProperty(
        _ destination: String, _ path: String, _ interface: String, _ name: String, to value: BusValue,
        timeout: Duration = .seconds(25)
    ) async throws(BusError) {
        _ = try await call(
            destination, path, BusName.properties, "Set", [.string(interface), .string(name), .variant(value)],
            timeout: timeout)
    }

    /// Asks the bus who has a name now, such as `org.bluez`. Starts nobody.
    ///
    /// - Returns: The unique name of the owner's connection, nil for nobody. What is sent to it reaches this owner or, when
    ///   it has gone, nobody.
    /// - Throws: ``BusError``
    public nonisolated(nonsending) func owner(of name: String) async throws(BusError) -> String? {
        do throws(BusError) {
            let answer = try await call(BusName.bus, BusName.busPath, BusName.bus, "GetNameOwner", [.string(name)])
            guard let owner = answer.first?.string else {
                throw .unexpectedReply("the bus does not say who has the name \(name)")
            }
            return owner
        } catch  where error.name == BusError.nameHasNoOwner {
            return nil
        }
    }
}
