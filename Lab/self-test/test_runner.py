"""The runner with machines that are only lists of events."""
import pathlib
import tempfile
import time
import unittest

from host.reporter import Reporter
from host.runner import Runner
from host.scenario import Scenario


class Silent(Reporter):
    def _say(self, text):
        pass


class ListedMachine:
    """Plays one list of events; `hangs` says whether it is still running after them."""

    def __init__(self, directory, events, hangs=False):
        self.directory = directory
        self.console = directory / "console.log"
        self._events = events
        self._hangs = hangs

    def events(self, deadline):
        yield from self._events

    def stop(self):
        return self._hangs


class RunnerTests(unittest.TestCase):
    def setUp(self):
        self._directory = tempfile.TemporaryDirectory()
        self.addCleanup(self._directory.cleanup)
        self.run_directory = pathlib.Path(self._directory.name, "run")
        self.run_directory.mkdir()
        self.plans = []

    def scenario(self, name, **settings):
        path = pathlib.Path(self._directory.name, f"{name}.sh")
        path.write_text("")
        return Scenario(name, path, **settings)

    def outcomes(self, scenarios, machines, limit=100):
        machines = list(machines)

        def start(run, name):
            self.plans.append((run / name / "plan").read_text().split()[::2])
            events, *hangs = machines.pop(0)
            return ListedMachine(run / name, events, *hangs)

        outcomes = Runner(self.run_directory, Silent(), limit, start=start).run_all(scenarios)
        self.assertEqual(machines, [])
        return [(outcome.scenario, len(outcome.passed), [test for test, _ in outcome.failures])
                for outcome in outcomes]

    def whole(self, name, tests=1, status="0"):
        return [["start", name], *[["ok", name, "test"]] * tests, ["end", name, status, "100"]]

    def test_one_machine_runs_a_group(self):
        events = [["boot", "5"], *self.whole("a"), *self.whole("b", tests=2), ["done"]]
        self.assertEqual(self.outcomes([self.scenario("a"), self.scenario("b")], [(events,)]),
                         [("a", 1, []), ("b", 2, [])])
        self.assertEqual(self.plans, [["a", "b"]])

    def test_each_group_has_a_machine(self):
        machines = [([["boot", "5"], *self.whole(name), ["done"]],) for name in ("a", "b")]
        self.assertEqual(self.outcomes([self.scenario("a"), self.scenario("b", group="own")], machines),
                         [("a", 1, []), ("b", 1, [])])

    def test_after_a_death_the_rest_runs_on_another_machine(self):
        machines = [([["boot", "5"], *self.whole("a"), ["start", "b"], ["ok", "b", "test"]],),
                    ([["boot", "5"], *self.whole("c"), ["done"]],)]
        self.assertEqual(self.outcomes([self.scenario(name) for name in "abc"], machines),
                         [("a", 1, []), ("b", 1, ["the guest stays alive"]), ("c", 1, [])])
        self.assertEqual(self.plans, [["a", "b", "c"], ["c"]])

    def test_a_machine_that_does_not_boot_fails_one_scenario_and_is_tried_again(self):
        machines = [([], True), ([["boot", "5"], *self.whole("b"), ["done"]],)]
        self.assertEqual(self.outcomes([self.scenario("a"), self.scenario("b")], machines),
                         [("a", 0, ["the guest stays alive"]), ("b", 1, [])])

    def test_processes_that_cannot_be_ended_cost_the_machine(self):
        machines = [([["boot", "5"], ["start", "a"], ["ok", "a", "test"], ["stuck", "a"]], True),
                    ([["boot", "5"], *self.whole("b"), ["done"]],)]
        self.assertEqual(self.outcomes([self.scenario("a"), self.scenario("b")], machines),
                         [("a", 1, ["the guest stays alive"]), ("b", 1, [])])

    def test_an_end_without_the_others_is_no_success(self):
        events = [["boot", "5"], *self.whole("a"), ["done"]]
        again = [["boot", "5"], ["done"]]
        self.assertEqual(self.outcomes([self.scenario("a"), self.scenario("b")], [(events,), (again,)]),
                         [("a", 1, []), ("b", 0, ["runs"])])

    def test_no_time_left(self):
        self.assertEqual(self.outcomes([self.scenario("a")], [], limit=0), [("a", 0, ["runs"])])

    def test_status_and_declared_count(self):
        for status, tests, declared, failure in [("1", 1, None, "ends well"), ("124", 1, 1, "ends in time"),
                                                 ("0", 0, None, "has results"), ("0", 1, 2, "has all its results"),
                                                 ("0", 2, 1, "has no other results")]:
            events = [["boot", "5"], *self.whole("a", tests, status), ["done"]]
            found = self.outcomes([self.scenario("a", tests=declared)], [(events,)])
            self.assertEqual(found[0][2], [failure], f"status {status}, {tests} of {declared}")
            for path in self.run_directory.glob("machine-*"):
                for file in path.iterdir():
                    file.unlink()
                path.rmdir()
