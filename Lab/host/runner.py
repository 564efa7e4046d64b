"""Runs scenarios in machines that work side by side, until each has its outcome."""
import concurrent.futures
import shutil
import threading
import time

from .machine import Machine
from .outcome import Outcome

BOOT_LIMIT = 90
# For the set-up and the cleaning around a scenario's own limit, which the guest keeps by itself.
MARGIN = 30
# The group whose scenarios any machine may take, one by one. Each other group has one machine.
SHARED = "shared"


class Runner:
    """Runs scenarios in up to `width` machines of `run`, a directory, within `limit` seconds; `start` makes a machine.

    Each worker has its own machine; what they share is behind `_lock`."""

    def __init__(self, run, reporter, limit, width=1, start=Machine):
        self.run = run
        self.reporter = reporter
        self.deadline = time.monotonic() + limit
        self.width = width
        self.start = start
        self._lock = threading.Lock()
        self._waiting = {}
        self._taken = set()
        self._machines = []
        self._stopped = False

    def run_all(self, scenarios):
        """Gives an outcome for each scenario, in the order in which they ended."""
        # The long ones first: nobody waits for one at the end.
        for scenario in sorted(scenarios, key=lambda scenario: -scenario.limit):
            self._waiting.setdefault(scenario.group, []).append(scenario)
        outcomes = []
        with concurrent.futures.ThreadPoolExecutor(self.width) as workers:
            jobs = [workers.submit(self._work, outcomes) for _ in range(self.width)]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                self._stop_all()
                raise
        return outcomes

    def _stop_all(self):
        with self._lock:
            self._stopped = True
            machines = list(self._machines)
        for machine in machines:
            machine.stop()

    def _work(self, outcomes):
        while (group := self._next_group()) is not None:
            while (first := self._next(group)) is not None:
                if time.monotonic() >= self.deadline:
                    outcome = Outcome(first.name)
                    self._fail(outcome, "runs", "no time was left for it")
                    outcomes.append(outcome)
                    continue
                machine = self._boot()
                try:
                    self._follow(machine, group, first, outcomes)
                finally:
                    machine.stop()

    def _next_group(self):
        with self._lock:
            for group, waiting in self._waiting.items():
                if waiting and not self._stopped and (group == SHARED or group not in self._taken):
                    self._taken.add(group)
                    return group
        return None

    def _next(self, group):
        with self._lock:
            waiting = self._waiting[group]
            return waiting.pop(0) if waiting and not self._stopped else None

    def _boot(self):
        with self._lock:
            name = f"machine-{len(self._machines) + 1}"
            (self.run / name).mkdir()
            machine = self.start(self.run, name)
            self._machines.append(machine)
            return machine

    def _give(self, machine, scenario):
        directory = self.run / scenario.name
        directory.mkdir()
        (directory / "settings").write_text(scenario.assignments())
        shutil.copyfile(scenario.path, directory / "body")
        machine.give(f"{scenario.name} {scenario.limit}")

    def _follow(self, machine, group, scenario, outcomes):
        """Gives the machine one scenario of the group after the other, `scenario` first; ends with the machine."""
        began = time.monotonic()
        outcome = Outcome(scenario.name)
        used = 0
        turn_ends = began + BOOT_LIMIT
        for kind, *fields in machine.events(lambda: min(turn_ends, self.deadline)):
            if kind == "boot":
                self.reporter.booted(machine.name, time.monotonic() - began)
                self._give(machine, scenario)
                turn_ends = time.monotonic() + scenario.limit + MARGIN
            elif kind == "ok":
                outcome.passed.append(fields[0])
                self.reporter.passed(outcome, fields[0])
            elif kind == "failed":
                self._fail(outcome, *fields)
            elif kind == "end":
                outcome.seconds = int(fields[1]) / 1000
                used, outcome.processor_seconds = machine.processor_seconds(), machine.processor_seconds() - used
                self._conclude(outcome, scenario, int(fields[0]))
                outcomes.append(outcome)
                scenario = self._next(group) if time.monotonic() < self.deadline else None
                if scenario is None:
                    return
                outcome = Outcome(scenario.name)
                self._give(machine, scenario)
                turn_ends = time.monotonic() + scenario.limit + MARGIN
            elif kind == "stuck":
                break
        if self._stopped:
            return
        reason = "the guest hung" if machine.stop() else "the guest died"
        self._fail(outcome, "the guest stays alive", f"{reason}; its console: {machine.console}")
        self.reporter.ended(outcome)
        outcomes.append(outcome)

    def _conclude(self, outcome, scenario, status):
        for failure in outcome.verdict(scenario.tests, status, scenario.limit):
            self._fail(outcome, *failure)
        self.reporter.ended(outcome)

    def _fail(self, outcome, test, reason):
        outcome.failures.append((test, reason))
        self.reporter.failed(outcome, test, reason)
