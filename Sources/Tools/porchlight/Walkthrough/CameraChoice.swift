import Porchlight

/// Which camera a person means: by the end of its name, whichever of its names that is.
///
/// An app shows `Camera 50RE` for what is on the air, and in the camera's own terminal, as `PORCH-50RE`.
struct CameraChoice: Sendable {
    /// The last four letters or digits.
    let ending: String

    /// - Throws: ``CommandError/usage(_:)`` for a name with fewer than four letters or digits.
    init(_ name: String) throws(CommandError) {
        ending = Self.ending(of: name)
        guard ending.count == 4 else {
            throw .usage("'--camera' is a name such as 'Camera A1B2' or PORCH-A1B2, not '\(name)'.")
        }
    }

    func matches(_ camera: BLECamera) -> Bool { Self.ending(of: camera.name) == ending }

    /// What to say when it was not among those that were heard.
    func missing(among heard: [BLECamera]) -> String {
        let names = heard.map { "'\($0.name)'" }
        return "no 'Camera \(ending)' is heard; "
            + (names.isEmpty ? "no other camera is either" : "there is \(names.joined(separator: ", "))")
    }

    private static func ending(of name: String) -> String {
        String(name.filter { $0.isLetter || $0.isNumber }.suffix(4)).uppercased()
    }
}
