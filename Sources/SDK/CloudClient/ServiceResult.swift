/// What a service's publisher delivers: a value, or why there is none.
///
/// A failure is a value and not the end of the publisher, so that polling with `flatMap` goes on after one bad answer.
public enum ServiceResult<Value: Sendable>: Sendable {
    /// The call's value.
    case success(Value)
    /// Why there is none.
    case failure(CloudError)

    /// The value, or nil on failure.
    public var data: Value? {
        if case .success(let value) = self { value } else { nil }
    }

    /// Why there is no value, or nil on success.
    public var error: CloudError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The value.
    /// - Throws: Why there is none.
    public func get() throws(CloudError) -> Value {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }
}

extension ServiceResult: Equatable where Value: Equatable {}
