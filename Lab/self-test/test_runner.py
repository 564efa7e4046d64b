"""The runner with machines that only play lists of events."""
import pathlib
import tempfile
import unittest

from host.reporter import Reporter
from host.runner import Runner
from host.scenario import Scenario

BOOT = ["boot", "5"]


class Silent(Reporter):
    def _say(self, text):
        pass


class ListedMachine:
    """Plays, for each scenario that it is given, the events that are listed for it, after those of its boot."""

    def __init__(self, name, boot, scenarios):
        self.name = name
        self.console = pathlib.Path("console.log")
        self.given = []
        self._events = list(boot)
        self._scenarios = scenarios
        self._runs = True

    def give(self, line):
        name = line.split()[0]
        self.given.append(name)
        self._events += self._scenarios[name]

    def events(self, deadline):
        while self._events:
            event = self._events.pop(0)
            if event == "dies":
                self._runs = False
                return
            yield event

    def processor_seconds(self):
        return 1

    def stop(self):
        runs, self._runs = self._runs, False
        return runs


def whole(tests=1, status="0"):
    return [*[["ok", "test"]] * tests, ["end", status, "100"]]


class RunnerTests(unittest.TestCase):
    def setUp(self):
        self._directory = tempfile.TemporaryDirectory()
        self.addCleanup(self._directory.cleanup)
        self.machines = []

    def scenario(self, name, **settings):
        path = pathlib.Path(self._directory.name, f"{name}.sh")
        path.write_text("")
        return Scenario(name, path, **settings)

    def outcomes(self, scenarios, events, limit=100, width=1, boots=()):
        """Runs them in machines of which each plays the same events; `boots` are the first machines' boots."""
        boots = list(boots)
        run = pathlib.Path(tempfile.mkdtemp(dir=self._directory.name))
        self.machines = []

        def start(run, name):
            machine = ListedMachine(name, boots.pop(0) if boots else [BOOT], events)
            self.machines.append(machine)
            return machine

        outcomes = Runner(run, Silent(), limit, width, start=start).run_all(scenarios)
        return [(outcome.scenario, len(outcome.passed), outcome.failures) for outcome in outcomes]

    def named(self, outcomes):
        return [(name, passed, [test for test, _ in failures]) for name, passed, failures in outcomes]

    def test_one_machine_runs_a_group(self):
        found = self.outcomes([self.scenario("a"), self.scenario("b")], {"a": whole(), "b": whole(2)})
        self.assertEqual(found, [("a", 1, []), ("b", 2, [])])
        self.assertEqual([machine.given for machine in self.machines], [["a", "b"]])

    def test_each_group_has_a_machine(self):
        scenarios = [self.scenario("a"), self.scenario("b", group="own"), self.scenario("c")]
        self.outcomes(scenarios, {name: whole() for name in "abc"})
        self.assertEqual([machine.given for machine in self.machines], [["a", "c"], ["b"]])

    def test_the_longest_begins(self):
        self.outcomes([self.scenario("a", limit=10), self.scenario("b", limit=20)], {name: whole() for name in "ab"})
        self.assertEqual(self.machines[0].given, ["b", "a"])

    def test_machines_side_by_side_share_the_work(self):
        scenarios = [self.scenario(name) for name in "abcdef"]
        found = self.outcomes(scenarios, {name: whole() for name in "abcdef"}, width=3)
        self.assertEqual(sorted(found), [(name, 1, []) for name in "abcdef"])
        self.assertLessEqual(len(self.machines), 3)

    def test_after_a_death_the_rest_runs_on_another_machine(self):
        events = {"a": whole(), "b": [["ok", "test"], "dies"], "c": whole()}
        found = self.outcomes([self.scenario(name) for name in "abc"], events)
        self.assertEqual(self.named(found), [("a", 1, []), ("b", 1, ["the guest stays alive"]), ("c", 1, [])])
        self.assertIn("the guest died", found[1][2][0][1])
        self.assertEqual([machine.given for machine in self.machines], [["a", "b"], ["c"]])

    def test_a_machine_that_hangs_is_ended(self):
        found = self.outcomes([self.scenario(name) for name in "ab"], {"a": [["ok", "test"]], "b": whole()})
        self.assertEqual(self.named(found), [("a", 1, ["the guest stays alive"]), ("b", 1, [])])
        self.assertIn("the guest hung", found[0][2][0][1])

    def test_a_machine_that_does_not_boot_fails_one_scenario_and_another_is_tried(self):
        found = self.outcomes([self.scenario(name) for name in "ab"], {"b": whole()}, boots=[[]])
        self.assertEqual(self.named(found), [("a", 0, ["the guest stays alive"]), ("b", 1, [])])

    def test_processes_that_cannot_be_ended_cost_the_machine(self):
        found = self.outcomes([self.scenario(name) for name in "ab"], {"a": [["ok", "test"], ["stuck"]], "b": whole()})
        self.assertEqual(self.named(found), [("a", 1, ["the guest stays alive"]), ("b", 1, [])])
        self.assertEqual(len(self.machines), 2)

    def test_no_time_left(self):
        found = self.outcomes([self.scenario(name) for name in "ab"], {}, limit=0)
        self.assertEqual(self.named(found), [("a", 0, ["runs"]), ("b", 0, ["runs"])])
        self.assertEqual(self.machines, [])

    def test_status_and_declared_count(self):
        for status, tests, declared, failure in [("1", 1, None, "ends well"), ("124", 1, 1, "ends in time"),
                                                 ("137", 1, 1, "ends in time"), ("0", 0, None, "has results"),
                                                 ("0", 1, 2, "has the declared results"),
                                                 ("0", 2, 1, "has the declared results")]:
            found = self.outcomes([self.scenario("a", tests=declared)], {"a": whole(tests, status)})
            self.assertEqual(self.named(found)[0][2], [failure], f"status {status}, {tests} of {declared}")

    def test_an_error_of_the_host_ends_every_machine(self):
        with self.assertRaises(KeyError):
            self.outcomes([self.scenario("a"), self.scenario("b")], {"b": whole()}, width=2)
        self.assertFalse(any(machine.stop() for machine in self.machines))
