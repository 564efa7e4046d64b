import CameraDevice
import DBus
import Dispatch

/// A message bus, asked a few questions.
struct ServiceBus: Sendable {
    /// How long one answer may take, so that whoever does not answer is named before the check's own limit.
    static let patience = Duration.milliseconds(1500)

    private let connection: BusConnection

    /// Connects on a thread of its own: a bus that takes the connection and says nothing blocks for seconds.
    init(_ address: BusAddress) async throws(BusError) {
        let result = await withCheckedContinuation {
            (answer: CheckedContinuation<Result<BusConnection, BusError>, Never>) in
            DispatchQueue.global().async {
                answer.resume(
                    returning: Result { () throws(BusError) in
                        try BusConnection(address, queue: DispatchQueue(label: "porchlight.doctor.bus"))
                    })
            }
        }
        connection = try result.get()
    }

    /// Who has a name now; nil for nobody. Starts nobody.
    func owner(of name: String) async throws(BusError) -> String? { try await connection.owner(of: name) }

    func call(
        _ service: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) async throws(BusError) -> [BusValue] {
        try await connection.call(service, path, interface, member, arguments, timeout: Self.patience)
    }

    func property(
        _ service: String, _ path: String, _ interface: String, _ name: String
    ) async throws(BusError) -> BusValue {
        try await connection.property(service, path, interface, name, timeout: Self.patience)
    }

    /// Whether NetworkManager has a network interface.
    func isManaged(_ interface: String) async -> Bool { await NetworkManager.manages(interface, on: connection) }
}
