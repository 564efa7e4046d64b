import CoreBluetooth
import Foundation
import Testing

@Suite("Errors")
struct ErrorTests {
    @Test("they are made, compared, caught and bridged as on Apple's systems")
    func forms() {
        let error: any Error = CBError(.connectionTimeout)
        #expect((error as? CBError)?.code == .connectionTimeout)
        #expect((error as? CBError)?.code == CBError.connectionTimeout)
        #expect((error as NSError).domain == CBErrorDomain)
        #expect((error as NSError).code == 6)
        #expect(error.localizedDescription == "the connection timed out: the other device fell silent")
        do {
            throw error
        } catch CBError.peripheralDisconnected {
            Issue.record("this is another error")
        } catch CBError.connectionTimeout {
        } catch {
            Issue.record("the pattern should have matched")
        }
        let described = CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "because"])
        #expect(described.localizedDescription == "because")
        #expect(described.userInfo[NSLocalizedDescriptionKey] as? String == "because")
    }

    @Test("codes have Apple's numbers")
    func numbers() {
        #expect(CBError.Code.peripheralDisconnected.rawValue == 7)
        #expect(CBError.Code.alreadyAdvertising.rawValue == 9)
        #expect(CBError.Code.connectionFailed.rawValue == 10)
        #expect(CBError.Code.operationNotSupported.rawValue == 13)
        #expect(CBATTError.Code.writeNotPermitted.rawValue == 3)
        #expect(CBATTError.Code.insufficientResources.rawValue == 0x11)
    }

    @Test("ATT codes keep every number, and the application's own are known as such")
    func application() throws {
        for number in 0...255 {
            let code = try #require(CBATTError.Code(rawValue: number))
            #expect(code.rawValue == number)
            #expect(code.isApplicationDefined == (0x80...0x9F).contains(number))
            #expect(CBATTError(code).errorCode == number)
        }
        #expect(CBATTError.Code(rawValue: 256) == nil)
        #expect(CBATTError.Code(rawValue: -1) == nil)
        #expect(CBATTError(try #require(.init(rawValue: 0x81))).localizedDescription.contains("application error 0x81"))
        do {
            throw CBATTError(.invalidOffset)
        } catch CBATTError.invalidOffset {
        }
    }
}
