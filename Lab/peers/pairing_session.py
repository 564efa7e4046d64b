"""The protected layout's session (docs/pairing-protocol.md, 6.3), of either side."""
import hashlib
import secrets
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from pairing_frames import VERSION, Malformed
from pairing_messages import NO_CODE, PROTECTED, SETUP_CODE
from spake2plus import hkdf, led, record, scalars

LIMITS = ((10, 17), (1, 16), (1, 4))
WORN_OUT = 2**32


class NotOpened(Exception):
    """A sealed message that was not sealed with this key, or is not the one due."""


def stretch(password, device_id, salt, costs):
    """(w0, w1). The costs are log2 N, r and p."""
    if any(not low <= cost <= high for cost, (low, high) in zip(costs, LIMITS)):
        raise Malformed(f"scrypt with the costs {costs}")
    n, r, p = 1 << costs[0], costs[1], costs[2]
    return scalars(hashlib.scrypt(led(password) + led(b"") + led(device_id), salt=salt, n=n, r=r, p=p,
                                  maxmem=128 * r * (n + p + 2) + 2**20, dklen=80))


class Registration:
    """What a camera keeps, and shows, of its setup code and of none: for each password kind w0 and L. Takes its time."""

    def __init__(self, code, device_id, costs):
        self.salt, self.costs = secrets.token_bytes(16), costs
        self.records = {NO_CODE: self._record("", device_id)}
        if code is not None:
            self.records[SETUP_CODE] = self._record(code, device_id)

    def _record(self, password, device_id):
        w0, w1 = stretch(password.encode(), device_id.encode(), self.salt, self.costs)
        return w0, record(w1)


def context(hello, welcome, kind):
    """Both messages whole, as they were sent."""
    return (b"Porchlight pairing" + bytes([VERSION, PROTECTED.bit]) + struct.pack(">H", len(hello)) + hello
            + struct.pack(">H", len(welcome)) + welcome + bytes([kind]))


class Direction:
    def __init__(self, shared, name, kind, conversation):
        self._cipher = ChaCha20Poly1305(hkdf(shared, name))
        self._additional = struct.pack(">BH", kind, conversation)
        self._count = 0

    def _nonce(self):
        if self._count == WORN_OUT:
            raise NotOpened("this direction is worn out")
        return bytes(4) + struct.pack(">Q", self._count)

    def seal(self, message):
        box = self._cipher.encrypt(self._nonce(), message, self._additional)
        self._count += 1
        return box

    def open(self, box):
        try:
            message = self._cipher.decrypt(self._nonce(), box, self._additional)
        except InvalidTag:
            raise NotOpened("it does not open") from None
        self._count += 1
        return message


class Session:
    """Both directions of one conversation."""

    def __init__(self, shared, conversation):
        self.to_camera = Direction(shared, b"Porchlight client to camera", 0x12, conversation)
        self.to_client = Direction(shared, b"Porchlight camera to client", 0x92, conversation)
