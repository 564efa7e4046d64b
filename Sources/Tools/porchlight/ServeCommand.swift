import CloudServer
import Foundation
import Wire

/// Runs a cloud until it is interrupted.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "Runs a cloud on this machine."
    static let options: [Arguments.Option] = [
        .value("data"), .value("host"), .value("port"), .value("region"), .value("console"), .flag("json"),
    ]
    static let help = """
        porchlight serve --data DIR [OPTIONS]

        Runs a cloud that keeps everything in one directory. On the first start it makes a space and writes the owner's
        token to DIR/owner-token, which only its owner can read. SIGINT and SIGTERM end it.

          --data DIR      Where the database lives; made if it is not there.
          --host ADDRESS  The address to listen on (default: 127.0.0.1). Beyond this machine, put a TLS proxy in front.
          --port N        The port (default: 8080; 0 takes any free one).
          --region NAME   us or apac (default: us).
          --console DIR   The web console's files (default: those that came with the program).
          --json          Print one JSON object when it is ready.
        """

    private struct Ready: Encodable {
        var url: String
        var spaceId: String
        var tokenFile: String
    }

    static func run(_ arguments: Arguments) async throws {
        let data = URL(filePath: try arguments.required("data"), directoryHint: .isDirectory)
        var configuration = CloudConfiguration(dataDirectory: data)
        configuration.host = arguments["host"] ?? configuration.host
        configuration.port = try arguments.integer("port", in: 0...65_535) ?? 8080
        if let name = arguments["region"] {
            guard let region = ServerRegion(nameOrCode: name) else {
                throw CommandError.usage("'--region' is us or apac, not '\(name)'.")
            }
            configuration.region = region
        }
        configuration.consoleDirectory = try ConsoleLocation.find(named: arguments.directory("console"))

        let interruption = await Interruption()
        let cloud = try await CloudServer.start(configuration)
        do {
            let owner = try await OwnerAccess.establish(in: data, of: cloud)
            let url = "\(cloud.address)"
            if arguments.has("json") {
                try Terminal.say(json: Ready(url: url, spaceId: owner.spaceId, tokenFile: owner.file.path))
            } else {
                Terminal.say("The cloud is up: \(url)")
                Terminal.say("Space \(owner.spaceId); the token is in \(owner.file.path)")
            }
        } catch {
            await cloud.stop()
            throw error
        }
        await interruption.wait()
        await cloud.stop()
    }
}
