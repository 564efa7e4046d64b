import Foundation
import Testing

/// The README's walkthrough is code that compiles: `ReadmeWalkthrough.swift` is that code, and nothing else.
@Suite struct ReadmeTests {
    @Test func theWalkthroughIsTheFileThatIsCompiledHere() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let code = try String(contentsOf: here.appending(path: "ReadmeWalkthrough.swift"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(code)```\n"))
    }
}
