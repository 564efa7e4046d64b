"""SPAKE2+ (RFC 9383) with P256-SHA256-HKDF-SHA256-HMAC-SHA256: two sides prove to each other that they know a password.

For tests: the arithmetic takes a time that depends on its secrets."""
import hashlib
import hmac
import secrets

# FIPS 186-4, D.1.2.3.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b
G = (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
     0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5)
# None is the point at infinity.
INFINITY = None


class Refused(Exception):
    """What the other side sent does not fit: it has another password, or no point of the curve."""


def add(one, other):
    if one is INFINITY or other is INFINITY:
        return other if one is INFINITY else one
    (x1, y1), (x2, y2) = one, other
    if x1 == x2:
        if (y1 + y2) % P == 0:
            return INFINITY
        slope = 3 * (x1 * x1 - 1) * pow(2 * y1, -1, P)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P)
    x3 = (slope * slope - x1 - x2) % P
    return x3, (slope * (x1 - x3) - y1) % P


def multiply(scalar, point):
    result = INFINITY
    for bit in bin(scalar % ORDER)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def negate(point):
    return INFINITY if point is INFINITY else (point[0], -point[1] % P)


def is_on_curve(x, y):
    return max(x, y) < P and (y * y - (x * x * x - 3 * x + B)) % P == 0


def encode(point):
    """Uncompressed, 65 bytes (SEC 1, 2.3.3)."""
    if point is INFINITY:
        raise Refused("the point at infinity")
    return b"\x04" + point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def decode(data):
    if len(data) != 65 or data[0] != 4:
        raise Refused("no uncompressed point of P-256")
    x, y = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
    if not is_on_curve(x, y):
        raise Refused("no point of the curve")
    return x, y


def decompress(text):
    data = bytes.fromhex(text)
    x = int.from_bytes(data[1:], "big")
    y = pow(x * x * x - 3 * x + B, (P + 1) // 4, P)
    return x, y if y % 2 == data[0] % 2 else P - y


# RFC 9383, section 4.
M = decompress("02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f")
N = decompress("03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49")


def led(data):
    """With its length before it, as RFC 9383 puts parts together."""
    return len(data).to_bytes(8, "little") + data


def hkdf(key, info, length=32):
    """HKDF-SHA256 without salt (RFC 5869)."""
    secret = hmac.digest(bytes(32), key, "sha256")
    block = result = b""
    while len(result) < length:
        block = hmac.digest(secret, block + info + bytes([len(result) // 32 + 1]), "sha256")
        result += block
    return result[:length]


def scalars(material):
    """w0 and w1 of a stretched password, whose halves are at least 40 bytes each (RFC 9383, 3.2)."""
    half = len(material) // 2
    return tuple(int.from_bytes(part, "big") % ORDER for part in (material[:half], material[half:]))


def record(w1):
    """L: what the verifier keeps in place of w1."""
    return multiply(w1, G)


class Keys:
    """What both sides come to (RFC 9383, 3.4), each by its own way to Z and V."""

    def __init__(self, context, prover, verifier, w0, share_p, share_v, z, v):
        self.transcript = b"".join(map(led, (
            context, prover, verifier, encode(M), encode(N), share_p, share_v, encode(z), encode(v),
            w0.to_bytes(32, "big"))))
        main = hashlib.sha256(self.transcript).digest()
        confirmation = hkdf(main, b"ConfirmationKeys", 64)
        self.confirm_p = hmac.digest(confirmation[:32], share_v, "sha256")
        self.confirm_v = hmac.digest(confirmation[32:], share_p, "sha256")
        self.shared = hkdf(main, b"SharedKey")


class Prover:
    """Knows the password itself. The scalar is drawn, except in tests with vectors."""

    def __init__(self, w0, w1, scalar=None):
        self._w0, self._w1 = w0, w1
        self._x = scalar or secrets.randbelow(ORDER - 1) + 1
        self.share = encode(add(multiply(self._x, G), multiply(w0, M)))

    def finish(self, share_v, context, prover=b"", verifier=b""):
        """The keys; the caller compares confirm_v with what it got before it sends confirm_p."""
        base = add(decode(share_v), negate(multiply(self._w0, N)))
        return Keys(context, prover, verifier, self._w0, self.share, share_v,
                    multiply(self._x, base), multiply(self._w1, base))


class Verifier:
    """Knows w0 and the record L only."""

    def __init__(self, w0, record, scalar=None):
        self._w0, self._record = w0, record
        self._y = scalar or secrets.randbelow(ORDER - 1) + 1
        self.share = encode(add(multiply(self._y, G), multiply(w0, N)))

    def finish(self, share_p, context, prover=b"", verifier=b""):
        base = add(decode(share_p), negate(multiply(self._w0, M)))
        return Keys(context, prover, verifier, self._w0, share_p, self.share,
                    multiply(self._y, base), multiply(self._y, self._record))


def same(one, other):
    return hmac.compare_digest(one, other)
