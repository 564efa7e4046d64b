import Foundation
import Porchlight
import Wire

/// A cloud that is named: whether it answers, and takes the token.
struct CloudCheck: Check {
    var cloud: URL
    var token: Secret?
    var space: String?

    let title = "Cloud"
    let area = "cloud"
    let roles = Set(Role.allCases)
    let limit = Duration.seconds(10)
    var remedyWhenLate: String { "Check that the cloud's machine is up, and the network between." }

    func findings(for roles: Set<Role>) async -> [Finding] {
        let account = CloudAccount(environment: .production, region: .us, cloud: cloud, token: token ?? Secret(""))
        let connection = CloudConnection(account, timeout: .seconds(4))
        do throws(CloudError) {
            try await connection.checkHealth()
        } catch {
            return [
                .problem(
                    "cloud.answer", "\(error)",
                    Remedy(for: error)?.advice
                        ?? "Check the address: 'porchlight serve' prints it, and --host lets others than its machine in."
                )
            ]
        }
        var findings = [Finding.ok("cloud.answer", "\(cloud.withoutSecrets.string ?? "the cloud") answers")]
        guard token != nil else { return findings }
        do throws(CloudError) {
            let devices = try await connection.deviceService.devices(spaceId: space ?? "doctor").count
            findings.append(.ok("cloud.token", "the token is right; cameras in the space: \(devices)"))
        } catch .unauthorized {
            findings.append(
                .problem(
                    "cloud.token", "the cloud does not accept the token",
                    "Name the file of one of this cloud's with --token-file; 'porchlight serve' prints it."))
        } catch .api(_, let status, _) where status == 403 || status == 404 {
            findings.append(
                space == nil
                    ? .ok("cloud.token", "the token is right")
                    : .problem(
                        "cloud.space", "the token is right, and not for that space",
                        "Give a space of this cloud with --space; 'porchlight serve' prints one."))
        } catch {
            findings.append(.problem("cloud.token", "\(error)", "Try again."))
        }
        return findings
    }
}
