"""Where the lab keeps what it makes."""
import pathlib

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent.parent
LAB = CHECKOUT / "Lab"
SCENARIOS = LAB / "scenarios"
PRODUCTS = CHECKOUT / ".build" / "lab"
KERNEL = PRODUCTS / "kernel"
INITRD = PRODUCTS / "initrd.gz"
PYTHON = PRODUCTS / "venv"


class LabError(Exception):
    """Something that stops the lab before or between scenarios. The text says what to do."""
