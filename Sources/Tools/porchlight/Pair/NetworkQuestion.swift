import Foundation
import Porchlight
import Wire

/// Which of the networks that the camera hears, or one that it cannot list.
struct NetworkQuestion: Question {
    /// A network to be joined.
    struct Choice: Sendable, Equatable {
        var ssid: String
        /// It was in no list, so it hides its name.
        var isHidden: Bool
        /// The camera has told that it needs none.
        var isOpen: Bool
    }

    let prompt: String
    /// Whether the device lists what it hears.
    private let canList: Bool
    private var networks: [WifiNetwork] = []
    private var numbers = Numbering<String>()
    private var told: Set<String> = []
    /// A name that nobody hears, typed once.
    private var doubtful: String?

    /// - Parameter canList: False for a device that cannot say what it hears.
    init(canList: Bool = true) {
        self.canList = canList
        prompt = canList ? "Number, or the name of one that hides it: " : "Name of the network that it is to join: "
    }

    /// In any order.
    mutating func update(_ items: [WifiNetwork]) {
        networks = items.sorted { ($1.rssi, $0.ssid) < ($0.rssi, $1.ssid) }
        numbers.add(networks.map(\.ssid))
    }

    func lines(columns: Int, rows: Int) -> [String] {
        title(columns) + ListRow.lines(self.rows(networks), columns: columns, limit: rows - 1)
    }

    mutating func news(columns: Int) -> [String] {
        let new = networks.filter { !told.contains($0.ssid) }
        defer { told.formUnion(new.map(\.ssid)) }
        return (told.isEmpty && !new.isEmpty ? title(columns) : []) + ListRow.lines(rows(new), columns: columns)
    }

    mutating func reading(of text: String) -> Reading<Choice> {
        guard !text.isEmpty else { return .refused("Type a number, or a name.") }
        if let number = Numbering<String>.number(in: text) {
            guard let network = networks.first(where: { numbers[$0.ssid] == number }) else {
                return .notYet("There is no \(number); a name of digits is typed after '='.")
            }
            return taken(network)
        }
        let name = text.hasPrefix("=") ? String(text.dropFirst()) : text
        if let network = networks.first(where: { $0.ssid == name }) { return taken(network) }
        guard (1...32).contains(name.utf8.count) else { return .refused("A network's name has 1 to 32 bytes.") }
        // A slip of the finger is no hidden network.
        guard doubtful == name || !canList else {
            doubtful = name
            return .notYet("The camera does not hear '\(name)'. Type it again if it hides its name.")
        }
        return .taken(Choice(ssid: name, isHidden: true, isOpen: false))
    }

    private func taken(_ network: WifiNetwork) -> Reading<Choice> {
        guard let reason = network.obstacle else {
            return .taken(Choice(ssid: network.ssid, isHidden: false, isOpen: network.isOpen))
        }
        return .refused(reason)
    }

    private func title(_ columns: Int) -> [String] {
        canList ? [TextColumns.cut("Which network is the camera to join?", columns - 1)] : []
    }

    private func rows(_ some: [WifiNetwork]) -> [ListRow] {
        some.map { ListRow(number: numbers[$0.ssid], name: $0.ssid, rssi: $0.rssi, note: $0.note) }
    }
}

extension WifiNetwork {
    private var security: WiFiSecurity? { UInt8(exactly: securityProtocol).flatMap(WiFiSecurity.init) }

    /// A word for the list.
    fileprivate var note: String {
        switch security {
        case .open: "open"
        case .wep: "WEP, cannot be joined"
        case .wpa: "locked, WPA"
        case .wpa2: "locked, WPA2"
        case .wpa3: "locked, WPA3"
        case .enterprise: "802.1X, cannot be joined"
        case nil: "locked"
        }
    }

    /// Why no camera joins it; nil where one does.
    fileprivate var obstacle: String? {
        switch security {
        case .wep: "Cameras do not join WEP networks, which anybody can read. Choose another."
        case .enterprise: "Cameras do not join networks with an account for each user (802.1X). Choose another."
        default: nil
        }
    }
}
