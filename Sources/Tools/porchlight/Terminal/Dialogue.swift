import Foundation

/// Asks questions, one after the other, of whoever is at standard input: a person, or a program with a line for each.
struct Dialogue: Sendable {
    /// How long a line of a pipe waits for the item that it names.
    static let patience = Duration.seconds(10)

    /// Nobody has answered.
    struct Unanswered: Error {
        /// What was wrong with the last answer; nil where there was none.
        var reason: String?
    }

    var screen = Screen.standard
    var input = InputReader()
    /// Whether a person types.
    var isPerson = isatty(STDIN_FILENO) != 0
    var clock: any Clock<Duration> = ContinuousClock()

    /// What happens while a question stands.
    private enum Event<Item: Sendable>: Sendable {
        case items([Item])
        case itemsFailed(any Error)
        case read([UInt8]?)
        case waited
        case resumed
    }

    /// Asks a question that has nothing to choose from.
    func ask<Subject: Question>(_ question: Subject) async throws -> Subject.Answer where Subject.Item == Never {
        let (nothing, feed) = AsyncStream.makeStream(of: [Never].self)
        feed.yield([])
        return try await ask(question, from: nothing)
    }

    /// Asks, with a list that changes while the question stands. Cancelling takes the question away and gives the terminal
    /// back.
    /// - Parameter items: Begins with what there is.
    /// - Throws: What the list throws; ``Unanswered`` where the input ends; `CancellationError`.
    func ask<Subject: Question, Items: AsyncSequence & Sendable>(
        _ question: Subject, from items: Items
    ) async throws -> Subject.Answer where Items.Element == [Subject.Item] {
        let (events, feed) = AsyncStream.makeStream(of: Event<Subject.Item>.self)
        let manner = manner(of: question)
        let terminal = manner.takesKeys(question.echo) ? RawTerminal { feed.yield(.resumed) } : nil
        let watch = Task {
            do {
                for try await list in items { feed.yield(.items(list)) }
            } catch {
                feed.yield(.itemsFailed(error))
            }
        }
        let read = { Task { [input] in _ = feed.yield(.read(await input.read())) } }
        // Begun when the first items are there, so that no answer comes before what it is about.
        var reading: Task<Void, Never>?
        var patience: Task<Void, Never>?
        var inquiry = Inquiry(question, manner: manner)
        var rest: [UInt8] = []
        var outcome: Result<Subject.Answer, any Error> = .failure(CancellationError())
        loop: for await event in events {
            let turn: Inquiry<Subject>.Turn
            switch event {
            case .items(let list): turn = .items(list)
            case .itemsFailed(let error):
                outcome = .failure(error)
                break loop
            case .read(let bytes):
                turn = bytes.map { .bytes($0) } ?? .ended
                reading = nil
            case .waited: turn = .waited
            case .resumed: turn = .resumed
            }
            let size = screen.size
            let step = inquiry.take(turn, columns: size.columns, rows: size.rows)
            screen.write(step.output)
            rest = step.rest
            if let answer = step.answer { outcome = .success(answer) }
            if step.isUnanswered { outcome = .failure(Unanswered(reason: step.complaint)) }
            if step.answer != nil || step.isUnanswered { break }
            input.keep(rest)
            rest = []
            patience?.cancel()
            if step.isWaiting {
                patience = Task { [clock] in
                    if (try? await clock.sleep(for: Self.patience)) != nil { feed.yield(.waited) }
                }
            } else if reading == nil {
                reading = read()
            }
        }
        watch.cancel()
        patience?.cancel()
        reading?.cancel()
        await reading?.value
        terminal?.end()
        if case .failure = outcome { screen.write(inquiry.abandon()) }
        // What has been read meanwhile is for the next question.
        feed.finish()
        for await case .read(let bytes?) in events { input.keep(bytes) }
        input.keep(rest)
        return try outcome.get()
    }

    private func manner<Subject: Question>(of question: Subject) -> Inquiry<Subject>.Manner {
        guard isPerson else { return .piped }
        return screen.isLive ? .live : .plain
    }
}
