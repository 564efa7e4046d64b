import Basics
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// Joins real networks, in the radio lab: `Lab/scenarios/wifi-kinds.sh` names them, and reads what came of each.
///
/// `PORCHLIGHT_LAB_NETWORKS` is a file with a line a network, in the order in which they are tried: name of the test, SSID
/// in hexadecimal digits, security, how it ends (`joined` or a `PairingFailure`), and the password; separated by tabs.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["PORCHLIGHT_LAB_NETWORKS"] != nil))
struct WpaSupplicantLabTests {
    private struct Line {
        var test: String
        var network: NetworkCredentials
        var ending: String

        init(_ text: Substring) throws {
            let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 5)
            test = fields[0]
            let digits = fields[1].compactMap(\.hexDigitValue)
            let ssid = Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
            let security = try #require(WiFiSecurity.allCases.first { "\($0)" == fields[2] })
            network = NetworkCredentials(
                try PairingCredentials(
                    ssid: ssid, security: security, password: Secret(fields[4]),
                    sessionKey: Secret(Samples.sessionKey), region: .us, environment: .production))
            ending = fields[3]
        }
    }

    @Test func joinsWhatIsThere() async throws {
        let environment = ProcessInfo.processInfo.environment
        let path = try #require(environment["PORCHLIGHT_LAB_NETWORKS"])
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(Line.init)
        let supplicant = try await WpaSupplicant.open("wlan0")
        let heard = try await supplicant.scan().merged()
        for network in heard { print("heard", network.ssid.networkName, network.security, network.rssi, network.bands) }
        for line in lines {
            let start = ContinuousClock.now
            let ending: String
            do throws(PairingFailure) {
                try await supplicant.join(line.network)
                ending = "joined"
            } catch {
                ending = error.rawValue
            }
            let taken = start.duration(to: .now)
            print("result\t\(line.test)\t\(ending)\t\(line.ending)\t\(taken)")
            if line.ending == "joined", line.network.security != .enterprise {
                let isListed = heard.contains { $0.ssid == line.network.ssid }
                print("listed\t\(line.test)\t\(isListed)\t\(await supplicant.signalStrength() ?? 0) dBm")
            }
        }
    }
}
