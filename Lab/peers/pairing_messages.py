"""What the two sides of docs/pairing-protocol.md say to each other, written from that document. Sections are its."""
import dataclasses
import struct
import uuid

from pairing_frames import VERSION, Malformed, TooShort

COMPANY = 0xFFFF


def identifier(number):
    return str(uuid.UUID(f"2524{number:04x}-8994-48ce-a065-c4d2ee9fdb73"))


@dataclasses.dataclass(frozen=True)
class Layout:
    """Section 3. Its bit is that of 4.1."""

    name: str
    bit: int
    service: str
    exchange: str | None = None


STANDARD = Layout("standard", 1, identifier(0x01))
CHUNKED = Layout("chunked", 2, identifier(0x10), identifier(0x11))
PROTECTED = Layout("protected", 4, identifier(0x20), identifier(0x21))
# The order of their age, in which they are advertised; the best comes last.
LAYOUTS = {layout.name: layout for layout in (STANDARD, CHUNKED, PROTECTED)}

INFO, DEVICE_ID, NETWORKS = identifier(0x02), identifier(0x03), identifier(0x04)
STATUS = identifier(0x0B)
# Section 3.1 and 4.6: the characteristic of a field, and its code in a message.
FIELDS = {"ssid": (identifier(0x05), 1), "security": (identifier(0x06), 2), "password": (identifier(0x07), 3),
          "sessionKey": (identifier(0x08), 4), "region": (identifier(0x09), 5), "environment": (identifier(0x0A), 6)}
FIELD_CODES = {code: name for name, (_, code) in FIELDS.items()}
SCAN_COMMAND = b"\x01"

# Section 4.1, capabilities.
MANAGES_WIFI, HAS_CODE, INSISTS_ON_CODE = 1, 4, 8
# Section 4.5.
WAITING, WRITING, JOINING, REGISTERING, REGISTERED, FAILED = range(6)
FAILURES = ["none", "wrongPassword", "networkNotFound", "noAddress", "cloudUnreachable", "keyRefused", "unknownDestination",
            "alreadyClaimed", "invalidCredentials", "internalFault", "couldNotJoin"]
# Section 5.
REFUSALS = {"length": 0x80, "notText": 0x81, "value": 0x82, "incomplete": 0x83, "busy": 0x84, "unknownCommand": 0x85,
            "frameOrder": 0x86, "notSubscribed": 0x87, "locked": 0x88, "wrongSetupCode": 0x89, "setupCodeRequired": 0x8A,
            "noSession": 0x8B}
REFUSAL_NAMES = {code: name for name, code in REFUSALS.items()}
# Section 4.6: password kinds of a share.
NO_CODE, SETUP_CODE = 0, 1


class Refusal(Exception):
    """One of section 5, with the code of the field at fault."""

    def __init__(self, name, field=0):
        super().__init__(name)
        self.name, self.code, self.field = name, REFUSALS[name], field


# Values, sections 2 and 4

@dataclasses.dataclass(frozen=True)
class Info:
    layouts: int
    capabilities: int
    model: str = ""

    def encode(self):
        return struct.pack(">BBH", VERSION, self.layouts, self.capabilities) + self.model.encode()

    @classmethod
    def decode(cls, value):
        if not 4 <= len(value) <= 36 or value[0] != VERSION:
            raise Malformed("no info of version 1")
        _, layouts, capabilities = struct.unpack(">BBH", value[:4])
        return cls(layouts, capabilities, value[4:].decode())


@dataclasses.dataclass(frozen=True)
class Sighting:
    """The manufacturer data, without the company."""

    phase: int
    failure: int
    layouts: int

    def encode(self):
        return bytes([0x50, VERSION, self.phase, self.failure, self.layouts])

    @classmethod
    def decode(cls, value):
        if len(value) < 4 or value[:2] != bytes([0x50, VERSION]):
            raise Malformed("not our manufacturer data")
        return cls(value[2], value[3], value[4] if len(value) > 4 else STANDARD.bit)


# The camera's messages, section 4.7. `encode` gives kind and content without the conversation: so they are sealed, and so
# the records of 4.3 are sent, whose kinds are 1 to 3.

@dataclasses.dataclass(frozen=True)
class Welcome:
    info: Info
    device_id: bytes
    phase: int
    failure: int
    salt: bytes = b""
    costs: tuple[int, int, int] | None = None

    def encode(self):
        info = self.info.encode()
        body = (bytes([0x81, VERSION, len(info)]) + info + bytes([len(self.device_id)]) + self.device_id
                + bytes([self.phase, self.failure]))
        return body if self.costs is None else body + bytes([len(self.salt)]) + self.salt + bytes(self.costs)

    @classmethod
    def decode(cls, content, layout):
        parts = Parts(content)
        if parts.byte() != VERSION:
            raise Malformed("a welcome of another version")
        info, device_id = Info.decode(parts.led()), parts.led()
        welcome = cls(info, device_id, parts.byte(), parts.byte())
        if len(device_id) not in (0, 27):
            raise Malformed("no device id")
        if layout is PROTECTED:
            welcome = dataclasses.replace(
                welcome, salt=parts.led(), costs=(parts.byte(), parts.byte(), parts.byte()))
            if len(welcome.salt) != 16:
                raise Malformed("no salt of 16 bytes")
        parts.end()
        return welcome


