extension CBManager {
    /// Which radio a manager without options uses on this machine, and why, in a line for a person.
    ///
    /// Linux only. Chosen anew at each call, from the environment and whether the machine has a system bus; it says nothing of
    /// the adapter's state, which managers do.
    public static var radioDescription: String { RadioSelection.standard.choose(options: [:]).reason }
}
