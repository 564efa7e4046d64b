"""A prompt inside the guest."""
import shutil
import sys

from .layout import LabError
from .machine import Machine
from .scenario import Scenario


def open_prompt(run, scenarios):
    """With the set-up of the first of the scenarios, or with two controllers, three radios, video and the daemons."""
    if not sys.stdin.isatty():
        raise LabError("a prompt needs a terminal. To run commands inside, write a scenario: docs/radio-lab.md")
    directory = run / "shell"
    directory.mkdir()
    if scenarios:
        settings = scenarios[0]
    else:
        settings = Scenario("shell", path=None, controllers=2, radios=3, video=True, bumble=True,
                            daemons=["dbus", "bluetoothd", "wpa_supplicant"])
    (directory / "settings").write_text(settings.assignments())
    (run / "machine-1").mkdir()
    size = shutil.get_terminal_size()
    (run / "machine-1" / "shell").write_text(f"{size.lines} {size.columns}\n")
    print("lab: booting; 'exit' ends the machine, Ctrl-A x ends it at once")
    machine = Machine(run, "machine-1", interactive=True)
    try:
        machine.process.wait()
    finally:
        machine.stop()
        print(f"lab: its logs are in {directory}")
