import Wire

extension PairingLayout {
    /// Those that both sides speak.
    static let tested: [PairingLayout] = [.standard, .chunked, .protected]
}