@dataclasses.dataclass(frozen=True)
class Network:
    security: int
    strength: int
    bands: int
    ssid: bytes

    def encode(self):
        return struct.pack(">BBbB", 0x82, self.security, self.strength, self.bands) + self.ssid

    @classmethod
    def decode(cls, content):
        if not 4 <= len(content) <= 35:
            raise Malformed("no network")
        return cls(*struct.unpack(">BbB", content[:3]), content[3:])


@dataclasses.dataclass(frozen=True)
class End:
    count: int

    def encode(self):
        return struct.pack(">BH", 0x83, self.count)

    @classmethod
    def decode(cls, content):
        if len(content) != 2:
            raise Malformed("no end of a list")
        return cls(int.from_bytes(content, "big"))


@dataclasses.dataclass(frozen=True)
class ScanFailed:
    def encode(self):
        return b"\x84"

    @classmethod
    def decode(cls, content):
        if content:
            raise Malformed("more than 'failed'")
        return cls()


@dataclasses.dataclass(frozen=True)
class Answer:
    number: int
    code: int = 0
    field: int = 0

    def encode(self):
        return bytes([0x85, self.number, self.code, self.field])

    @classmethod
    def decode(cls, content):
        if len(content) != 3:
            raise Malformed("no answer")
        return cls(*content)


@dataclasses.dataclass(frozen=True)
class State:
    phase: int
    failure: int

    def encode(self):
        return bytes([0x86, self.phase, self.failure])

    @classmethod
    def decode(cls, content):
        if len(content) != 2:
            raise Malformed("no state")
        return cls(*content)


@dataclasses.dataclass(frozen=True)
class Share:
    share: bytes
    confirm: bytes

    def encode(self):
        return b"\x90" + self.share + self.confirm

    @classmethod
    def decode(cls, content):
        if len(content) != 97:
            raise Malformed("no share")
        return cls(content[:65], content[65:])


@dataclasses.dataclass(frozen=True)
class Sealed:
    box: bytes

    def encode(self):
        return b"\x92" + self.box

    @classmethod
    def decode(cls, content):
        if len(content) < 17:
            raise Malformed("too short for a sealed message")
        return cls(content)


SAID = {0x82: Network, 0x83: End, 0x84: ScanFailed, 0x85: Answer, 0x86: State, 0x90: Share, 0x92: Sealed}
RECORDS = {1: Network, 2: End, 3: ScanFailed}


def addressed(body, conversation):
    """A message of the camera as it is sent: with the conversation after its kind."""
    return body[:1] + struct.pack(">H", conversation) + body[1:]


def unaddressed(message):
    """(conversation, the message without it)."""
    if len(message) < 3:
        raise Malformed("a message without a conversation")
    return int.from_bytes(message[1:3], "big"), message[:1] + message[3:]


def decode(body, layout):
    """None for a kind that this version does not know (section 10)."""
    if not body:
        raise Malformed("an empty message")
    if body[0] == 0x81:
        return Welcome.decode(body[1:], layout)
    return SAID[body[0]].decode(body[1:]) if body[0] in SAID else None


def record(item):
    """A network, the end or the failure of a list as in 4.3."""
    body = item.encode()
    return bytes([body[0] - 0x81]) + body[1:]


def decode_record(message):
    if not message:
        raise Malformed("an empty record")
    return RECORDS[message[0]].decode(message[1:]) if message[0] in RECORDS else None


class Parts:
    """Reads bytes from the front."""

    def __init__(self, data):
        self._data = data

    def take(self, count):
        if len(self._data) < count:
            raise TooShort("it ends too early")
        part, self._data = self._data[:count], self._data[count:]
        return part

    def byte(self):
        return self.take(1)[0]

    def led(self):
        return self.take(self.byte())

    def end(self):
        if self._data:
            raise Malformed("too long")

    def __bool__(self):
        return bool(self._data)


# The client's messages, section 4.6

HELLO, SCAN, CREDENTIALS, STATE, SHARE, CONFIRM, SEALED = 0x01, 0x02, 0x03, 0x04, 0x10, 0x11, 0x12


def hello(conversation):
    return struct.pack(">BBH", HELLO, VERSION, conversation)


def credentials(fields):
    """Of names and values of section 4.6."""
    return bytes([CREDENTIALS]) + b"".join(
        bytes([FIELDS[name][1], len(value)]) + value for name, value in fields.items())


def credential_fields(content):
    """Names and values; unknown codes are passed over."""
    parts, fields = Parts(content), {}
    while parts:
        code = parts.byte()
        value = parts.led()
        name = FIELD_CODES.get(code)
        if name in fields:
            raise Refusal("value", code)
        if name is not None:
            fields[name] = value
    return fields
