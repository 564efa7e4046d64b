import Foundation
import Porchlight

/// Which of the cameras that are heard.
struct CameraQuestion: Question {
    let prompt = "Number, or Enter for the nearest: "
    private var cameras: [BLECamera] = []
    private var numbers = Numbering<UUID>()
    private var told: Set<UUID> = []

    /// The nearest first, as the SDK lists them.
    mutating func update(_ items: [BLECamera]) {
        cameras = items
        numbers.add(items.map(\.identifier))
    }

    func lines(columns: Int, rows: Int) -> [String] {
        [Self.title(columns)] + ListRow.lines(self.rows(cameras), columns: columns, limit: rows - 1)
    }

    mutating func news(columns: Int) -> [String] {
        let new = cameras.filter { !told.contains($0.identifier) }
        defer { told.formUnion(new.map(\.identifier)) }
        return (told.isEmpty ? [Self.title(columns)] : []) + ListRow.lines(rows(new), columns: columns)
    }

    func reading(of text: String) -> Reading<BLECamera> {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text.isEmpty {
            return cameras.first.map { .taken($0) } ?? .notYet("No camera is heard now.")
        }
        if let number = Numbering<UUID>.number(in: text) {
            let camera = cameras.first { numbers[$0.identifier] == number }
            return camera.map { .taken($0) } ?? .notYet("There is no \(number).")
        }
        guard let choice = try? CameraChoice(text) else { return .refused("Type a number, or a name such as A1B2.") }
        let camera = cameras.first(where: choice.matches)
        return camera.map { .taken($0) } ?? .notYet("'Camera \(choice.ending)' is not heard.")
    }

    var answerAtEnd: BLECamera? { cameras.first }

    private static func title(_ columns: Int) -> String { TextColumns.cut("Which camera?", columns - 1) }

    private func rows(_ some: [BLECamera]) -> [ListRow] {
        some.map { camera in
            ListRow(
                number: numbers[camera.identifier], name: camera.name, rssi: camera.rssi == 127 ? nil : camera.rssi,
                note: camera.note, isDefault: camera == cameras.first)
        }
    }
}

extension BLECamera {
    /// A word for the list.
    fileprivate var note: String {
        switch `protocol` {
        case .improv: "Improv"
        case .porchlight: offersProtectedPairing ? "protected" : ""
        }
    }
}
