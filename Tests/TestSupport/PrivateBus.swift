#if os(Linux)
    import Basics
    import Foundation
    import Glibc

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
            let (leash, output) = try Self.start(["/bin/sh", "-c", Self.script, "sh", file])
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

        private static let spawning = Locked(())

        /// Starts the script with a pipe at its input and one at its output. Without Foundation's `Process`, which has
        /// crashed (in `run`, in a set of descriptors) when several were started at once.
        private static func start(_ arguments: [String]) throws -> (input: Pipe, output: Pipe) {
            // One at a time: until it is marked, a pipe's end would be inherited by a child that another thread starts, and
            // held open by it.
            let (input, output, identifier) = try spawning.withLock { _ in
                let (input, output) = (Pipe(), Pipe())
                for pipe in [input, output] {
                    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
                    }
                }
                var actions = posix_spawn_file_actions_t()
                posix_spawn_file_actions_init(&actions)
                defer { posix_spawn_file_actions_destroy(&actions) }
                posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, 0)
                posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)
                posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
                var pointers = arguments.map { strdup($0) } + [nil]
                defer { for pointer in pointers { free(pointer) } }
                var identifier = pid_t()
                let status = posix_spawn(&identifier, arguments[0], &actions, nil, &pointers, environ)
                guard status == 0 else { throw CannotStart() }
                return (input, output, identifier)
            }
            try input.fileHandleForReading.close()
            try output.fileHandleForWriting.close()
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            }
            return (input, output)
        }

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
