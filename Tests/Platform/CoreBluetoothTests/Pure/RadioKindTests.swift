import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Which radio a program would get")
struct RadioKindTests {
    private func kind(_ environment: [String: String], bus: Bool = true) -> CBManager.RadioKind {
        CBManager.radioKind(environment: environment) { bus }
    }

    @Test("It is the one that a manager without options gets")
    func kinds() {
        #expect(kind([:]) == .blueZ(adapter: nil))
        #expect(kind(["PORCHLIGHT_ADAPTER": "hci1"]) == .blueZ(adapter: "hci1"))
        #expect(kind(["PORCHLIGHT_RADIO_DIR": "/air"], bus: false) == .software(directory: "/air"))
        guard case .absent(let reason) = kind(["PORCHLIGHT_RADIO": "blues"]) else {
            Issue.record("a radio that there is not")
            return
        }
        #expect(reason.contains("blues"))
    }

    @Test("Its memory is where the environment says")
    func memory() {
        #expect(CBManager.stateDirectory(environment: ["PORCHLIGHT_STATE": "/memory"]).path == "/memory")
    }
}
