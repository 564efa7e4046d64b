"""Runs scenarios: one machine after the other until each scenario has its outcome."""
import collections
import shutil
import time

from .machine import Machine
from .outcome import Outcome

BOOT_LIMIT = 90
# For the set-up and the cleaning around a scenario's own limit, which the guest keeps by itself.
MARGIN = 30


class Runner:
    """Runs scenarios in machines of `run`, a directory, within `limit` seconds; `start` makes a machine."""

    def __init__(self, run, reporter, limit, start=Machine):
        self.run = run
        self.start = start
        self.reporter = reporter
        self.deadline = time.monotonic() + limit
        self.machines = 0

    def run_all(self, scenarios):
        """Gives an outcome for each scenario, in the order in which they ended."""
        groups = collections.defaultdict(list)
        for scenario in scenarios:
            groups[scenario.group].append(scenario)
        outcomes = []
        for waiting in groups.values():
            while waiting:
                ended = self._run_machine(waiting)
                outcomes += ended
                names = {outcome.scenario for outcome in ended}
                waiting = [scenario for scenario in waiting if scenario.name not in names]
        return outcomes

    def _prepare(self, scenarios):
        self.machines += 1
        name = f"machine-{self.machines}"
        (self.run / name).mkdir()
        plan = ""
        for scenario in scenarios:
            directory = self.run / scenario.name
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            (directory / "settings").write_text(scenario.assignments())
            shutil.copyfile(scenario.path, directory / "body")
            plan += f"{scenario.name} {scenario.limit}\n"
        (self.run / name / "plan").write_text(plan)
        return name

    def _run_machine(self, scenarios):
        """Boots one machine for the scenarios; gives the outcomes of those that it got to, of one at least."""
        if time.monotonic() >= self.deadline:
            return [self._without_machine(scenario, "no time was left for it") for scenario in scenarios]
        began = time.monotonic()
        machine = self.start(self.run, self._prepare(scenarios))
        try:
            return self._follow(machine, {scenario.name: scenario for scenario in scenarios}, began)
        finally:
            machine.stop()

    def _follow(self, machine, scenarios, began):
        outcomes = []
        current = None
        turn_ends = began + BOOT_LIMIT
        for kind, *fields in machine.events(lambda: min(turn_ends, self.deadline)):
            if kind == "boot":
                self.reporter.booted(machine.directory.name, time.monotonic() - began)
                turn_ends = time.monotonic() + MARGIN
            elif kind == "start":
                current = Outcome(fields[0])
                turn_ends = time.monotonic() + scenarios[current.scenario].limit + MARGIN
            elif kind == "ok":
                current.passed.append(fields[1])
                self.reporter.passed(current, fields[1])
            elif kind == "failed":
                current.fail(fields[1], fields[2])
                self.reporter.failed(current, *current.failures[-1])
            elif kind == "end":
                outcomes.append(self._ended(scenarios[current.scenario], current, int(fields[1]), int(fields[2])))
                current = None
                turn_ends = time.monotonic() + MARGIN
            elif kind == "stuck":
                break
            elif kind == "done":
                return self._all_of(scenarios, outcomes)
        reason = "the guest hung" if machine.stop() else "the guest died"
        reason += f"; its console: {machine.console}"
        if current is None:
            current = Outcome(next(name for name in scenarios if name not in {done.scenario for done in outcomes}))
        current.fail("the guest stays alive", reason)
        self.reporter.failed(current, *current.failures[-1])
        self.reporter.ended(current)
        return [*outcomes, current]

    def _all_of(self, scenarios, outcomes):
        """A machine that is done without having run anything would be started for ever."""
        if outcomes:
            return outcomes
        return [self._without_machine(scenario, "the guest passed it over") for scenario in scenarios.values()]

    def _ended(self, scenario, outcome, status, milliseconds):
        outcome.seconds = milliseconds / 1000
        before = len(outcome.failures)
        outcome.conclude(scenario.tests, status, scenario.limit)
        for failure in outcome.failures[before:]:
            self.reporter.failed(outcome, *failure)
        self.reporter.ended(outcome)
        return outcome

    def _without_machine(self, scenario, reason):
        outcome = Outcome(scenario.name)
        outcome.fail("runs", reason)
        self.reporter.failed(outcome, *outcome.failures[-1])
        return outcome
