extension CBManager {
    /// Which radio a manager without options uses on this machine, and why, in a line for a person.
    ///
    /// Linux only. Chosen anew at each call, from the environment and whether the machine has a system bus; it says nothing of
    /// the adapter's state, which managers do.
    public static var radioDescription: String { RadioSelection.standard.choose(options: [:]).reason }

    /// Why the radio cannot be used and what mends it, in a line for a person; nil while it can be, or where there is no more
    /// to say than ``state`` does. It comes before the state that it explains.
    ///
    /// Linux only. For example: bluetoothd is not on the bus, there is no adapter, the software radio's directory is
    /// somebody else's.
    public var stateReason: String? { state == .poweredOn ? nil : radioExplanation }
}
