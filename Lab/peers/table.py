"""What the peers' attributes are called, and what stands in them at first. PeerTable.swift of the tests has the same."""
import uuid


def identifier(number):
    return str(uuid.UUID(f"0000{number:04x}-1ab0-4000-8000-706565727321"))


VALUES = identifier(0x0001)
INCLUDED = identifier(0x0002)
CONTROL = identifier(0x0003)
LATER = identifier(0x0004)

SHORT = identifier(0x0101)
LONG = identifier(0x0102)
COMMAND = identifier(0x0103)
BOTH = identifier(0x0104)
NOTIFIED = identifier(0x0105)
INDICATED = identifier(0x0106)
DESCRIBED = identifier(0x0107)
COUNTED = identifier(0x0108)
REFUSING = identifier(0x0109)
INSIDE = identifier(0x0201)
COMMANDS = identifier(0x0301)
AFTERWARDS = identifier(0x0401)
DESCRIPTOR = identifier(0x01d0)

NAMES = {name.lower(): value for name, value in list(globals().items()) if name.isupper()}

SHORT_VALUE = b"short"
LONG_VALUE = bytes(index % 251 for index in range(512))
DESCRIPTION = "a value with descriptors"


def named(word):
    """An identifier by its name here, or as it is."""
    return NAMES.get(word.lower(), word)
