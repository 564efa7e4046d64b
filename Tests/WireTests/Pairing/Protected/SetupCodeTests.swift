import Testing
import Wire

@Suite struct SetupCodeTests {
    @Test(arguments: [
        "13572468", "1357-2468", "1357 2468", " 13 57 24 68\n", "1357\u{2013}2468", "1357\u{A0}2468", "1-3-5-7-2-4-6-8",
    ])
    func readsWhatPeopleType(text: String) throws {
        let code = try SetupCode(text)
        #expect(code.revealed == "13572468")
        #expect(code.printed == "1357-2468")
        #expect(code == (try SetupCode(Secret("13572468"))))
    }

    @Test(arguments: [
        "", "1357246", "135724680", "1357246a", "1357.2468", "-1357246", "１３５７２４６８", "١٣٥٧٢٤٦٨", "1357246½", "0x135724",
    ])
    func refusesAnythingElseWithoutRepeatingIt(text: String) {
        #expect {
            try SetupCode(text)
        } throws: { error in
            guard case .value("setup code", _)? = error as? WireError else { return false }
            return text.isEmpty || !"\(error)".contains(text)
        }
    }

    @Test func isNeverPrinted() throws {
        let code = try SetupCode("13572468")
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), dumped] {
            #expect(text.contains("<redacted>"))
            #expect(!text.contains("1357"))
        }
    }

    @Test(arguments: [
        "00000000", "11111111", "99999999", "12345678", "01234567", "87654321", "98765432", "13579135", "86420864",
        "89012345", "12341234", "12121212", "00110011",
    ])
    func aTrivialCodeIsTold(text: String) throws {
        #expect(try SetupCode(text).isTrivial)
    }

    @Test(arguments: ["13572468", "12345679", "00000001", "12344321", "20261130"])
    func anOrdinaryCodeIsTold(text: String) throws {
        #expect(try !SetupCode(text).isTrivial)
    }

    @Test func newCodesAreEightDigitsSpreadOverTheWholeRange() {
        var random = SeededGenerator(seed: 4)
        let codes = (0..<4000).map { _ in SetupCode.random(using: &random) }
        #expect(codes.allSatisfy { $0.revealed.utf8.count == 8 && !$0.isTrivial })
        #expect(Set(codes).count > 3990)
        for place in 0..<8 {
            let digits = Dictionary(grouping: codes) { Array($0.revealed)[place] }
            #expect(digits.count == 10)
            // 400 of each are expected; the standard deviation is 19.
            #expect(digits.values.allSatisfy { (280...520).contains($0.count) }, "place \(place)")
        }
        #expect(SetupCode.random() != SetupCode.random())
    }

    /// A generator that would give trivial codes is asked on.
    @Test func noTrivialCodeIsMade() {
        struct Words: RandomNumberGenerator {
            var words: [UInt64]
            mutating func next() -> UInt64 { words.removeFirst() }
        }
        // `random(in:)` takes the high half of a product: these words give 00000000, 11111111 and 13572468.
        var words = Words(words: [0, 11_111_111, 13_572_468].map { ($0 << 32) / 100_000_000 + 2 })
        #expect(SetupCode.random(using: &words).revealed == "13572468")
        #expect(words.words.isEmpty)
    }
}
