"""A scenario: a file of shell whose header says what it needs. docs/radio-lab.md lists the settings."""
import dataclasses
import pathlib
import re

from .layout import LabError

AIRS = ["btvirt", "bumble"]
DAEMONS = ["dbus", "bluetoothd", "wpa_supplicant"]
SETTING = re.compile(r"# (?P<key>[a-z]+): +(?P<value>\S.*)")


def _number(lowest, highest):
    def parse(text):
        if not text.isdecimal() or not lowest <= int(text) <= highest:
            raise ValueError(f"a number from {lowest} to {highest}")
        return int(text)
    return parse


def _flag(text):
    if text not in ("yes", "no"):
        raise ValueError("yes or no")
    return text == "yes"


def _air(text):
    if text not in AIRS:
        raise ValueError("one of " + ", ".join(AIRS))
    return text


def _daemons(text):
    names = text.split()
    if not set(names) <= set(DAEMONS):
        raise ValueError("some of " + ", ".join(DAEMONS))
    return names


def _words(text):
    return [_word(word) for word in text.split()]


def _word(text):
    if not re.fullmatch(r"[a-z][a-z0-9-]*", text):
        raise ValueError("one word of small letters, digits and '-'")
    return text


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    path: pathlib.Path
    controllers: int = 0
    air: str = "btvirt"
    bumble: bool = False
    radios: int = 0
    video: bool = False
    daemons: list[str] = dataclasses.field(default_factory=list)
    trace: bool = False
    programs: list[str] = dataclasses.field(default_factory=list)
    group: str = "shared"
    limit: int = 60
    tests: int | None = None

    @property
    def needs_python(self):
        return self.bumble or self.air == "bumble"

    def assignments(self):
        """The settings that the guest reads, as lines of shell. The parsers leave nothing that needs quoting."""
        def word(flag):
            return "yes" if flag else "no"
        return (f"controllers={self.controllers}\nair={self.air}\nradios={self.radios}\nvideo={word(self.video)}\n"
                f"bumble={word(self.bumble)}\ntrace={word(self.trace)}\ndaemons='{' '.join(self.daemons)}'\n")


PARSERS = {
    "controllers": _number(0, 16), "air": _air, "bumble": _flag, "radios": _number(0, 8), "video": _flag, "daemons": _daemons,
    "trace": _flag, "programs": _words, "group": _word, "limit": _number(1, 600), "tests": _number(1, 10_000),
}


def read(path):
    settings = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.startswith("#"):
            break
        setting = SETTING.fullmatch(line)
        if setting is None:
            continue
        key, value = setting["key"], setting["value"].strip()
        if key not in PARSERS or key in settings:
            raise LabError(f"{path}:{number}: '{key}' is no setting, or stands twice. Settings: {', '.join(PARSERS)}")
        try:
            settings[key] = PARSERS[key](value)
        except ValueError as expected:
            raise LabError(f"{path}:{number}: '{key}' is {expected}, not '{value}'") from None
    return Scenario(name=path.stem, path=path, **settings)


def read_all(directory, wanted=()):
    """The directory's scenarios in the order of their names, or only the wanted ones."""
    paths = {path.stem: path for path in sorted(directory.glob("*.sh"))}
    unknown = [name for name in wanted if name not in paths]
    if unknown:
        raise LabError(f"no scenario '{unknown[0]}'. There are: {', '.join(paths)}")
    return [read(paths[name]) for name in (wanted or paths)]
