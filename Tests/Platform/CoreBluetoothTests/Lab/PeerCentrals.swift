import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Centrals that nobody here wrote, in the radio lab: Lab/peers/central.py, which also brings the adapter that the
/// peripheral is to use, or Lab/peers/bleak_central.py. Steps are done one after the other. Safe from any thread.
final class PeerCentrals: Sendable {
    /// What a step brought.
    struct Answer: @unchecked Sendable {
        // Unchecked because of the values, which are JSON and never changed.
        fileprivate let fields: [String: Any]

        var length: Int? { fields["length"] as? Int }
        var value: Data? { (fields["value"] as? String).flatMap(Self.bytes) }
        var values: [Data] { (fields["values"] as? [String] ?? []).compactMap(Self.bytes) }
        var count: Int? { fields["count"] as? Int }
        /// Advertising structures: their kinds and contents.
        var structures: [UInt8: Data] {
            var result: [UInt8: Data] = [:]
            for structure in fields["structures"] as? [[Any]] ?? [] {
                guard let kind = structure.first as? Int, let text = structure.last as? String else { continue }
                result[UInt8(truncatingIfNeeded: kind)] = Self.bytes(text)
            }
            return result
        }
        /// UUIDs of the services, written in lower case, and the properties of their characteristics.
        var services: [String: [String: Int]] {
            (fields["services"] as? [String: [String: Any]] ?? [:]).mapValues { service in
                (service["characteristics"] as? [String: [String: Any]] ?? [:]).compactMapValues {
                    $0["properties"] as? Int
                }
            }
        }

        private static func bytes(_ text: String) -> Data? {
            let digits = text.compactMap(\.hexDigitValue)
            guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
            return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
        }
    }

    /// A step that could not be done, for another reason than an ATT error.
    struct Failure: Error, CustomStringConvertible {
        var step: String
        var reason: String
        var description: String { "the peer did not do '\(step)': \(reason)" }
    }

    let lab: LabControl
    private let log: URL
    private let steps = Locked(0)

    /// Starts the program, with its arguments, until it is ready for steps.
    init(_ program: String) async throws {
        lab = try #require(LabControl.shared)
        let logs = try #require(ProcessInfo.processInfo.environment["LOGS"])
        log = URL(fileURLWithPath: logs).appending(path: "centrals.log")
        try await lab.ask("heal")
        try await lab.ask("start_peer centrals \(program)")
    }

    /// Does a step of central.py. Begun with `second`, the other central does it.
    /// - Throws: ``CBATTError`` where the peripheral refused; ``Failure``
    @discardableResult
    func step(_ step: String) async throws -> Answer {
        let number = steps.withLock { steps in
            steps += 1
            return steps
        }
        try await lab.ask("tell_peer centrals \(step)")
        let fields = try await within(.seconds(60), "the peer's '\(step)'") { try await self.event(number) }
        guard fields.fields["ok"] as? Bool == true else {
            if let code = (fields.fields["att"] as? Int).flatMap(CBATTError.Code.init(rawValue:)) {
                throw CBATTError(code)
            }
            throw Failure(step: step, reason: fields.fields["reason"] as? String ?? "\(fields.fields)")
        }
        return fields
    }

    /// The answer to a step. It comes through a file, so it is looked for.
    private func event(_ number: Int) async throws -> Answer {
        while true {
            let lines = (try? String(contentsOf: log, encoding: .utf8))?.split(separator: "\n") ?? []
            let answers = lines.compactMap { line -> [String: Any]? in
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return object?["event"] as? String == "step" ? object : nil
            }
            if answers.count >= number { return Answer(fields: answers[number - 1]) }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
