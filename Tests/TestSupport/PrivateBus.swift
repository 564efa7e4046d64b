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
        /// While its writing end is open, the daemon runs.
        private let leash: Locked<Pipe?>

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
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", Self.script, "sh", file]
            let leash = Pipe()
            let output = Pipe()
            process.standardInput = leash
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            // The daemon writes two lines when it is ready, and its end of the pipe closes if it dies before.
            var text = ""
            while text.count(where: \.isNewline) < 2 {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw CannotStart() }
                text += String(decoding: data, as: UTF8.self)
            }
            let lines = text.split(separator: "\n")
            guard lines[0].hasPrefix("unix:"), let identifier = Int32(lines[1]) else { throw CannotStart() }
            address = String(lines[0])
            processIdentifier = identifier
            self.leash = Locked(leash)
        }

        /// Runs the daemon until the standard input ends, which it does with this process at the latest: no daemon outlives
        /// a test run, however that ends.
        private static let script = """
            exec 3<&0
            dbus-daemon --config-file="$1" --nofork --nopidfile --nosyslog --print-address=1 --print-pid=1 </dev/null 3<&- &
            exec >&-
            read -r _ <&3
            kill -KILL $!
            """

        deinit { stop() }

        /// Ends the daemon at once, as a crash would. Connections break.
        public func stop() {
            let leash = leash.withLock { leash in
                defer { leash = nil }
                return leash
            }
            guard let leash else { return }
            kill(processIdentifier, SIGKILL)
            try? leash.fileHandleForWriting.close()
        }
    }
#endif
