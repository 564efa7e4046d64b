"""What came of a scenario."""
import dataclasses


@dataclasses.dataclass
class Outcome:
    scenario: str
    passed: list[str] = dataclasses.field(default_factory=list)
    failures: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    seconds: float = 0

    def fail(self, test, reason):
        self.failures.append((test, reason))

    def conclude(self, expected, status, limit):
        """Judges the whole scenario once it has ended: results alone do not make it a success."""
        if status in (124, 137):
            self.fail("ends in time", f"stopped after {limit} s")
        elif status != 0 and not self.failures:
            self.fail("ends well", f"ended with status {status}")
        results = len(self.passed) + len(self.failures)
        if results == 0:
            self.fail("has results", "ended without a single result")
        elif expected is not None and results < expected and not self.failures:
            self.fail("has all its results", f"{results} results, {expected} are declared")
        elif expected is not None and results > expected and not self.failures:
            self.fail("has no other results", f"{results} results, {expected} are declared")
