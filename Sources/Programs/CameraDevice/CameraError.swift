/// Why a camera cannot start or go on. Each description is one line with the remedy.
public enum CameraError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The state directory cannot be made or written to.
    case stateDirectoryNotWritable(path: String, reason: String)
    /// The state directory was there, and other accounts may look into it or write to it. Its mode is left as it is.
    case stateDirectoryExposed(path: String)
    /// Another camera process uses the state directory.
    case stateDirectoryInUse(path: String)
    /// The file with the device key is not as it was written. It is never replaced silently, since the key is what the
    /// cloud knows the camera by.
    case identityDamaged(path: String, reason: String)
    /// Other accounts may read or write the file with the device key.
    case identityExposed(path: String)
    /// The record of the registration is not as it was written.
    case registrationDamaged(path: String)
    /// Other accounts may read or write the file with the verifiers of the setup code.
    case setupCodeExposed(path: String)
    /// The file with the verifiers of the setup code is not as it was written.
    case setupCodeDamaged(path: String)
    /// A setup code could not be made.
    case setupCodeFailed(reason: String)
    /// A file of the state directory cannot be read or written.
    case fileFailed(path: String, reason: String)
    /// An address that cannot be that of a cloud; the text is its host, so that nothing secret is repeated.
    case badCloudAddress(String)
    /// The model name is longer than the 32 bytes that the pairing service carries, or empty.
    case badModelName
    /// No Bluetooth radio can be used.
    case noRadio(reason: String)
    /// A part of GStreamer is missing.
    case missingElement(name: String, package: String)
    /// The video input cannot be opened.
    case noVideo(reason: String)
    /// ``Camera/start()`` was called a second time, or after ``Camera/stop()``.
    case alreadyStarted
    /// ``Camera/stop()`` was called before ``Camera/start()`` was through.
    case stopped

    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .stateDirectoryNotWritable(let path, let reason):
            "The state directory \(path) cannot be written (\(reason)). Choose another, or give this account the right."
        case .stateDirectoryExposed(let path):
            """
            The state directory \(path) is open to other accounts. Run `chmod 700 \(path)` if it is for the camera alone; \
            else choose another.
            """
        case .stateDirectoryInUse(let path):
            "Another camera uses the state directory \(path). Stop it, or choose another directory."
        case .identityDamaged(let path, let reason):
            """
            The device key in \(path) is damaged (\(reason)). Restore it from a backup, or delete the file: \
            the camera then gets a new key and id and must be paired again.
            """
        case .identityExposed(let path):
            """
            The device key in \(path) can be read or changed by other accounts. Run `chmod 600` on it, or delete it if \
            somebody may have copied it.
            """
        case .registrationDamaged(let path):
            "The registration in \(path) is damaged. Delete the file and pair the camera again."
        case .setupCodeExposed(let path):
            """
            What is kept of the setup code in \(path) can be read or changed by other accounts. Run `chmod 600` on it, or \
            start once with --new-setup-code (renewsSetupCode) if somebody may have copied it.
            """
        case .setupCodeDamaged(let path):
            """
            What is kept of the setup code in \(path) is damaged. Restore it from a backup, or start once with \
            --new-setup-code (renewsSetupCode): the camera then has another code.
            """
        case .setupCodeFailed(let reason):
            "No setup code can be made (\(reason)). Free some memory and start again."
        case .fileFailed(let path, let reason):
            "The file \(path) cannot be read or written (\(reason)). Check the disk and the rights."
        case .badCloudAddress(let host):
            "\(host) is not a cloud's address. Give one such as http://192.168.1.10:8080, without user name or query."
        case .badModelName:
            "The model name must have 1 to 32 bytes of UTF-8. Choose a shorter one."
        case .noRadio(let reason):
            """
            No Bluetooth radio can be used (\(reason)). Mend that, or set PORCHLIGHT_RADIO=software to pair on this machine \
            only.
            """
        case .missingElement(let name, let package):
            "The GStreamer element \(name) is missing. Install it with `apt-get install \(package)`."
        case .noVideo(let reason):
            """
            The video input cannot be used (\(reason)). Close other programs that use it, or choose another device or the \
            test pattern.
            """
        case .alreadyStarted:
            "The camera has been started already. Make a new one to start again after a stop."
        case .stopped:
            "The camera was stopped while it started. Make a new one to start again."
        }
    }
}
