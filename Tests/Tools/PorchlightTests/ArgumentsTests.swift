import Foundation
import Testing

@testable import porchlight

@Suite("The words after a command")
struct ArgumentsTests {
    private let options: [Arguments.Option] = [.value("port"), .value("data"), .flag("json")]

    @Test("Values come after a space or an equals sign; flags stand alone")
    func reading() throws {
        let arguments = try Arguments(["--port", "80", "--data=/tmp/a=b", "--json"], options: options)
        #expect(try arguments.integer("port", in: 0...65_535) == 80)
        #expect(arguments["data"] == "/tmp/a=b")
        #expect(arguments.has("json"))
        #expect(try Arguments(["--data=--json"], options: options)["data"] == "--json")
        #expect(arguments.directory("data")?.path == "/tmp/a=b")
    }

    @Test("What is absent is nil, unless it is needed")
    func absent() throws {
        let arguments = try Arguments([], options: options)
        #expect(try arguments.integer("port", in: 0...65_535) == nil)
        #expect(!arguments.has("json"))
        #expect(throws: CommandError.self) { try arguments.required("data") }
    }

    @Test(
        "Wrong words are refused with the word in the text and exit code 64",
        arguments: [
            (["port"], "'port'"), (["--nonsense"], "--nonsense"), (["--port"], "needs a value"),
            (["--port", "--json"], "'--port' needs a value"),
            (["--json=1"], "takes no value"), (["--json", "--json"], "twice"), (["--port", "1", "--port=2"], "twice"),
        ])
    func refused(words: [String], text: String) {
        let error = #expect(throws: CommandError.self) { try Arguments(words, options: options) }
        #expect(error?.description.contains(text) == true)
        #expect(error?.exitCode == 64)
    }

    @Test("Numbers outside their range are refused", arguments: ["-1", "65536", "x", "", "99999999999999999999"])
    func numbers(text: String) throws {
        let arguments = try Arguments(["--port=\(text)"], options: options)
        #expect(throws: CommandError.self) { try arguments.integer("port", in: 0...65_535) }
    }
}
