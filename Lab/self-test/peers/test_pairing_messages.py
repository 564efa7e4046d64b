"""Frames and messages against the examples of docs/pairing-protocol.md."""
import pathlib
import re
import unittest

from pairing_frames import Malformed, OutOfOrder, Reader, frames, position
import pairing_messages as wire
from pairing_messages import Answer, End, Info, Network, ScanFailed, State, Welcome

DOCUMENT = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "pairing-protocol.md").read_text()


def examples(name):
    """The values of the document's block of that name."""
    block = re.search(rf"```hex {name}\n(.*?)```", DOCUMENT, re.DOTALL)[1]
    return [bytes.fromhex(line.split(";")[0]) for line in block.splitlines()]


class Examples(unittest.TestCase):
    def test_info(self):
        for value, info in zip(examples("info"), (Info(1, 3, "Stoop 1"), Info(1, 0), Info(7, 7, "Stoop 2")), strict=True):
            self.assertEqual(Info.decode(value), info)
            self.assertEqual(info.encode(), value)

    def test_advertisement(self):
        [value] = examples("advertisement")
        self.assertEqual(wire.Sighting.decode(value[2:]), wire.Sighting(wire.FAILED, 1, 7))
        self.assertEqual(wire.Sighting.decode(value[2:-1]).layouts, wire.STANDARD.bit)

    def test_networks(self):
        items = [Network(3, -48, 3, b"Porchlight Demo"), Network(0, -88, 1, b"Guest"), End(2), ScanFailed()]
        for value, item in zip(examples("network-record"), items, strict=True):
            self.assertEqual(wire.decode_record(value), item)
            self.assertEqual(wire.record(item), value)

    def test_frames(self):
        values = examples("frames")
        first, end = wire.record(Network(3, -48, 3, b"Porchlight Demo")), wire.record(End(1))
        self.assertEqual(frames(first, 0, 20) + frames(end, 1, 20), values)
        reader = Reader()
        self.assertEqual([reader.take(value) for value in values], [None, (0, first), (1, end)])

    def test_requests(self):
        hello, scan, credentials, state = examples("requests")
        self.assertEqual(wire.hello(0xA1B2), hello)
        self.assertEqual((scan, state), (bytes([wire.SCAN]), bytes([wire.STATE])))
        fields = {"ssid": b"Guest", "security": b"\x00", "sessionKey": b"8Zk3vQ1nT0xWb6RgYc2uLw", "region": b"us",
                  "environment": b"dev"}
        self.assertEqual(wire.credentials(fields), credentials)
        self.assertEqual(wire.credential_fields(credentials[1:]), fields)

    def test_answers(self):
        items = [Welcome(Info(7, 7, "Stoop 2"), b"", 0, 0), Network(0, -88, 1, b"Guest"), End(1), Answer(2),
                 Answer(2, 0x80, 3), State(wire.FAILED, 1)]
        for value, item in zip(examples("answers"), items, strict=True):
            conversation, body = wire.unaddressed(value)
            self.assertEqual((conversation, wire.decode(body, wire.CHUNKED)), (0xA1B2, item))
            self.assertEqual(wire.addressed(item.encode(), 0xA1B2), value)

    def test_position(self):
        self.assertEqual([position(value) for value in examples("position")], [(3, 1, 5), (3, 2, 0)])


class Reading(unittest.TestCase):
    """Section 4.3, the five rules."""

    def setUp(self):
        self.reader = Reader()
        self.message = bytes(range(50))
        self.parts = frames(self.message, 7, 20)

    def test_every_mtu(self):
        for size in range(20, 520):
            reader, message = Reader(), bytes(4096)
            cut = frames(message, 3, size)
            self.assertEqual([reader.take(part) for part in cut], [None] * (len(cut) - 1) + [(3, message)])
            self.assertLessEqual(max(map(len, cut)), min(size, 512))

    def test_repetitions_are_dropped(self):
        self.assertEqual([self.reader.take(part) for part in self.parts[:2] * 2 + self.parts[2:] * 2 + self.parts],
                         [None] * 5 + [(7, self.message)] + [None] * 6)

    def test_a_frame_ahead_is_refused_and_the_one_due_taken(self):
        self.reader.take(self.parts[0])
        with self.assertRaises(OutOfOrder):
            self.reader.take(self.parts[2])
        self.assertEqual(self.reader.position, bytes([7, 1, 0, 1]))
        self.assertEqual([self.reader.take(part) for part in self.parts[1:]][-1], (7, self.message))
        self.assertEqual(self.reader.position, bytes([7, 2, 0, 0]))

    def test_what_belongs_to_nothing_is_refused(self):
        with self.assertRaises(OutOfOrder):
            self.reader.take(self.parts[1])
        self.assertEqual(self.reader.position, bytes(4))

    def test_another_message_takes_the_place_of_one_under_way(self):
        self.reader.take(self.parts[0])
        self.assertEqual(self.reader.take(frames(b"new", 8, 20)[0]), (8, b"new"))

    def test_errors_end_the_message_under_way(self):
        good = self.parts[1]
        for bad in (b"", good[:3], good[:4], bytes([0x22]) + good[1:], bytes([0x11]) + good[1:], bytes([0x12]) + good[1:],
                    good + bytes(40)):
            self.reader = Reader()
            self.reader.take(self.parts[0])
            with self.assertRaises(Malformed):
                self.reader.take(bad)
            with self.assertRaises(OutOfOrder):
                self.reader.take(good)
