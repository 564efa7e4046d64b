import Testing

/// What goes wrong with adapters, daemons and peers in the field, done to our managers on the real BlueZ. Each fault has a
/// clear outcome, no call to a delegate is lost or doubled, and the same managers work again afterwards.
///
/// The tests take turns: the whole machine is their fixture.
@Suite("Faults", .inLab, .serialized, .timeLimit(.minutes(3)))
enum FaultTests {}
