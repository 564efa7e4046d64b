import COpenSSL

/// Why a cryptographic operation was not done.
public enum CryptoKitError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key has not the length that the algorithm needs.
    case incorrectKeySize
    /// A parameter has not the length that the algorithm needs.
    case incorrectParameterSize
    /// A code or signature does not belong to the data.
    case authenticationFailure
    /// The library under this module refused; the number is its own error code.
    case underlyingCoreCryptoError(error: Int32)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .incorrectKeySize: "the key has the wrong length; pass the key's raw bytes, such as 32 for Ed25519"
        case .incorrectParameterSize: "a parameter has the wrong length; see the algorithm's own specification"
        case .authenticationFailure: "the data was altered or the key is another one; do not use the data"
        case .underlyingCoreCryptoError(let error):
            "libcrypto failed with code \(error); `openssl errstr \(String(UInt32(bitPattern: error), radix: 16))` explains it"
        }
    }

    /// The oldest error that the library noted on this thread, taken off its list.
    static func fromLibrary() -> CryptoKitError {
        .underlyingCoreCryptoError(error: Int32(truncatingIfNeeded: lastLibraryError()))
    }
}

/// The newest error that the library noted on this thread; the list is emptied so that nobody meets an old one.
func lastLibraryError() -> UInt {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    return UInt(code)
}
