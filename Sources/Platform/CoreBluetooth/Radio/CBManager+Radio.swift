extension CBManager {
    /// Which radio a manager without options uses on this machine, and why, in a line for a person.
    ///
    /// Linux only. Chosen anew at each call from the environment and the adapters that are powered.
    public static var radioDescription: String { RadioSelection.standard.choose(options: [:]).reason }
}
