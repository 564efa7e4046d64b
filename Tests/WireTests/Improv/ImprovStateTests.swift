import Foundation
import Testing
import Wire

@Suite struct ImprovStateTests {
    @Test func codesArePinned() throws {
        #expect(ImprovState.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(ImprovState.allCases.filter(\.isPairable) == [.authorizationRequired, .authorized])
        let errors: [(UInt8, ImprovErrorState)] = [
            (0, .none), (1, .invalidCommand), (2, .unknownCommand), (3, .unableToConnect), (4, .notAuthorized),
            (5, .badHostname), (6, .unknown(6)), (0xFF, .unknown(0xFF)),
        ]
        for (code, error) in errors {
            #expect(try ImprovErrorState(decoding: Data([code])) == error)
            #expect(error.code == code)
        }
        #expect(ImprovCapabilities(rawValue: 0x1F) == [.identify, .deviceInfo, .scan, .hostname, .deviceName])
    }

    @Test(arguments: [Data(), Data([2, 0])])
    func oneByteIsOneByte(data: Data) {
        #expect(throws: WireError.length(field: "state", actual: data.count, allowed: 1...1)) {
            try ImprovState(decoding: data)
        }
        #expect(throws: WireError.length(field: "error", actual: data.count, allowed: 1...1)) {
            try ImprovErrorState(decoding: data)
        }
    }

    @Test(arguments: [0, 5, 0xFF] as [UInt8])
    func otherStatesAreRefused(code: UInt8) {
        #expect(throws: WireError.value(field: "state", reason: "code \(code) is not known")) {
            try ImprovState(decoding: Data([code]))
        }
    }

    @Test func capabilitiesMayGrow() throws {
        #expect(try ImprovCapabilities(decoding: Data([5])) == [.identify, .scan])
        #expect(try ImprovCapabilities(decoding: Data([4, 0xAA])) == .scan)
        #expect(throws: WireError.missing(field: "capabilities")) { try ImprovCapabilities(decoding: Data()) }
    }

    @Test func serviceDataIsStateThenCapabilities() throws {
        let data = ImprovServiceData(state: .authorized, capabilities: [.identify, .deviceInfo, .scan])
        #expect(data.encoded() == Data([2, 7, 0, 0, 0, 0]))
        #expect(try ImprovServiceData(decoding: data.encoded()) == data)
        #expect(try ImprovServiceData(decoding: Data([2, 7])) == data)
        #expect(try ImprovServiceData(decoding: Data([2, 7, 9, 9, 9, 9, 9])) == data)
    }

    @Test(
        arguments: [
            ([], WireError.length(field: "service data", actual: 0, allowed: 2...31)),
            ([2], .length(field: "service data", actual: 1, allowed: 2...31)),
            ([UInt8](repeating: 2, count: 32), .length(field: "service data", actual: 32, allowed: 2...31)),
            ([0, 1, 0, 0, 0, 0], .value(field: "state", reason: "code 0 is not known")),
        ] as [([UInt8], WireError)])
    func refusesOtherServiceData(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try ImprovServiceData(decoding: Data(bytes)) }
    }

    @Test func theServiceIsThatOfTheStandard() {
        #expect(ImprovService.service == "00467768-6228-2272-4663-277478268000")
        let suffixes = ImprovService.Characteristic.allCases.map { $0.rawValue.suffix(4) }
        #expect(suffixes == ["8001", "8002", "8003", "8004", "8005"])
    }
}
