"""What the end-to-end runs share: starting the built program, and finding what it left behind."""
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / ".build" / "debug" / "porchlight"


def check(condition, what):
    if not condition:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {what}")


def run(*words, limit=120, typed="", environment=None):
    """Runs the program to its end; returns its exit code and both outputs."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=limit, input=typed,
                          env=environment)
    return done.returncode, done.stdout, done.stderr


def start(*words, environment=None):
    return subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment)


def next_line(process, containing, limit=60):
    """Reads lines until one contains the text."""
    deadline = time.monotonic() + limit
    for line in process.stdout:
        if containing in line:
            return line.rstrip("\n")
        check(time.monotonic() < deadline, f"no line with '{containing}' within {limit} s")
    check(False, f"the program ended before it printed '{containing}': {process.stderr.read()}")


def is_alive(identifier):
    try:
        os.kill(identifier, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(identifier, limit=10):
    deadline = time.monotonic() + limit
    while is_alive(identifier):
        check(time.monotonic() < deadline, f"process {identifier} is still there")
        time.sleep(0.05)


def camera_process(line):
    """The camera's process id, from the demo's line about its start."""
    return int(line.split("process ")[1].split(",")[0])
