extension Subscribers {
    /// How a sequence of values ended.
    public enum Completion<Failure: Error>: Sendable {
        /// The publisher has nothing more.
        case finished
        /// The publisher stopped because of the error.
        case failure(Failure)
    }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

extension Subscribers.Completion {
    /// The same ending with its error changed by `transform`.
    func mapError<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
        switch self {
        case .finished: .finished
        case .failure(let error): .failure(transform(error))
        }
    }

    /// The same ending with its error's type forgotten.
    var erased: Subscribers.Completion<any Error> { mapError { $0 } }

    var isFailure: Bool {
        switch self {
        case .finished: false
        case .failure: true
        }
    }
}
