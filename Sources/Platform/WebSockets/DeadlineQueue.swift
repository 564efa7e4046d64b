/// Moments to come, the earliest first: a binary heap, so that adding costs a logarithm.
///
/// libwebsockets keeps its timers in a sorted list and walks it for each that is set (4.1.6); with thousands of sockets
/// that are pinged, that walk was nine tenths of a small request's time. So it is given one timer, for the first of these.
struct DeadlineQueue<Owner> {
    private var heap: [(at: Duration, owner: Owner)] = []

    /// The earliest moment.
    var next: Duration? { heap.first?.at }

    /// Adds a moment.
    mutating func add(_ owner: Owner, at moment: Duration) {
        heap.append((moment, owner))
        var child = heap.count - 1
        while child > 0, heap[child].at < heap[(child - 1) / 2].at {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the earliest moment out, if it has come.
    mutating func take(dueAt now: Duration) -> (at: Duration, owner: Owner)? {
        guard let first = heap.first, first.at <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { break }
            let right = left + 1
            let least = right < heap.count && heap[right].at < heap[left].at ? right : left
            guard heap[least].at < heap[parent].at else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return first
    }
}
