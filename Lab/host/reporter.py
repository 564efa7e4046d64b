"""The lines that a person reads while the lab runs."""


class Reporter:
    """Prints each result, or only failures and one line a scenario."""

    def __init__(self, brief=False):
        self.brief = brief

    def _say(self, text):
        print(f"lab: {text}", flush=True)

    def booted(self, machine, seconds):
        self._say(f"{machine} booted in {seconds:.1f} s")

    def passed(self, outcome, test):
        if not self.brief:
            self._say(f"ok     {outcome.scenario}: {test}")

    def failed(self, outcome, test, reason):
        self._say(f"failed {outcome.scenario}: {test}: {reason}")

    def ended(self, outcome):
        self._say(f"{outcome.scenario}: {len(outcome.passed)} passed, {len(outcome.failures)} failed,"
                  f" {outcome.seconds:.1f} s ({outcome.processor_seconds:.0f} s of processor time)")
