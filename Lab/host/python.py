"""The Python programs that the guest runs as peers: Bumble and bleak, in a virtual environment beside the build."""
import shutil
import subprocess

from .layout import LAB, PYTHON, LabError

# Debian's own: other builds of Python often come without Bluetooth sockets.
INTERPRETER = "/usr/bin/python3"


def install():
    """Made anew when Lab/requirements.txt has changed."""
    requirements = LAB / "requirements.txt"
    stamp = PYTHON / "requirements.txt"
    if stamp.exists() and stamp.read_bytes() == requirements.read_bytes():
        return
    shutil.rmtree(PYTHON, ignore_errors=True)
    for command in ([INTERPRETER, "-m", "venv", PYTHON],
                    [PYTHON / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
                     "--requirement", requirements]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise LabError(f"Lab/requirements.txt could not be installed from PyPI:\n{done.stderr.strip()}")
    shutil.copyfile(requirements, stamp)
