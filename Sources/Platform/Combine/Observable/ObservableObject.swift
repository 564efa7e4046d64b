/// An object that says before it changes.
///
/// Without a property of your own, ``objectWillChange`` is the object's ``ObservableObjectPublisher``, and every
/// ``Published`` property of the object signals through it before it changes.
public protocol ObservableObject: AnyObject {
    /// The kind of publisher that signals the changes.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// Signals before the object changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// The object's own publisher: the same one for as long as somebody holds it or is subscribed to it.
    public var objectWillChange: ObservableObjectPublisher { ChangePublishers.publisher(of: self) }
}
