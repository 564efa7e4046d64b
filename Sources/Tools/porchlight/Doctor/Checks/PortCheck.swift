import Foundation
import Glibc
import Porchlight
import Wire

/// Whether a cloud could listen, or who does already.
struct PortCheck: Check {
    var host = "127.0.0.1"
    var port: Int

    let title = "The cloud's port"
    let area = "port"
    let roles: Set<Role> = [.cloud]

    func findings(for roles: Set<Role>) async -> [Finding] {
        let (host, port) = (host, port)
        let refusal = await Self.apart { Self.refusal(of: host, port) }
        let place = "port \(port) on \(host)"
        switch refusal {
        case nil: return [.ok("port.free", "\(place) is free")]
        case EADDRINUSE: return [await whoever(listensAt: place)]
        case EACCES, EPERM:
            return [
                .problem(
                    "port.permission", "this account may not listen on \(place)",
                    "Choose one from 1024 on with 'porchlight serve --port'.")
            ]
        case let code?:
            return [
                .problem("port.free", "\(place) cannot be used: \(String(cString: strerror(code)))", "Choose another.")
            ]
        }
    }

    private func whoever(listensAt place: String) async -> Finding {
        let free = "Choose another with 'porchlight serve --port', or end what listens there ('ss -ltnp' names it)."
        guard let url = URL(string: "http://\(host):\(port)") else { return .problem("port.free", place, free) }
        let account = CloudAccount(environment: .production, region: .us, cloud: url, token: Secret(""))
        do throws(CloudError) {
            try await CloudConnection(account, timeout: .seconds(1)).checkHealth()
            return .ok("port.free", "a Porchlight cloud runs on \(place)")
        } catch {
            return .problem("port.free", "another program listens on \(place)", free)
        }
    }

    /// Why the port cannot be bound: the system's number, or nil when it can.
    private static func refusal(of host: String, _ port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As the server does: a connection that is just over is no listener.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return EINVAL }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0 ? nil : errno
    }
}
