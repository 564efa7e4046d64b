/// A question while it stands: what comes in, what is to be written, and the answer in the end. A value.
///
/// On a live screen its lines are drawn again in place, with the typed line below. Elsewhere each piece of news is a line, and
/// the terminal, if there is one, shows what is typed.
struct Inquiry<Subject: Question> {
    enum Turn: Sendable {
        case items([Subject.Item])
        case bytes([UInt8])
        /// The input has ended.
        case ended
        /// A line that was ``Step/isWaiting`` for its item has waited long enough.
        case waited
        /// What was drawn is gone.
        case resumed
    }

    struct Step {
        /// What is to be written.
        var output = ""
        var answer: Subject.Answer?
        /// Bytes behind the answer: they belong to the next question.
        var rest: [UInt8] = []
        /// Nobody is there to answer.
        var isUnanswered = false
        /// What was wrong with the last line, where nobody is there.
        var complaint: String?
        /// A line of a pipe waits for its item; further bytes are not wanted yet.
        var isWaiting = false
    }

    /// How it is shown.
    enum Manner: Sendable {
        /// Drawn in place, typed with keys.
        case live
        /// Line after line, before a person.
        case plain
        /// Line after line, to a program.
        case piped

        /// Whether keys are read one by one. The terminal's own line shows what is typed.
        func takesKeys(_ echo: Echo) -> Bool { self == .live || self == .plain && echo != .shown }
    }

    private var question: Subject
    private let manner: Manner
    private var typed: TypedLine
    private var region = LiveRegion()
    private var remark: String?
    private var isAsked = false
    private var waiting: (text: String, reason: String)?
    /// What was wrong with the last line.
    private var complaint: String?

    init(_ question: Subject, manner: Manner) {
        self.question = question
        self.manner = manner
        typed = TypedLine(hasKeys: manner.takesKeys(question.echo))
    }

    /// Takes what comes in. The size is the screen's.
    mutating func take(_ turn: Turn, columns: Int, rows: Int) -> Step {
        var step = Step()
        switch turn {
        case .items(let items):
            question.update(items)
            if let text = waiting?.text { read(text, into: &step) }
        case .bytes(let bytes):
            for (index, byte) in bytes.enumerated() {
                switch typed.take(byte) {
                case nil, .edited: continue
                case .entered(let text): read(text, into: &step)
                case .ended: end(&step)
                }
                if step.answer != nil || step.isUnanswered || waiting != nil {
                    step.rest = Array(bytes[(index + 1)...])
                    break
                }
            }
        case .ended:
            if case .entered(let text) = typed.end() { read(text, into: &step) }
            if step.answer == nil, waiting == nil { end(&step) }
        case .waited:
            if let (text, reason) = waiting {
                _ = question.reading(of: text)
                refuse(reason)
            }
            waiting = nil
        case .resumed: region = LiveRegion()
        }
        step.isWaiting = waiting != nil
        step.output += show(isOver: step.answer != nil || step.isUnanswered, columns, rows)
        return step
    }

    private mutating func read(_ text: String, into step: inout Step) {
        waiting = nil
        // It is read again with each item that comes, which is not to be taken for a line that was typed twice.
        var read = question
        switch read.reading(of: text) {
        case .taken(let answer): step.answer = answer
        case .notYet(let reason) where manner == .piped:
            waiting = (text, reason)
            return
        case .refused(let reason), .notYet(let reason): refuse(reason)
        }
        question = read
    }

    private mutating func refuse(_ reason: String) {
        (remark, complaint) = (reason, reason)
    }

    private mutating func end(_ step: inout Step) {
        // Who wanted something else does not want this.
        step.answer = complaint == nil ? question.answerAtEnd : nil
        step.complaint = complaint
        step.isUnanswered = step.answer == nil
    }

    /// Takes the question away without an answer.
    /// - Returns: What is to be written.
    mutating func abandon() -> String {
        if manner == .live { return region.clear() }
        return manner == .plain && isAsked ? "\n" : ""
    }

    // MARK: What is shown

    private mutating func show(isOver: Bool, _ columns: Int, _ rows: Int) -> String {
        guard manner == .live else { return tell(isOver: isOver, columns) }
        if isOver { return region.clear() }
        let remarks = remark.map { TextColumns.wrap(Terminal.visible($0), columns - 1).prefix(max(1, rows / 3)) } ?? []
        var lines = question.lines(columns: columns, rows: rows - 2 - remarks.count - (hasRoom(columns) ? 0 : 3))
        lines += remarks
        if !hasRoom(columns) { lines += TextColumns.wrap(question.prompt, columns - 1) }
        lines.append(promptLine(columns))
        return lines == region.lines ? "" : region.draw(lines)
    }

    /// Whether something can be typed behind the prompt; else it stands above.
    private func hasRoom(_ columns: Int) -> Bool { TextColumns.count(question.prompt) + 8 < columns }

    /// The prompt and what has been typed: of a line that is too long, its end.
    private func promptLine(_ columns: Int) -> String {
        let shown =
            switch question.echo {
            case .shown: Terminal.visible(typed.text)
            case .dots: String(repeating: "•", count: typed.text.count)
            case .hidden: ""
            }
        var line = Substring((hasRoom(columns) ? question.prompt : question.shortPrompt) + shown)
        while TextColumns.count(String(line)) > columns - 1 { line.removeFirst() }
        return String(line)
    }

    private mutating func tell(isOver: Bool, _ columns: Int) -> String {
        let news = question.news(columns: columns)
        var text = ""
        // What a person is typing stands on this line.
        if manner == .plain, isAsked, !news.isEmpty || remark != nil, !isOver { text += "\n" }
        if manner == .plain, isOver, question.echo != .shown { text += "\n" }
        text += (news + [remark].compactMap { $0 }.map(Terminal.visible)).map { $0 + "\n" }.joined()
        if !isOver, !isAsked || !news.isEmpty || remark != nil {
            text += question.prompt + (manner == .piped ? "\n" : "")
            isAsked = true
        }
        remark = nil
        return text
    }
}
