import TestSupport
import Testing

extension LabControl {
    /// Hardware and daemons as they were at first, and nothing of an earlier test in them.
    func clear() async throws {
        try await ask("heal")
        do {
            try await BlueZDaemon().clear()
        } catch {
            // BlueZ 5.66 can crash when a service is taken back whose central vanished with a request unanswered, which is
            // what the managers of the test before may have done in the meantime.
            try await ask("heal")
            try await BlueZDaemon().clear()
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that need the guest's hardware and daemons.
    static var inLab: Self {
        .enabled(if: LabControl.shared != nil, "runs inside the radio lab: make lab")
    }
}
