import CSystemd
import Glibc

/// One complete type of a signature, taken apart once so that reading a message parses nothing.
final class MessageType: Sendable {
    /// How values of the type are read.
    enum Form: Sendable {
        /// A basic type, by its letter.
        case basic(UInt8)
        /// `ay`
        case bytes
        /// `a{sv}`
        case properties
        /// An array of any other type but dictionary entries.
        case array(MessageType)
        /// An array of dictionary entries; the entry is entered by the key's and the value's signature.
        case dictionary(key: MessageType, value: MessageType, entry: CText)
        case structure([MessageType])
        case variant
    }

    let form: Form
    /// The whole type.
    let signature: String
    /// What sd-bus calls the contents of a container: the signature between its brackets, or behind its `a`.
    let contents: CText

    private init(_ form: Form, signature: String, contents: String) {
        self.form = form
        self.signature = signature
        self.contents = CText(contents)
    }

    static let bytes = MessageType(.bytes, signature: "ay", contents: "y")
    static let variant = MessageType(.variant, signature: "v", contents: "")
    /// `a{sv}`'s entries.
    static let propertyEntry = CText("sv")
    /// What `a{sv}` contains.
    static let propertyContents = CText("{sv}")
    /// What `as` contains.
    static let stringContents = CText("s")
    /// By letter; nil where no basic type has it.
    static let basics: [MessageType?] = {
        var types = [MessageType?](repeating: nil, count: 128)
        for letter in "ybnqiuxtdsogh".utf8 {
            types[Int(letter)] = MessageType(
                .basic(letter), signature: String(Unicode.Scalar(letter)), contents: "")
        }
        types[Int(UInt8(ascii: "v"))] = variant
        return types
    }()

    /// The types of a signature, or nil where it is none. sd-bus has checked the signatures of messages; the limits
    /// here are the specification's, so that no other source of one can do harm either.
    static func parse(_ signature: String) -> [MessageType]? {
        guard signature.utf8.count <= 255 else { return nil }
        var rest = Array(signature.utf8)[...]
        var types: [MessageType] = []
        while !rest.isEmpty {
            guard let type = next(in: &rest, depth: 0) else { return nil }
            types.append(type)
        }
        return types
    }

    private static func next(in rest: inout ArraySlice<UInt8>, depth: Int) -> MessageType? {
        guard depth <= 64, let letter = rest.popFirst(), letter < 128 else { return nil }
        if let type = basics[Int(letter)] { return type }
        switch letter {
        case UInt8(ascii: "a"):
            if rest.first == UInt8(ascii: "{") { return dictionary(in: &rest, depth: depth) }
            guard let element = next(in: &rest, depth: depth + 1) else { return nil }
            if element.signature == "y" { return bytes }
            return MessageType(.array(element), signature: "a" + element.signature, contents: element.signature)
        case UInt8(ascii: "("):
            var fields: [MessageType] = []
            while rest.first != UInt8(ascii: ")") {
                guard let field = next(in: &rest, depth: depth + 1) else { return nil }
                fields.append(field)
            }
            rest = rest.dropFirst()
            guard !fields.isEmpty else { return nil }
            let contents = fields.map(\.signature).joined()
            return MessageType(.structure(fields), signature: "(" + contents + ")", contents: contents)
        default: return nil
        }
    }

    private static func dictionary(in rest: inout ArraySlice<UInt8>, depth: Int) -> MessageType? {
        rest = rest.dropFirst()
        guard let key = next(in: &rest, depth: depth + 1), case .basic = key.form,
            let value = next(in: &rest, depth: depth + 1), rest.popFirst() == UInt8(ascii: "}")
        else { return nil }
        let entry = key.signature + value.signature
        let form: Form =
            entry == "sv" ? .properties : .dictionary(key: key, value: value, entry: CText(entry))
        return MessageType(form, signature: "a{" + entry + "}", contents: "{" + entry + "}")
    }
}

/// A string that C can read for as long as this lives.
final class CText: @unchecked Sendable {
    // Unchecked because the text is never written after `init`.
    let pointer: UnsafeMutablePointer<CChar>

    init(_ text: String) {
        guard let copy = strdup(text) else { fatalError("out of memory") }
        pointer = copy
    }

    deinit { free(pointer) }
}

/// Signatures that were met, taken apart. Not thread-safe: it belongs to one connection, or one call.
final class MessageTypes {
    // Other processes choose the signatures, so there is an end to what is kept.
    private static let limit = 256
    private var known: [String: [MessageType]] = [:]
    var count: Int { known.count }

    func types(of signature: String) -> [MessageType]? {
        if let types = known[signature] { return types }
        guard let types = MessageType.parse(signature) else { return nil }
        if known.count >= Self.limit { known = [:] }
        known[signature] = types
        return types
    }

    /// The one type that a variant holds; `signature` is sd-bus's.
    func type(ofVariant signature: UnsafePointer<CChar>) -> MessageType? {
        let first = UInt8(bitPattern: signature[0])
        if first != 0, signature[1] == 0 { return first < 128 ? MessageType.basics[Int(first)] : nil }
        if first == UInt8(ascii: "a"), signature[1] == CChar(UInt8(ascii: "y")), signature[2] == 0 {
            return MessageType.bytes
        }
        guard let types = types(of: String(cString: signature)), types.count == 1 else { return nil }
        return types[0]
    }
}
