/// Something that turns a value into another form.
public protocol TopLevelEncoder {
    /// The form.
    associatedtype Output
    /// Encodes `value`.
    /// - Throws: When the value cannot be encoded.
    func encode<T: Encodable>(_ value: T) throws -> Output
}

/// Something that reads a value from another form.
public protocol TopLevelDecoder {
    /// The form.
    associatedtype Input
    /// Decodes a value of `type` from `input`.
    /// - Throws: When there is no such value in it.
    func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
}

extension Publisher {
    /// Encodes each value with `encoder`; an error that it throws ends the sequence.
    public func encode<Coder: TopLevelEncoder>(
        encoder: Coder
    ) -> Publishers.TryMap<Self, Coder.Output> where Output: Encodable {
        tryMap { try encoder.encode($0) }
    }

    /// Decodes each value with `decoder`; an error that it throws ends the sequence.
    public func decode<Item: Decodable, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> Publishers.TryMap<Self, Item> where Output == Coder.Input {
        tryMap { try decoder.decode(type, from: $0) }
    }
}
