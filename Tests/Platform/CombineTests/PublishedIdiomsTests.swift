// Code as it is published for Apple's Combine, to see that it compiles and runs here unchanged: no type annotations, closures
// or imports beyond what such code has.
import Combine
import Dispatch
import Foundation
import TestSupport
import Testing

private enum Link { case connected, notConnected, none }

private struct Network: Equatable { var ssid: String }

private struct SessionStatus {
    var expired: Bool
    var pairing: String?
}

private enum Response<Value> {
    case success(Value)
    case failure(any Error)
    var data: Value? { if case .success(let value) = self { value } else { nil } }
}

private final class Service {
    static let shared = Service()
    private var polls = 0

    func getPairingSessionStatus(spaceId: String, sessionKey: String) -> AnyPublisher<Response<SessionStatus>, Never> {
        polls += 1
        let isLast = polls == 3
        return Future { promise in
            promise(.success(.success(SessionStatus(expired: false, pairing: isLast ? "paired" : nil))))
        }
        .eraseToAnyPublisher()
    }
}
extension Service: @unchecked Sendable {}

private class Manager: NSObject, ObservableObject {
    static let instance = Manager()

    @Published var networks: [Network] = []
    @Published private(set) var status: Link = .none
    @Published var didFetched = false
    var did = ""

    func connect() { status = .connected }
    func fetch() {
        did = "did-1"
        didFetched = true
    }
}
extension Manager: @unchecked Sendable {}

@MainActor private final class Screen: ObservableObject {
    @Published var isPairing = false
    @Published var error: String?
    @Published var networks: [Network] = []
    private let manager: Manager
    private var cancellables = Set<AnyCancellable>()
    private(set) var log: [String] = []

    init(manager: Manager) {
        self.manager = manager
        manager.$status
            .receive(on: DispatchQueue.main)
            .sink { [weak self] status in
                switch status {
                case .connected: self?.log.append("connected")
                case .notConnected: self?.log.append("retry")
                case .none: break
                }
            }
            .store(in: &cancellables)

        manager.$didFetched
            .filter { $0 }
            .receive(on: DispatchQueue.main)
            .sink { [weak self] _ in self?.log.append(manager.did) }
            .store(in: &cancellables)

        manager.$networks
            .receive(on: DispatchQueue.main)
            .assign(to: &$networks)

        Publishers.CombineLatest($isPairing, $error)
            .map { $0 && $1 == nil }
            .removeDuplicates()
            .sink { [weak self] in self?.log.append("busy \($0)") }
            .store(in: &cancellables)
    }

    func waitFor(_ line: String) async -> Bool {
        for await _ in Timer.publish(every: 0.005, on: .main, in: .common).autoconnect().values
        where log.contains(line) && networks == manager.networks { return true }
        return false
    }
}

@Suite struct PublishedIdiomsTests {
    @Test @MainActor func aScreenFollowsAManager() async throws {
        let manager = Manager()
        let screen = Screen(manager: manager)
        manager.connect()
        manager.networks = [Network(ssid: "home")]
        manager.fetch()
        screen.isPairing = true
        #expect(await screen.waitFor("did-1"))
        #expect(screen.log.contains("connected"))
        #expect(screen.log.contains("busy true"))
        #expect(screen.networks == [Network(ssid: "home")])
    }

    @Test func aSessionIsPolled() async throws {
        let (paired, continuation) = AsyncStream<String>.makeStream()
        var cancellables = Set<AnyCancellable>()
        Timer.publish(every: 0.01, on: .main, in: .common)
            .autoconnect()
            .flatMap { _ in
                Service.shared.getPairingSessionStatus(spaceId: "space", sessionKey: "key")
            }
            .receive(on: DispatchQueue.main)
            .sink { state in
                guard let status = state.data else { return }
                if let pairing = status.pairing { continuation.yield(pairing) }
            }
            .store(in: &cancellables)
        let first = try await within(.seconds(20), "the pairing") {
            for await pairing in paired { return pairing }
            return ""
        }
        #expect(first == "paired")
        cancellables.removeAll()
    }

