public import Foundation
import Wire

/// A camera that waits to be paired. Source: seed 000, 'Types'.
public struct BLECamera: Sendable, Equatable, Hashable {
    /// How well the camera is heard, in four steps.
    ///
    /// The thresholds, in dBm of smoothed strength: excellent from −55, good from −67, weak from −80, poor below.
    public enum Signal: Int, Sendable, Comparable, CaseIterable {
        /// Below −80 dBm, or not known.
        case poor = 0
        /// From −80 dBm.
        case weak
        /// From −67 dBm.
        case good
        /// From −55 dBm: the same room.
        case excellent

        /// Orders by strength.
        public static func < (left: Signal, right: Signal) -> Bool { left.rawValue < right.rawValue }

        /// The lowest strength that counts as this step, in dBm.
        var threshold: Int {
            switch self {
            case .poor: Int(Int8.min)
            case .weak: -80
            case .good: -67
            case .excellent: -55
            }
        }

        /// The step for a strength in dBm; 127 means that the radio could not tell, and gives `poor`.
        public init(rssi: Int) {
            let heard = rssi == 127 ? Int(Int8.min) : rssi
            self = Signal.allCases.last { heard >= $0.threshold } ?? .poor
        }
    }

    /// Ready to show: `Camera A1B2`.
    public var name: String
    /// Stable while the program runs; the list's id.
    public var identifier: UUID
    /// Smoothed strength at this machine in dBm; 127 when the radio does not tell.
    public var rssi: Int
    /// The device id, once it has been read.
    public var cameraDid: String?
    /// Derived from ``rssi``; the list is sorted by it.
    public var signal: Signal
    /// What the camera speaks. Beyond the seed.
    public var `protocol`: PairingProtocol
    /// What the camera announces to offer; empty for one that is not ours.
    var layouts: PairingInfo.Layouts = []
    /// The camera announces the protected layout, which a setup code makes safe against everybody in between. Whether it
    /// has a code, and asks for it, is known once it is connected. Beyond the seed.
    public var offersProtectedPairing: Bool { layouts.contains(.protected) }

    /// Describes a camera; the signal follows from the strength.
    public init(
        name: String, identifier: UUID, rssi: Int, cameraDid: String? = nil, protocol: PairingProtocol = .porchlight
    ) {
        self.name = name
        self.identifier = identifier
        self.rssi = rssi
        self.cameraDid = cameraDid
        signal = Signal(rssi: rssi)
        self.protocol = `protocol`
    }

    /// `Camera` and the last four letters or digits of what the camera advertises. An Improv device advertises the name
    /// that its owner or maker gave it, which is shown as it is.
    static func displayName(advertised: String?, identifier: UUID, protocol: PairingProtocol) -> String {
        if `protocol` == .improv, let name = advertised.map(shown), !name.isEmpty { return name }
        let source = advertised.flatMap { $0.isEmpty ? nil : $0 } ?? identifier.uuidString
        return "Camera " + source.filter { $0.isLetter || $0.isNumber }.suffix(4).uppercased()
    }
    /// A name from outside as it may stand in a list or a terminal: one line, without control characters, and short.
    static func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
            default: true
            }
        }
        return String(String(String.UnicodeScalarView(scalars)).prefix(40)).trimmingCharacters(in: .whitespaces)
    }
}
