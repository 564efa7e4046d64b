import Basics
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// Joins real networks, in the radio lab: `Lab/scenarios/wifi-kinds.sh` names them, and reads what came of each.
///
/// `PORCHLIGHT_LAB_NETWORKS` is a file with a line a network, in the order in which they are tried: name of the test, SSID
/// in hexadecimal digits, security, how it ends, and the password; separated by tabs. It ends with a `PairingFailure`, or the
/// network is joined and then `kept`; or `left`: the camera goes back to the network before; or `abandoned`: the camera is
/// forgotten, and another one, which is not paired, starts.
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
            let ending = try await ending(of: line, supplicant)
            let taken = start.duration(to: .now)
            print("result\t\(line.test)\t\(ending)\t\(line.ending)\t\(taken)")
            if line.ending == "kept" {
                let isListed = heard.contains { $0.ssid == line.network.ssid }
                print("listed\t\(line.test)\t\(isListed)\t\(await supplicant.signalStrength() ?? 0) dBm")
            }
        }
    }

    private func ending(of line: Line, _ supplicant: WpaSupplicant) async throws -> String {
        let before = await supplicant.wanted?.ssid
        do throws(PairingFailure) {
            if line.ending == "abandoned" {
                try await opened().join(line.network)
            } else {
                try await supplicant.join(line.network)
            }
        } catch {
            return error.rawValue
        }
        switch line.ending {
        case "left": await supplicant.goBack()
        case "abandoned": try await opened().resume(nil)
        default:
            await supplicant.keep()
            return try await supplicant.isOn(line.network.ssid) ? "kept" : "lost"
        }
        try await within(.seconds(40), "the network before") { try await supplicant.arrival(on: before) }
        return line.ending
    }

    private func opened() async throws(PairingFailure) -> WpaSupplicant {
        do throws(WiFiError) {
            return try await WpaSupplicant.open("wlan0")
        } catch {
            throw error.pairingFailure
        }
    }
}

extension WpaSupplicant {
    fileprivate func isOn(_ ssid: Data) async throws -> Bool { try await supplicant().currentSSID() == ssid }

    fileprivate func arrival(on ssid: Data?) async throws {
        let supplicant = try await supplicant()
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        let subscriptions = supplicant.observe { _ in change.yield() }
        change.yield()
        for await _ in changes {
            if try await supplicant.currentSSID() == ssid { break }
        }
        withExtendedLifetime(subscriptions) {}
    }
}