    @Test func requestsAreChained() {
        struct User: Decodable { var name: String }
        enum APIError: Error { case status(Int), other(any Error) }
        func data(status: Int) -> AnyPublisher<(data: Data, status: Int), URLError> {
            Just((data: Data(#"{"name":"Ada"}"#.utf8), status: status))
                .setFailureType(to: URLError.self)
                .eraseToAnyPublisher()
        }
        func user(status: Int) -> AnyPublisher<User, APIError> {
            data(status: status)
                .tryMap { response -> Data in
                    guard response.status == 200 else { throw APIError.status(response.status) }
                    return response.data
                }
                .decode(type: User.self, decoder: JSONDecoder())
                .mapError { $0 as? APIError ?? .other($0) }
                .eraseToAnyPublisher()
        }
        var names: [String] = []
        var cancellables: [AnyCancellable] = []
        user(status: 200)
            .sink(receiveCompletion: { _ in }, receiveValue: { names.append($0.name) })
            .store(in: &cancellables)
        user(status: 500)
            .map(\.name)
            .catch { _ in Just("nobody") }
            .sink { names.append($0) }
            .store(in: &cancellables)
        #expect(names == ["Ada", "nobody"])
    }

    @Test func aSearchField() {
        final class Search {
            let text = CurrentValueSubject<String, Never>("")
            lazy var results: AnyPublisher<[String], Never> =
                text
                .removeDuplicates()
                .map { query in
                    query.isEmpty
                        ? Just([]).eraseToAnyPublisher()
                        : ["tea", "toast", "egg"].publisher.filter { $0.hasPrefix(query) }.collect()
                            .eraseToAnyPublisher()
                }
                .switchToLatest()
                .share()
                .eraseToAnyPublisher()
        }
        let search = Search()
        var seen: [[String]] = []
        let cancellable = search.results.dropFirst().sink { seen.append($0) }
        search.text.send("t")
        search.text.value = "to"
        cancellable.cancel()
        #expect(seen == [["tea", "toast"], ["toast"]])
    }

    @Test func aCustomPublisherAndSubscriber() {
        struct Countdown: Publisher {
            typealias Output = Int
            typealias Failure = Never
            let start: Int

            func receive<S>(subscriber: S) where S: Subscriber, Never == S.Failure, Int == S.Input {
                subscriber.receive(subscription: Inner(subscriber, start))
            }

            final class Inner<S: Subscriber>: Subscription where S.Input == Int {
                private var subscriber: S?
                private var left: Int
                init(_ subscriber: S, _ start: Int) {
                    self.subscriber = subscriber
                    left = start
                }
                func request(_ demand: Subscribers.Demand) {
                    var demand = demand
                    while let subscriber, demand > 0 {
                        demand -= 1
                        demand += subscriber.receive(left)
                        left -= 1
                        if left == 0 {
                            subscriber.receive(completion: .finished)
                            self.subscriber = nil
                        }
                    }
                }
                func cancel() { subscriber = nil }
            }
        }
        final class Gatherer: Subscriber {
            typealias Input = Int
            typealias Failure = Never
            var values: [Int] = []
            func receive(subscription: any Subscription) { subscription.request(.max(1)) }
            func receive(_ input: Int) -> Subscribers.Demand {
                values.append(input)
                return .max(1)
            }
            func receive(completion: Subscribers.Completion<Never>) { values.append(-1) }
        }
        let gatherer = Gatherer()
        Countdown(start: 3).subscribe(gatherer)
        #expect(gatherer.values == [3, 2, 1, -1])
    }

    @Test func aDelegateBecomesAStream() async {
        final class Delegate: Sendable {
            private let subject = PassthroughSubject<Int, Never>()
            var publisher: AnyPublisher<Int, Never> { subject.eraseToAnyPublisher() }
            func didReceive(_ value: Int) { subject.send(value) }
        }
        let delegate = Delegate()
        let sum = Tally()
        let cancellable = delegate.publisher.scan(0, +).sink { sum.add($0) }
        await Task.detached { delegate.didReceive(2) }.value
        delegate.didReceive(3)
        cancellable.cancel()
        #expect(sum.value == 7)
    }
}
