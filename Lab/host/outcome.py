"""What came of a scenario."""
import dataclasses

# What timeout(1) gives for a program that it had to end, and that had to be killed.
STOPPED = (124, 137)


@dataclasses.dataclass
class Outcome:
    scenario: str
    passed: list[str] = dataclasses.field(default_factory=list)
    failures: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    seconds: float = 0
    processor_seconds: float = 0

    def verdict(self, declared, status, limit):
        """The failures of the whole scenario once it has ended: results alone do not make it a success."""
        results = len(self.passed) + len(self.failures)
        if status in STOPPED:
            return [("ends in time", f"stopped after {limit} s")]
        if status != 0 and not self.failures:
            return [("ends well", f"ended with status {status}")]
        if results == 0:
            return [("has results", "ended without a single result")]
        if declared is not None and results != declared and not self.failures:
            return [("has the declared results", f"{results} results, {declared} are declared")]
        return []
