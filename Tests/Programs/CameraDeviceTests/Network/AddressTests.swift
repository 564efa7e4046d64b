import Foundation
import TestSupport
import Testing

@testable import CameraDevice

@Suite struct AddressLedgerTests {
    private func hasAddress(_ changes: AddressChange...) -> Bool {
        var ledger = AddressLedger()
        for change in changes { ledger.take(change) }
        return ledger.hasAddress
    }

    @Test func onlyWhatIsGivenNowCounts() {
        let leased = FakeAddresses.leased
        #expect(!hasAddress())
        #expect(hasAddress(.added(leased)))
        #expect(!hasAddress(.present(leased)), "a lease of the network before")
        #expect(hasAddress(.present(leased), .added(leased)), "which was renewed")
        #expect(!hasAddress(.added(leased), .removed(leased)))
    }

    @Test func anAddressThatWasSetByHandCounts() {
        #expect(hasAddress(.present(FakeAddresses.fixed)))
        #expect(!hasAddress(.present(FakeAddresses.fixed), .removed(FakeAddresses.fixed)))
    }

    @Test func afterALossWhatIsThereCounts() {
        let (leased, fixed) = (FakeAddresses.leased, FakeAddresses.fixed)
        #expect(hasAddress(.present(leased), .restarted, .present(leased)), "it may be new")
        #expect(!hasAddress(.added(leased), .present(fixed), .restarted), "both may have been removed since")
        #expect(!hasAddress(.restarted, .present(leased), .removed(leased)))
        var tentative = leased
        tentative.isUsable = false
        #expect(!hasAddress(.restarted, .present(tentative)))
    }

    @Test func anAddressMustBeUsable() {
        var tentative = FakeAddresses.leased
        tentative.isUsable = false
        #expect(!hasAddress(.added(tentative)))
        #expect(hasAddress(.added(tentative), .added(FakeAddresses.leased)))
        #expect(!hasAddress(.added(FakeAddresses.leased), .added(tentative)), "it lost its use")
    }
}

@Suite struct RouteMessageTests {
    /// A message about 192.168.77.60 as the kernel sends it, taken from a lease of dhcpcd.
    private func message(
        kind: UInt16 = 20, isAnswer: Bool = false, family: UInt8 = 2, flags: UInt8 = 0, scope: UInt8 = 0,
        index: UInt32 = 3, address: [UInt8] = [192, 168, 77, 60], moreFlags: UInt32? = nil
    ) -> Data {
        func native(_ number: some FixedWidthInteger) -> [UInt8] { Swift.withUnsafeBytes(of: number) { Array($0) } }
        func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
            native(UInt16(4 + value.count)) + native(kind) + value
        }
        var body = [family, 24, flags, scope] + native(index) + attribute(1, address) + attribute(2, address)
        if let moreFlags { body += attribute(8, native(moreFlags)) }
        return Data(
            native(UInt32(16 + body.count)) + native(kind) + native(UInt16(isAnswer ? 2 : 0)) + native(UInt32(11))
                + native(UInt32(0))
                + body)
    }

    private func address(_ data: Data) -> InterfaceAddress? {
        guard case .address(let address, _)? = RouteMessage.messages(in: data).first?.content else { return nil }
        return address
    }

    @Test func readsNewsAndAnswers() throws {
        let given = InterfaceAddress(bytes: Data([192, 168, 77, 60]), isPermanent: false, isUsable: true)
        #expect(
            RouteMessage.messages(in: message() + message(kind: 21, isAnswer: true)) == [
                RouteMessage(content: .address(given, interface: 3), isAnswer: false),
                RouteMessage(content: .removedAddress(given, interface: 3), isAnswer: true),
            ])
    }

    @Test func tellsWhatAnAddressIsGoodFor() {
        #expect(address(message(flags: 0x80))?.isPermanent == true)
        #expect(address(message(flags: 0x40))?.isUsable == false, "tentative")
        #expect(address(message(flags: 0x20))?.isUsable == false, "deprecated")
        #expect(address(message(scope: 253))?.isUsable == false, "of the link")
        #expect(address(message(scope: 254, address: [127, 0, 0, 1]))?.isUsable == false)
        #expect(address(message(address: [169, 254, 3, 4]))?.isUsable == false, "chosen by itself")
        #expect(address(message(moreFlags: 0x40))?.isUsable == false, "the attribute has all the flags")
        #expect(address(message(flags: 0x40, moreFlags: 0))?.isUsable == true)
        let six: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 1, count: 12)
        #expect(
            address(message(family: 10, address: six))
                == InterfaceAddress(bytes: Data(six), isPermanent: false, isUsable: true))
        #expect(address(message(family: 10)) == nil, "four bytes are no IPv6 address")
    }

    @Test func whatIsCutOrWrongIsPassedOver() {
        let whole = message()
        for length in 0..<whole.count {
            #expect(RouteMessage.messages(in: whole.prefix(length)).isEmpty)
        }
        var long = whole
        long[16 + 8] = 0xFF
        #expect(RouteMessage.messages(in: long).isEmpty, "an attribute that is longer than its message")
        #expect(RouteMessage.messages(in: message(kind: 99)).isEmpty)
        var endless = whole
        endless.replaceSubrange(0..<4, with: [0, 0, 0, 0])
        #expect(RouteMessage.messages(in: endless).isEmpty)
    }

    @Test func theKernelAnswersTheRequest() async throws {
        let changes = try KernelAddresses().changes(of: "lo")
        let loopback = InterfaceAddress(bytes: Data([127, 0, 0, 1]), isPermanent: true, isUsable: false)
        #expect(try await within(.seconds(20), "127.0.0.1") { await changes.first { _ in true } } == .present(loopback))
    }

    @Test func anInterfaceThatIsNotThereIsAnError() {
        #expect(throws: WiFiError.noInterface(name: "wlan99", reason: "there is no such interface")) {
            try KernelAddresses().changes(of: "wlan99")
        }
    }
}
