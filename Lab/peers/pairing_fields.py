"""What is handed over: which values a camera takes (docs/pairing-protocol.md, 1 and 5), and how they may be printed."""
import hashlib
import string

from pairing_messages import FIELDS, Refusal

SECRETS = ("password", "sessionKey")
VISIBLE = range(0x21, 0x7F)
PRINTABLE = range(0x20, 0x7F)
PLACES = {"region": ("us", "apac", "1", "3"), "environment": ("production", "staging", "dev", "1", "2", "3")}
# Those that a camera joins: neither WEP nor 802.1X.
SECURITIES = (0, 2, 3, 4)


def shown(fields):
    """Fields as they may be printed: of a secret only a part of its digest."""
    return {name: hashlib.sha256(value).hexdigest()[:16] if name in SECRETS else value.hex()
            for name, value in fields.items()}


def checked(name, value):
    """A field's value, or a refusal (sections 1 and 5)."""
    code = FIELDS[name][1]

    def demand(holds, refusal):
        if not holds:
            raise Refusal(refusal, code)
    match name:
        case "ssid":
            demand(1 <= len(value) <= 32, "length")
        case "security":
            demand(len(value) == 1, "length")
            demand(value[0] in SECURITIES, "value")
        case "password":
            demand(8 <= len(value) <= 64, "length")
            if len(value) == 64:
                demand(all(byte in string.hexdigits.encode() for byte in value), "value")
            demand(all(byte in PRINTABLE for byte in value), "value")
        case "sessionKey":
            demand(16 <= len(value) <= 128, "length")
            demand(all(byte in VISIBLE for byte in value), "value")
        case _:
            demand(1 <= len(value) <= 32, "length")
            try:
                demand(value.decode() in PLACES[name], "value")
            except UnicodeDecodeError:
                raise Refusal("notText", code) from None
    return value


def complete(fields):
    """Nothing that is needed is missing."""
    for name in ("ssid", "sessionKey", "region", "environment"):
        if name not in fields:
            raise Refusal("incomplete", FIELDS[name][1])
    is_open = fields["security"] == b"\x00" if "security" in fields else "password" not in fields
    if not is_open and "password" not in fields:
        raise Refusal("incomplete", FIELDS["password"][1])
