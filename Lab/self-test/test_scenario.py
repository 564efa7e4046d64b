"""Headers of scenarios."""
import pathlib
import tempfile
import unittest

from host.layout import SCENARIOS, LabError
from host.scenario import read, read_all


class ScenarioTests(unittest.TestCase):
    def parsed(self, text):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "some-name.sh")
            path.write_text(text)
            return read(path)

    def test_settings_stand_in_the_leading_comment(self):
        found = self.parsed("# What it shows: all.\n# controllers: 4\n# daemons: dbus bluetoothd\n# tests: 3\n"
                            "# limit: 90\n# group: alone\n\n# radios: 2\n")
        self.assertEqual((found.name, found.controllers, found.daemons, found.tests, found.limit, found.group),
                         ("some-name", 4, ["dbus", "bluetoothd"], 3, 90, "alone"))
        self.assertEqual(found.radios, 0)

    def test_what_is_wrong_is_said(self):
        for text, part in [("# controler: 2\n", "'controler' is no setting"), ("# tests: 1\n# tests: 1\n", "twice"),
                           ("# limit: none\n", "a number from 1 to 600"), ("# video: maybe\n", "yes or no"),
                           ("# daemons: avahi\n", "some of dbus"), ("# group: A;B\n", "one word"),
                           ("# programs: $(id)\n", "one word")]:
            with self.assertRaises(LabError) as caught:
                self.parsed(text)
            self.assertIn(part, str(caught.exception))

    def test_unknown_names(self):
        with self.assertRaises(LabError) as caught:
            read_all(SCENARIOS, ["no-such-scenario"])
        self.assertIn("There are: ", str(caught.exception))

    def test_the_scenarios_of_the_lab_can_be_read(self):
        self.assertGreater(len(read_all(SCENARIOS)), 2)
