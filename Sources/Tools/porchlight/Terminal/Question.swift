/// A question to a person: what stands above it, and what an answer means. A value, so that no terminal is needed to try it.
protocol Question: Sendable {
    /// What may be chosen from; it comes and goes while the question stands.
    associatedtype Item: Sendable
    associatedtype Answer: Sendable

    /// The line that a person types behind.
    var prompt: String { get }
    /// The same where there is no room for it.
    var shortPrompt: String { get }
    /// How typing is shown.
    var echo: Echo { get }
    /// What there is now.
    mutating func update(_ items: [Item])
    /// What stands above the prompt, each line no wider than `columns`, and no more than `rows` of them.
    func lines(columns: Int, rows: Int) -> [String]
    /// What has come since the last call, for who is shown line after line.
    mutating func news(columns: Int) -> [String]
    /// What a typed line means.
    mutating func reading(of text: String) -> Reading<Answer>
    /// The answer where there is nobody to give one; nil where there must be one.
    var answerAtEnd: Answer? { get }
}

/// How typing is shown.
enum Echo: Sendable {
    case shown
    /// A dot for each character.
    case dots
    case hidden
}

/// What a typed line means.
enum Reading<Answer: Sendable>: Sendable {
    case taken(Answer)
    /// It cannot be, for this reason.
    case refused(String)
    /// It is not in the list, for this reason; a program that cannot see the list is given time.
    case notYet(String)
}

extension Question {
    var shortPrompt: String { "> " }
    var echo: Echo { .shown }
    var answerAtEnd: Answer? { nil }
}
