import Foundation
import Porchlight
import Testing

@testable import porchlight

@Suite("Which camera is meant")
struct CameraChoiceTests {
    private func camera(_ name: String) -> BLECamera { BLECamera(name: name, identifier: UUID(), rssi: -50) }

    @Test(
        "Each of its names finds a camera",
        arguments: ["Camera 50RE", "PORCH-50RE", "porch-50re", "50re", "camera 50RE"])
    func names(name: String) throws {
        let choice = try CameraChoice(name)
        #expect(choice.matches(camera("Camera 50RE")))
        #expect(!choice.matches(camera("Camera 50RA")))
    }

    @Test("What cannot be a name is refused", arguments: ["", "RE", "Ca-m", "----"])
    func refused(name: String) {
        #expect { try CameraChoice(name) } throws: { ($0 as? CommandError)?.exitCode == 64 }
    }

    @Test("What was heard instead is named")
    func missing() throws {
        let choice = try CameraChoice("PORCH-50RE")
        #expect(
            choice.missing(among: [camera("Camera A1B2"), camera("Camera C3D4")])
                == "no 'Camera 50RE' is heard; there is 'Camera A1B2', 'Camera C3D4'")
        #expect(choice.missing(among: []) == "no 'Camera 50RE' is heard; no other camera is either")
    }
}
