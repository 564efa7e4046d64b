import Foundation
import Testing
import Wire

@testable import CloudServer

/// `docs/cloud-api.yaml` and the server's table say the same.
@Suite struct InterfaceDocumentTests {
    /// One operation as it stands in the document.
    private struct Operation {
        var line: String
        var statuses: Set<Int> = []
    }

    private static let document: String = {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return (try? String(contentsOf: root.appending(path: "docs/cloud-api.yaml"), encoding: .utf8)) ?? ""
    }()

    /// Reads paths, methods and status codes by their indentation, which is all that this test needs of YAML.
    private static let operations: [Operation] = {
        var operations: [Operation] = []
        var path = ""
        var isInPaths = false
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            let indentation = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indentation)
            switch indentation {
            case 0 where !text.isEmpty: isInPaths = text == "paths:"
            case 2 where isInPaths && text.hasPrefix("/"): path = String(text.dropLast())
            case 4 where isInPaths && text.hasSuffix(":") && text != "parameters:":
                operations.append(Operation(line: "\(text.dropLast().uppercased()) \(path)"))
            case 8 where isInPaths && text.first == "\"":
                if let status = Int(text.dropFirst().prefix(3)), !operations.isEmpty {
                    operations[operations.count - 1].statuses.insert(status)
                }
            default: break
            }
        }
        return operations
    }()

    @Test func everyRouteStandsInTheDocumentAndTheOtherWayRound() {
        let documented = Self.operations.map(\.line)
        #expect(documented.sorted() == RouteTable.interface.map { "\($0.method) \($0.path)" }.sorted())
    }

    @Test(arguments: RouteTable.interface.indices)
    func everyAnswerOfARouteStandsInTheDocument(_ index: Int) throws {
        let route = RouteTable.interface[index]
        let operation = try #require(Self.operations.first { $0.line == "\(route.method) \(route.path)" })
        var expected: Set<Int> =
            switch route.endpoint {
            case .health, .devices, .pairingSessionStatus, .device, .endLive, .describeLive, .describeLiveSession: [200]
            case .createPairingSession, .register, .startLive: [201]
            case .reportPairingFailure: [204]
            case .cameraSocket: [101, 426]
            case .console: []
            }
        if route.access == .personInSpace { expected.formUnion([401, 403]) }
        if route.access == .sessionKey { expected.formUnion([404, 409, 410]) }
        if route.body != .none { expected.formUnion([400, 413, 415]) }
        switch route.endpoint {
        case .device, .pairingSessionStatus, .endLive: expected.insert(404)
        case .register: expected.insert(403)
        case .startLive: expected.formUnion([404, 409, 502, 504])
        default: break
        }
        // These alone never ask the storage.
        if ![.cameraSocket, .endLive, .describeLive, .describeLiveSession].contains(route.endpoint) {
            expected.formUnion([500, 503])
        }
        #expect(operation.statuses == expected)
    }

    @Test(arguments: PairingFailure.allCases.map(\.rawValue) + DeviceAuthStatus.allCases.map(\.rawValue))
    func everyNameThatTravelsStandsInTheDocument(_ name: String) {
        #expect(Self.document.contains(name))
    }
}
