#if DEBUG
    import Foundation
    @testable import WebRTC

    extension FuzzTarget {
        static func readDescription(_ input: Data) {
            let text = String(decoding: input, as: UTF8.self)
            _ = IceCandidateLine.read(text)
            guard let description = try? SessionDescription(parsing: text) else { return }
            try? description.checkAnswer()
            try? description.checkAnswers(description)
            guard (try? description.checkOffer()) != nil else { return }

            // What is handed to the media engine must itself pass the checks that guard the engine.
            let chosen = description.sections.enumerated().compactMap { index, section in
                section.videoCodec.map { (index, $0) }
            }
            let canonical = description.canonicalText(keeping: Dictionary(uniqueKeysWithValues: chosen))
            do {
                try SessionDescription(parsing: canonical).checkOffer()
            } catch {
                preconditionFailure("what was accepted is refused in its canonical form: \(error)")
            }
        }
    }
#endif
