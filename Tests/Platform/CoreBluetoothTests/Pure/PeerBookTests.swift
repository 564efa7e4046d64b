import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Identifiers of peripherals")
final class PeerBookTests {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("book-\(UUID())")
    var file: URL { directory.appendingPathComponent("bluetooth-peers") }

    var lines: [Substring] {
        get throws { try String(contentsOf: file, encoding: .utf8).split(separator: "\n") }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    @Test("an address keeps its identifier and its last name, in later books too")
    func stable() throws {
        let first = PeerBook(directory: directory)
        let address = RadioAddress(number: 1)
        #expect(first.peer(identifier: UUID()) == nil)
        let peer = first.peer(at: address, name: "Küche 1\n")
        #expect(first.peer(at: address) == peer)
        #expect(first.peer(at: RadioAddress(number: 2)).identifier != peer.identifier)
        #expect(first.peer(at: address, name: "new").name == "new")
        first.use(address)
        let second = PeerBook(directory: directory)
        #expect(second.peer(identifier: peer.identifier)?.name == "new")
        #expect(second.peer(at: address).identifier == peer.identifier)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test("books that are open at the same time agree")
    func together() async {
        let books = (0..<8).map { _ in PeerBook(directory: directory) }
        let identifiers = await withTaskGroup(of: [UUID].self) { group in
            for book in books {
                group.addTask { (1...50).map { book.peer(at: RadioAddress(number: $0)).identifier } }
            }
            return await group.reduce(into: Set<[UUID]>()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
        #expect(Set(identifiers.first ?? []).count == 50)
    }

    @Test("lines that are damaged are passed over")
    func damaged() throws {
        let peer = PeerBook(directory: directory).peer(at: RadioAddress(number: 1), name: "one")
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0xFF, 0x00, 0x0A]) + Data("C0 x y z\n\nC0:00:00:00:00:09 no-uuid\n".utf8))
        try handle.close()
        let book = PeerBook(directory: directory)
        #expect(book.peer(identifier: peer.identifier) == peer)
        #expect(book.peer(at: RadioAddress(number: 9)).address == RadioAddress(number: 9))
    }

    @Test("the file does not grow without bound, and what was used stays when the rest is forgotten")
    func bounded() throws {
        let book = PeerBook(directory: directory)
        let paired = book.peer(at: RadioAddress(number: 0), name: "Porch")
        book.use(paired.address)
        let count = UInt64(PeerBook.limit) * 2 + 10
        let last = (1...count).map { book.peer(at: RadioAddress(number: $0)) }.last
        #expect(try lines.count <= PeerBook.limit)
        for book in [book, PeerBook(directory: directory)] {
            #expect(book.peer(identifier: try #require(last).identifier) == last)
            #expect(book.peer(identifier: paired.identifier)?.name == "Porch")
            #expect(book.peer(at: paired.address).identifier == paired.identifier)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test("a device that changes its name for ever does not fill the file; the name at its use is kept")
    func renamed() throws {
        let book = PeerBook(directory: directory)
        let address = RadioAddress(number: 1)
        for number in 0..<1000 { #expect(book.peer(at: address, name: "n\(number)").name == "n\(number)") }
        #expect(try lines.count == 2)
        book.use(address)
        book.use(address)
        #expect(try lines.count == 3)
        #expect(PeerBook(directory: directory).peer(at: address).name == "n999")
    }

    @Test("a book that another one has shortened under it goes on with the same identifiers")
    func replaced() throws {
        let book = PeerBook(directory: directory)
        let other = PeerBook(directory: directory)
        let paired = book.peer(at: RadioAddress(number: 0))
        book.use(paired.address)
        for number in 1...UInt64(PeerBook.limit) * 2 { _ = other.peer(at: RadioAddress(number: number)) }
        let new = other.peer(at: RadioAddress(number: 1 << 40))
        #expect(book.peer(at: new.address) == new)
        #expect(book.peer(at: paired.address).identifier == paired.identifier)
        #expect(other.peer(identifier: paired.identifier)?.isUsed == true)
    }

    @Test("a line that was not finished takes no other along")
    func torn() throws {
        let first = PeerBook(directory: directory).peer(at: RadioAddress(number: 1))
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("C0:00:00:00:00".utf8))
        try handle.close()
        let second = PeerBook(directory: directory).peer(at: RadioAddress(number: 2))
        let book = PeerBook(directory: directory)
        #expect(book.peer(identifier: first.identifier) == first)
        #expect(book.peer(identifier: second.identifier) == second)
    }

    @Test("without a usable directory identifiers last as long as the book")
    func unusable() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let obstacle = directory.appendingPathComponent("file")
        try Data().write(to: obstacle)
        let book = PeerBook(directory: obstacle.appendingPathComponent("below"))
        let peer = book.peer(at: RadioAddress(number: 1))
        #expect(book.peer(at: RadioAddress(number: 1)) == peer)
        #expect(book.peer(identifier: peer.identifier) == peer)
    }

    @Test("the environment says where the file is")
    func place() {
        func path(_ environment: [String: String]) -> String { PeerBook.directory(environment: environment).path }
        #expect(path(["PORCHLIGHT_STATE": "/a", "XDG_STATE_HOME": "/b", "HOME": "/c"]) == "/a")
        #expect(path(["XDG_STATE_HOME": "/b", "HOME": "/c"]) == "/b/porchlight")
        #expect(path(["HOME": "/c"]) == "/c/.local/state/porchlight")
    }
}
