"""The session against the whole handshake that docs/pairing-protocol.md shows (6.3), as either side."""
import pathlib
import re
import unittest

import pairing_messages as wire
from pairing_messages import Answer, Share
from pairing_session import NotOpened, Session, context, stretch
import spake2plus
from spake2plus import Prover, Verifier

DOCUMENT = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "pairing-protocol.md").read_text()
CODE = b"13572468"
X, Y = int.from_bytes(b"\x1f" * 32, "big"), int.from_bytes(b"\x2e" * 32, "big")
CONVERSATION = 0xA1B2


def handshake():
    """The messages of the document's block; each ends with the line that names it."""
    block = re.search(r"```hex handshake\n(.*?)```", DOCUMENT, re.DOTALL)[1]
    return [bytes.fromhex(part) for part in re.sub(r";.*", ";", block).split(";")[:-1]]


class Handshake(unittest.TestCase):
    def setUp(self):
        self.hello, self.welcome, self.share_p, self.share_v, self.confirm, self.sealed, self.scan = handshake()
        self.said = wire.decode(wire.unaddressed(self.welcome)[1], wire.PROTECTED)
        self.scalars = stretch(CODE, self.said.device_id, self.said.salt, self.said.costs)
        self.context = context(self.hello, self.welcome, wire.SETUP_CODE)

    def test_the_clients_side(self):
        prover = Prover(*self.scalars, X)
        self.assertEqual(bytes([wire.SHARE, wire.SETUP_CODE]) + prover.share, self.share_p)
        answer = wire.decode(wire.unaddressed(self.share_v)[1], wire.PROTECTED)
        keys = prover.finish(answer.share, self.context, verifier=self.said.device_id)
        self.assertEqual(keys.confirm_v, answer.confirm)
        self.assertEqual(bytes([wire.CONFIRM]) + keys.confirm_p, self.confirm)
        box = wire.decode(wire.unaddressed(self.sealed)[1], wire.PROTECTED).box
        session = Session(keys.shared, CONVERSATION)
        self.assertEqual(wire.decode(session.to_client.open(box), wire.PROTECTED), Answer(2))
        with self.assertRaises(NotOpened):
            session.to_client.open(box)
        self.assertEqual(bytes([wire.SEALED]) + session.to_camera.seal(bytes([wire.SCAN])), self.scan)

    def test_the_cameras_side(self):
        w0, w1 = self.scalars
        verifier = Verifier(w0, spake2plus.record(w1), Y)
        keys = verifier.finish(self.share_p[2:], self.context, verifier=self.said.device_id)
        share = Share(verifier.share, keys.confirm_v)
        self.assertEqual(wire.addressed(share.encode(), CONVERSATION), self.share_v)
        self.assertEqual(bytes([wire.CONFIRM]) + keys.confirm_p, self.confirm)
        session = Session(keys.shared, CONVERSATION)
        self.assertEqual(session.to_camera.open(self.scan[1:]), bytes([wire.SCAN]))
        box = session.to_client.seal(Answer(2).encode())
        self.assertEqual(wire.addressed(wire.Sealed(box).encode(), CONVERSATION), self.sealed)
