"""SPAKE2+ against the vectors of RFC 9383, appendix C."""
import unittest

import spake2plus
from spake2plus import Prover, Refused, Verifier

CONTEXT = b"SPAKE2+-P256-SHA256-HKDF-SHA256-HMAC-SHA256 Test Vectors"
W0 = 0xbb8e1bbcf3c48f62c08db243652ae55d3e5586053fca77102994f23ad95491b3
W1 = 0x7e945f34d78785b8a3ef44d0df5a1a97d6b3b460409a345ca7830387a74b1dba
RECORD = ("04eb7c9db3d9a9eb1f8adab81b5794c1f13ae3e225efbe91ea487425854c7fc00f"
          "00bfedcbd09b2400142d40a14f2064ef31dfaa903b91d1faea7093d835966efd")
X = 0xd1232c8e8693d02368976c174e2088851b8365d0d79a9eee709c6a05a2fad539
Y = 0x717a72348a182085109c8d3917d6c43d59b224dc6a7fc4f0483232fa6516d8b3
SHARE_P = ("04ef3bd051bf78a2234ec0df197f7828060fe9856503579bb1733009042c15c0c1"
           "de127727f418b5966afadfdd95a6e4591d171056b333dab97a79c7193e341727")
SHARE_V = ("04c0f65da0d11927bdf5d560c69e1d7d939a05b0e88291887d679fcadea75810fb"
           "5cc1ca7494db39e82ff2f50665255d76173e09986ab46742c798a9a68437b048")
CONFIRM_P = "926cc713504b9b4d76c9162ded04b5493e89109f6d89462cd33adc46fda27527"
CONFIRM_V = "9747bcc4f8fe9f63defee53ac9b07876d907d55047e6ff2def2e7529089d3e68"
SHARED = "0c5f8ccd1413423a54f6c1fb26ff01534a87f893779c6e68666d772bfd91f3e7"


class Vectors(unittest.TestCase):
    def setUp(self):
        self.prover = Prover(W0, W1, X)
        self.verifier = Verifier(W0, spake2plus.record(W1), Y)

    def test_shares_and_record(self):
        self.assertEqual(spake2plus.encode(spake2plus.record(W1)).hex(), RECORD)
        self.assertEqual(self.prover.share.hex(), SHARE_P)
        self.assertEqual(self.verifier.share.hex(), SHARE_V)

    def test_both_sides_come_to_the_same(self):
        for keys in (self.prover.finish(self.verifier.share, CONTEXT, b"client", b"server"),
                     self.verifier.finish(self.prover.share, CONTEXT, b"client", b"server")):
            self.assertEqual((keys.confirm_p.hex(), keys.confirm_v.hex(), keys.shared.hex()),
                             (CONFIRM_P, CONFIRM_V, SHARED))

    def test_another_password_comes_to_nothing(self):
        keys = Prover(W0 + 1, W1, X).finish(self.verifier.share, CONTEXT, b"client", b"server")
        self.assertNotEqual(keys.confirm_v.hex(), CONFIRM_V)

    def test_what_is_no_point_is_refused(self):
        good = self.prover.share
        for share in (b"", good[:64], good + b"\x00", b"\x02" + good[1:], good[:-1] + bytes([good[-1] ^ 1]),
                      b"\x04" + bytes(64), b"\x04" + b"\xff" * 64):
            with self.assertRaises(Refused):
                self.verifier.finish(share, CONTEXT)
