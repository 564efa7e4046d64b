"""One guest: a QEMU process, and the events that it writes into the run's directory."""
import os
import pathlib
import subprocess
import time

from . import kernel
from .layout import CHECKOUT, INITRD

MEMORY_MIB = 2048


class Machine:
    """Boots when made. One thread follows it; `stop` may be called by any.

    With one processor, if not told otherwise: several, emulated on threads of their own, spend a third of their time on
    keeping each other informed."""

    def __init__(self, run, name, interactive=False, processors=1):
        directory = run / name
        self.name = name
        self.console = directory / "console.log"
        self._plan = directory / "plan"
        self._events = directory / "events"
        self._plan.touch()
        self._events.touch()
        arguments = ["console=ttyS0", "panic=-1", f"lab.checkout={CHECKOUT}"]
        # Nobody attacks this kernel, and emulated barriers cost time. On a busy host its own check takes the emulated
        # counter for unsteady, and every look at the clock would then ask a device of QEMU.
        arguments += ["mitigations=off", "tsc=reliable"]
        arguments += ["quiet", "loglevel=1"] if interactive else ["ignore_loglevel"]
        share = "security_model=none,multidevs=remap"
        # KVM is not tried: where it is offered inside another guest it can hang instead of failing.
        command = ["setpriv", "--pdeathsig", "KILL",
                   "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(processors),
                   "-m", str(MEMORY_MIB), "-display", "none", "-no-reboot", "-nodefaults",
                   "-kernel", str(kernel.image()), "-initrd", str(INITRD), "-append", " ".join(arguments),
                   "-device", "virtio-rng-pci",
                   "-virtfs", f"local,path=/,mount_tag=host,readonly=on,{share}",
                   "-virtfs", f"local,path={_escaped(run)},mount_tag=run,{share}",
                   "-virtfs", f"local,path={_escaped(directory)},mount_tag=machine,{share}",
                   "-serial", "mon:stdio" if interactive else f"file:{self.console}"]
        log = None if interactive else (directory / "qemu.log").open("wb")
        self.process = subprocess.Popen(command, stdin=None if interactive else subprocess.DEVNULL, stdout=log,
                                        stderr=log, start_new_session=not interactive)
        if log is not None:
            log.close()

    def give(self, line):
        """Tells the guest what comes next: 'NAME LIMIT' of a scenario."""
        with self._plan.open("a") as file:
            file.write(line + "\n")

    def events(self, deadline):
        """Yields the fields of each event as it comes; ends with the machine or at the moment (monotonic seconds) that
        `deadline()` gives."""
        unread = b""
        with self._events.open("rb") as file:
            while True:
                ended = self.process.poll() is not None
                lines = (unread + file.read()).split(b"\n")
                unread = lines.pop()
                for line in lines:
                    yield line.decode(errors="replace").split("\t")
                if not lines:
                    if ended or time.monotonic() > deadline():
                        return
                    time.sleep(0.05)

    def processor_seconds(self):
        """What QEMU has used so far: unlike the time that has passed, it does not depend on what else the host does."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        """Ends QEMU, whatever it is doing, and says whether it was still there."""
        running = self.process.poll() is None
        if running:
            self.process.kill()
        self.process.wait()
        return running


def _escaped(path):
    """QEMU ends a value at a comma unless it is doubled."""
    return str(path).replace(",", ",,")
