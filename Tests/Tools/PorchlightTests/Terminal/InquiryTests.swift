import Porchlight
import Testing

@testable import porchlight

@Suite("A question while it stands")
struct InquiryTests {
    /// Wants one of the words that there are.
    private struct Words: Question {
        var prompt = "Which? "
        var echo = Echo.shown
        var answerAtEnd: String?
        private var words: [String] = []
        private var told = 0

        init(echo: Echo = .shown, answerAtEnd: String? = nil) {
            self.echo = echo
            self.answerAtEnd = answerAtEnd
        }

        mutating func update(_ items: [String]) { words = items }
        func lines(columns: Int, rows: Int) -> [String] { Array(words.prefix(rows)) }
        mutating func news(columns: Int) -> [String] {
            defer { told = words.count }
            return Array(words[told...])
        }
        func reading(of text: String) -> Reading<String> {
            if text.isEmpty { return .refused("nothing") }
            return words.contains(text) ? .taken(text) : .notYet("no \(text)")
        }
    }

    private typealias Turn = Inquiry<Words>.Turn

    private func inquiry(_ manner: Inquiry<Words>.Manner, _ words: Words = Words()) -> Inquiry<Words> {
        Inquiry(words, manner: manner)
    }

    private func bytes(_ text: String) -> Turn { .bytes(Array(text.utf8)) }

    @Test("Live: the list and the prompt are drawn again in place, and go with the answer")
    func live() {
        var inquiry = inquiry(.live)
        #expect(inquiry.take(.items(["a"]), columns: 40, rows: 24).output == "\ra\u{1B}[K\nWhich? \u{1B}[J")
        let second = inquiry.take(.items(["b", "a"]), columns: 40, rows: 24)
        #expect(second.output == "\r\u{1B}[1Ab\u{1B}[K\na\u{1B}[K\nWhich? \u{1B}[J")
        #expect(inquiry.take(.items(["b", "a"]), columns: 40, rows: 24).output == "")
        #expect(inquiry.take(bytes("b"), columns: 40, rows: 24).output.contains("Which? b\u{1B}[J"))
        let answered = inquiry.take(bytes("\n"), columns: 40, rows: 24)
        #expect(answered.answer == "b")
        #expect(answered.output == "\r\u{1B}[2A\u{1B}[J")
    }

    @Test("Live: what was wrong stands above the prompt until the next answer")
    func refused() {
        var inquiry = inquiry(.live)
        _ = inquiry.take(.items(["a"]), columns: 40, rows: 24)
        let refused = inquiry.take(bytes("z\u{1B}[2J\n"), columns: 40, rows: 24)
        #expect(refused.answer == nil)
        #expect(refused.output.contains("no z\u{1B}[K\nWhich? \u{1B}[J"))
        #expect(inquiry.take(bytes("a\nrest"), columns: 40, rows: 24).rest == Array("rest".utf8))
    }

