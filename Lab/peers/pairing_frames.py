"""How messages of docs/pairing-protocol.md travel in frames (4.3), and how far the camera is in them (4.8)."""
import struct

VERSION = 1
HEADER = 4
LONGEST_FRAME = 512
LONGEST_MESSAGE = 4096


class Malformed(Exception):
    """Bytes that the document does not allow."""


class TooShort(Malformed):
    """A message that ends too early."""


class OutOfOrder(Exception):
    """A frame that is not the one due."""


def frames(message, number, size):
    """A message cut into frames of at most `size` bytes."""
    size = min(size, LONGEST_FRAME)
    rest, index, cut = struct.pack(">H", len(message)) + message, 0, []
    while rest:
        part, rest = rest[:size - HEADER], rest[size - HEADER:]
        flags = (index == 0) | (not rest) << 1
        cut.append(struct.pack(">BBH", VERSION << 4 | flags, number, index) + part)
        index += 1
    return cut


class Reader:
    """Puts frames together, by the five rules."""

    def __init__(self):
        self._delivered = None
        self._number = None
        self._length = 0
        self._due = 0
        self._data = b""

    @property
    def position(self):
        """Section 4.8."""
        if self._number is not None:
            return struct.pack(">BBH", self._number, 1, self._due)
        return struct.pack(">BBH", self._delivered or 0, 0 if self._delivered is None else 2, 0)

    def take(self, frame):
        """(number, message) when this frame completes one."""
        try:
            return self._take(frame)
        except Malformed:
            self._number = None
            raise

    def _take(self, frame):
        if len(frame) <= HEADER or frame[0] >> 4 != VERSION:
            raise Malformed("no frame of version 1")
        first, last = bool(frame[0] & 1), bool(frame[0] & 2)
        number, index = struct.unpack(">BH", frame[1:4])
        part = frame[HEADER:]
        if first != (index == 0):
            raise Malformed("the first flag and the index differ")
        if number == self._delivered:
            return None
        if first:
            if number == self._number:
                return None
            if len(part) < 2:
                raise Malformed("a message without its length")
            self._length, part = int.from_bytes(part[:2], "big"), part[2:]
            if not 1 <= self._length <= LONGEST_MESSAGE:
                raise Malformed("a message of a length that there is not")
            self._number, self._data, self._due = number, b"", 0
        elif number != self._number:
            raise OutOfOrder("a frame that belongs to nothing")
        elif index < self._due:
            return None
        elif index > self._due:
            raise OutOfOrder(f"frame {index} in place of {self._due}")
        self._data += part
        self._due += 1
        if len(self._data) > self._length or last != (len(self._data) == self._length):
            raise Malformed("not as many bytes as announced")
        if not last:
            return None
        self._delivered, self._number = number, None
        return number, self._data


def position(value):
    """(number, state, first missing frame) of section 4.8."""
    if len(value) != 4 or value[1] > 2:
        raise Malformed("no position")
    return struct.unpack(">BBH", value)
