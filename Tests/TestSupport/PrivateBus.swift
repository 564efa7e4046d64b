#if os(Linux)
    import Basics
    import Foundation

    /// A message bus of a test's own: a real `dbus-daemon` with its own configuration, socket and policy in a temporary
    /// directory. It ends with ``stop()`` or with the last reference. Tests hand ``address`` over explicitly; nothing is
    /// set in the environment. Safe from any thread.
    public final class PrivateBus: Sendable {
        /// Where it listens, in D-Bus's notation.
        public let address: String
        /// The daemon's process.
        public let processIdentifier: Int32
        private let directory: TemporaryDirectory
        private let process: Locked<Process?>

        /// The daemon did not start; the Debian package `dbus` has it.
        public struct CannotStart: Error, CustomStringConvertible {
            /// Says what to do.
            public var description: String { "dbus-daemon gave no address: apt-get install dbus" }
        }

        /// Starts the daemon and returns when it listens.
        /// - Parameter policy: Configuration elements that come after one that allows everything, such as
        ///   `<policy context="default"><deny send_interface="org.bluez.Adapter1"/></policy>`.
        public init(policy: String = "") throws {
            directory = try TemporaryDirectory()
            let configuration = """
                <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
                <busconfig>
                  <type>system</type>
                  <listen>unix:path=\(directory.path("bus"))</listen>
                  <auth>EXTERNAL</auth>
                  <policy context="default">
                    <allow user="*"/>
                    <allow own="*"/>
                    <allow send_destination="*" eavesdrop="true"/>
                    <allow receive_sender="*" eavesdrop="true"/>
                  </policy>
                  \(policy)
                </busconfig>
                """
            let file = directory.path("bus.conf")
            try configuration.write(toFile: file, atomically: false, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
            process.arguments = ["--config-file=\(file)", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1"]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            // The daemon writes one line when it is ready, and its end of the pipe closes if it dies before.
            let line = output.fileHandleForReading.availableData
            guard let text = String(data: line, encoding: .utf8), text.hasPrefix("unix:") else {
                process.terminate()
                throw CannotStart()
            }
            address = text.trimmingCharacters(in: .whitespacesAndNewlines)
            processIdentifier = process.processIdentifier
            self.process = Locked(process)
        }

        deinit { stop() }

        /// Ends the daemon at once, as a crash would. Connections break.
        public func stop() {
            let process = process.withLock { process in
                defer { process = nil }
                return process
            }
            guard let process, process.isRunning else { return }
            kill(process.processIdentifier, SIGKILL)
        }
    }
#endif
