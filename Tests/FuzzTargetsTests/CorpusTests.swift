#if DEBUG
    import Foundation
    import FuzzTargets
    import Testing
    import WebRTC

    /// Every input that is kept for the fuzzers, the crashers they found among them, replayed in an ordinary run.
    @Suite struct CorpusTests {
        /// One file of a corpus.
        struct Input: Sendable, CustomTestStringConvertible {
            var target: FuzzTarget
            var file: URL
            var testDescription: String { "\(target.rawValue)/\(file.lastPathComponent)" }
        }

        private static let corpora = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus")

        private static let inputs: [Input] = FuzzTarget.allCases.flatMap { target in
            let folder = corpora.appending(path: target.rawValue)
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (files ?? []).sorted { $0.path < $1.path }.map { Input(target: target, file: $0) }
        }

        @Test(arguments: inputs)
        func theInputDoesNoHarm(input: Input) throws {
            input.target.run(try Data(contentsOf: input.file))
        }

        @Test(arguments: FuzzTarget.allCases)
        func everyTargetHasSeeds(target: FuzzTarget) {
            #expect(Self.inputs.filter { $0.target == target }.count >= 3)
        }

        @Test(arguments: FuzzTarget.allCases)
        func emptyInputDoesNoHarm(target: FuzzTarget) {
            target.run(Data())
        }

        /// Seeds that are refused at the door would teach the fuzzer nothing of what lies behind it.
        @Test(arguments: [("offer", RTCSdpType.offer), ("audio", .offer), ("answer", .answer)])
        func theSeedDescriptionsAreAccepted(name: String, type: RTCSdpType) throws {
            let file = Self.corpora.appending(path: "descriptions/\(name)")
            try RTCSessionDescription(type: type, sdp: String(contentsOf: file, encoding: .utf8)).validate()
        }
    }
#endif
