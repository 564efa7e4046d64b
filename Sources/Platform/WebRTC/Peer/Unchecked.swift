/// Carries a delegate across an isolation boundary.
///
/// Delegates are not `Sendable`, as in the frameworks whose shape this module has. They are stored under a lock and called
/// on one serial queue, which their documentation names: whoever sets one agrees to be called there.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