    @Test("Live: no line is wider than the screen, whatever is typed, nor are there more lines than rows")
    func narrow() {
        var inquiry = inquiry(.live)
        let words = (1...50).map { "\($0)" }
        for turn in [.items(words), bytes(String(repeating: "日本語", count: 30)), bytes("\n")] {
            let output = inquiry.take(turn, columns: 20, rows: 10).output
            let lines = output.split(separator: "\n").map {
                $0.replacing(#/\u{1B}\[[0-9]*[A-Z]|\r/#, with: "")
            }
            #expect(lines.count <= 10)
            for line in lines { #expect(TextColumns.count(String(line)) < 20) }
        }
    }

    @Test("Live: a prompt that leaves no room for an answer stands above it")
    func noRoom() {
        var inquiry = Inquiry(SetupCodeQuestion(), manner: .live)
        let output = inquiry.take(.items([]), columns: 30, rows: 24).output
        #expect(
            output == "\rSetup code on the camera\u{1B}[K\n(Enter if you have none):\u{1B}[K\n> \u{1B}[J")
    }

    @Test("Live: after Ctrl-Z it is drawn anew from where the cursor is")
    func resumed() {
        var inquiry = inquiry(.live)
        _ = inquiry.take(.items(["a", "b"]), columns: 40, rows: 24)
        #expect(inquiry.take(.resumed, columns: 40, rows: 24).output == "\ra\u{1B}[K\nb\u{1B}[K\nWhich? \u{1B}[J")
    }

    @Test("A secret is shown as dots, or not at all")
    func secret() {
        for (echo, shown) in [(Echo.dots, "Which? ••"), (.hidden, "Which? ")] {
            var inquiry = inquiry(.live, Words(echo: echo))
            _ = inquiry.take(.items([]), columns: 40, rows: 24)
            let output = inquiry.take(bytes("ab"), columns: 40, rows: 24).output
            #expect(!output.contains("ab"))
            #expect(output.isEmpty == (echo == .hidden))
            if echo == .dots { #expect(output.contains(shown)) }
        }
    }

    @Test("Plain: what is new is a line, and the prompt comes again behind it; no control is written")
    func plain() {
        var inquiry = inquiry(.plain)
        #expect(inquiry.take(.items(["a"]), columns: 40, rows: 24).output == "a\nWhich? ")
        #expect(inquiry.take(.items(["a", "b"]), columns: 40, rows: 24).output == "\nb\nWhich? ")
        #expect(inquiry.take(bytes("z\n"), columns: 40, rows: 24).output == "\nno z\nWhich? ")
        let answered = inquiry.take(bytes("b\n"), columns: 40, rows: 24)
        #expect(answered.answer == "b")
        #expect(answered.output == "")
    }

    @Test("Piped: a line waits for what it names, and is refused when that does not come")
    func piped() {
        var inquiry = inquiry(.piped)
        #expect(inquiry.take(.items(["a"]), columns: 40, rows: 24).output == "a\nWhich? \n")
        let early = inquiry.take(bytes("b\na\n"), columns: 40, rows: 24)
        #expect(early.isWaiting)
        #expect(early.rest == Array("a\n".utf8))
        var late = inquiry
        let found = inquiry.take(.items(["a", "b"]), columns: 40, rows: 24)
        #expect(found.answer == "b")
        #expect(!found.isWaiting)
        let refused = late.take(.waited, columns: 40, rows: 24)
        #expect(refused.output == "no b\nWhich? \n")
        #expect(late.take(bytes("a\n"), columns: 40, rows: 24).answer == "a")
    }

    @Test("Piped: a name that waits is not typed twice by what comes meanwhile, but by a second line")
    func doubtful() {
        let home = WifiNetwork(ssid: "Home", securityProtocol: 0, rssi: -50)
        let guest = WifiNetwork(ssid: "Guest", securityProtocol: 0, rssi: -60)
        var inquiry = Inquiry(NetworkQuestion(), manner: .piped)
        _ = inquiry.take(.items([home]), columns: 80, rows: 24)
        let first = inquiry.take(.bytes(Array("Hoem\nHoem\n".utf8)), columns: 80, rows: 24)
        #expect(first.isWaiting)
        for items in [[home, guest], [guest, home]] {
            let step = inquiry.take(.items(items), columns: 80, rows: 24)
            #expect(step.answer == nil && step.isWaiting)
        }
        #expect(inquiry.take(.waited, columns: 80, rows: 24).output.contains("Type it again"))
        #expect(inquiry.take(.bytes(first.rest), columns: 80, rows: 24).answer?.isHidden == true)
    }

    @Test("The end of the input takes what is usual, but not from somebody who wanted something else")
    func end() {
        var silent = inquiry(.piped, Words(answerAtEnd: "usual"))
        #expect(silent.take(.ended, columns: 40, rows: 24).answer == "usual")
        var nobody = inquiry(.piped)
        #expect(nobody.take(.ended, columns: 40, rows: 24).isUnanswered)
        var other = inquiry(.piped, Words(answerAtEnd: "usual"))
        _ = other.take(bytes("\n"), columns: 40, rows: 24)
        let step = other.take(.ended, columns: 40, rows: 24)
        #expect(step.isUnanswered)
        #expect(step.complaint == "nothing")
        var unfinished = inquiry(.piped)
        _ = unfinished.take(.items(["a"]), columns: 40, rows: 24)
        _ = unfinished.take(bytes("a"), columns: 40, rows: 24)
        #expect(unfinished.take(.ended, columns: 40, rows: 24).answer == "a")
    }

    @Test("Taken away without an answer it leaves nothing behind")
    func abandoned() {
        var inquiry = inquiry(.live)
        _ = inquiry.take(.items(["a"]), columns: 40, rows: 24)
        #expect(inquiry.abandon() == "\r\u{1B}[1A\u{1B}[J")
        #expect(inquiry.abandon() == "")
    }

    @Test("A terminal that is dumb, or asked to be plain, is not drawn on")
    func environments() {
        #expect(Screen.canDraw(["TERM": "xterm"]))
        #expect(Screen.canDraw(["TERM": "xterm", "NO_COLOR": ""]))
        for environment in [[:], ["TERM": "dumb"], ["TERM": "xterm", "NO_COLOR": "1"]] {
            #expect(!Screen.canDraw(environment))
        }
    }
}
