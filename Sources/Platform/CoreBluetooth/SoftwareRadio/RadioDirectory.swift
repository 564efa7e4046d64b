import Basics
import Dispatch
import Foundation

/// Why a directory that was there before is not used: whoever can write to it could stand in for any camera.
enum RadioDirectoryRefusal: Error, Equatable, CustomStringConvertible {
    case belongsToAnother(path: String, user: UInt32)
    case othersMayWrite(path: String)

    var description: String {
        switch self {
        case .belongsToAnother(let path, let user): "\(path) belongs to another user (number \(user))"
        case .othersMayWrite(let path): "others may write to \(path)"
        }
    }
}

/// The directory in which software radios meet.
struct RadioDirectory: Sendable {
    var path: String

    private static let suffix = ".radio"

    /// The directory that the environment names: `PORCHLIGHT_RADIO_DIR`, else `$XDG_RUNTIME_DIR/porchlight-radio`, else
    /// `/tmp/porchlight-radio-<uid>`.
    init(environment: [String: String]) {
        if let path = environment["PORCHLIGHT_RADIO_DIR"], !path.isEmpty {
            self.path = path
        } else if let path = environment["XDG_RUNTIME_DIR"], !path.isEmpty {
            self.path = path + "/porchlight-radio"
        } else {
            path = "/tmp/porchlight-radio-\(RadioSocket.userNumber)"
        }
    }

    init(path: String) { self.path = path }

    /// Makes it, for this user alone.
    func prepare() throws { try RadioSocket.prepare(directory: path) }

    func path(of address: RadioAddress) -> String { "\(path)/\(address.compact)\(Self.suffix)" }

    /// The addresses of those who advertise, or died while they did.
    func addresses() -> Set<RadioAddress> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return Set(
            names.filter { $0.hasSuffix(Self.suffix) }.compactMap { RadioAddress($0.dropLast(Self.suffix.count)) })
    }

    /// What came of trying to reach an advertiser.
    enum Reach {
        case reached(RadioSocket)
        /// Nobody is there. What a dead process left has been removed.
        case absent
        /// It is there, but has no time now: try again soon.
        case busy
    }

    /// Opens a connection to an advertiser.
    func reach(_ address: RadioAddress) -> Reach {
        let path = path(of: address)
        let file = RadioSocket.fileNumber(of: path)
        do {
            return .reached(try RadioSocket.connect(to: path))
        } catch let error as SystemCallError where error.meansStale {
            // Only the file that was tried may go: its place could have been taken in the meantime.
            if let file, RadioSocket.fileNumber(of: path) == file { remove(address) }
            return .absent
        } catch let error as SystemCallError where error.meansBusy {
            return .busy
        } catch {
            return .absent
        }
    }

    func remove(_ address: RadioAddress) { try? FileManager.default.removeItem(atPath: path(of: address)) }
}

/// Tells when names in a radio directory appear or vanish. Confined to the air's queue.
final class RadioDirectoryWatch: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the queue only.
    private static let pollInterval = Duration.milliseconds(250)

    private let air: SoftwareAir
    private let onChange: @Sendable () -> Void
    private var source: (any DispatchSourceRead)?
    private var alarm: RadioClock.Alarm?

    /// Calls `onChange` on the air's queue after each change, until it is let go.
    init(_ air: SoftwareAir, _ onChange: @escaping @Sendable () -> Void) {
        self.air = air
        self.onChange = onChange
        do {
            let watcher = try RadioSocket.watch(directory: air.directory.path)
            let source = DispatchSource.makeReadSource(fileDescriptor: watcher.descriptor, queue: air.queue)
            source.setEventHandler {
                while let events = try? watcher.read(), !events.isEmpty {}
                onChange()
            }
            source.setCancelHandler { _ = watcher }
            source.activate()
            self.source = source
        } catch {
            Log("radio").warning("\(error): looking at the radio directory four times a second instead")
            poll()
        }
    }

    deinit {
        source?.cancel()
        alarm?.cancel()
    }

    private func poll() {
        alarm = air.clock.after(Self.pollInterval, on: air.queue) { [weak self] in
            guard let self else { return }
            onChange()
            poll()
        }
    }
}
