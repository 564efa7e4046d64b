"""Does a camera refuse what docs/pairing-protocol.md says, by the code that it says? Sections are that document's."""
import struct

from pairing_conversations import AttError, Failure, refused
from pairing_frames import frames, position
import pairing_messages as wire
from pairing_session import Session
import spake2plus

# Fields without a region: they can be refused, and never apply.
FIELDS = {"ssid": b"Porchlight Demo", "security": b"\x03", "password": b"porchlight",
          "sessionKey": b"8Zk3vQ1nT0xWb6RgYc2uLw", "environment": b"dev"}
# Values that no field may have, each with the code by which it is refused.
MISFITS = [("ssid", b"", "length"), ("ssid", bytes(33), "length"),
           ("security", b"\x05", "value"), ("security", b"\x09", "value"),
           ("password", b"short", "length"), ("password", "pässword".encode(), "value"),
           ("sessionKey", b"short", "length"),
           ("environment", b"moon", "value"), ("environment", b"\xff", "notText")]
LONG = wire.credentials(FIELDS | {"password": b"x" * 64})


class Probe:
    """Of the exchange of one layout, by a conversation (pairing_conversations.Exchange) that has not begun."""

    def __init__(self, talk):
        self.talk, self.link, self.exchange = talk, talk.link, talk.layout.exchange
        self.passed = True

    async def run(self):
        """Whether all was as it must be."""
        await self.before_hello()
        await self.talk.begin()
        await self.in_frames()
        if self.talk.layout is wire.PROTECTED:
            await self.without_key()
            await self.talk.secure(None)
            await self.requests()
            await self.with_key()
        else:
            await self.requests()
        return self.passed

    def check(self, name, found, *expected):
        holds = found in expected
        self.passed = self.passed and holds
        self.talk.say("check", name=name, ok=holds, found=found, expected=expected)

    # What is sent

    def number(self):
        number, self.talk.number = self.talk.number, (self.talk.number + 1) % 256
        return number

    async def write(self, frame):
        """The name of the ATT error, or 'taken'."""
        try:
            await self.link.write(self.exchange, frame)
        except AttError as error:
            return refused("", error.code).result
        return "taken"

    async def ask(self, message, sealed=True):
        """What the message is answered."""
        try:
            await self.talk.ask("", message, sealed=sealed)
        except Failure as failure:
            return failure.result
        return "taken"

    async def position(self):
        return position(await self.link.read(self.exchange))[1:]

    # What must come of it

    async def before_hello(self):
        short = bytes([wire.STATE])
        self.check("a write before the subscription", await self.write(frames(short, 200, 20)[0]), "notSubscribed")
        await self.talk.subscribe()
        self.check("the position before any message", (await self.position())[0], 0)
        self.check("a request before hello", await self.write(frames(short, self.number(), 20)[0]), "noSession")
        unknown = struct.pack(">BBH", wire.HELLO, 2, 1)
        self.check("hello of another version", await self.write(frames(unknown, self.number(), 20)[0]), "value")

    async def in_frames(self):
        number = self.number()
        parts = frames(LONG, number, 20)
        self.check("a frame that belongs to nothing", await self.write(parts[1]), "frameOrder")
        self.check("the first frame", await self.write(parts[0]), "taken")
        self.check("the first frame again", await self.write(parts[0]), "taken")
        self.check("a frame too early", await self.write(parts[2]), "frameOrder")
        self.check("the position after that", await self.position(), (1, 1))
        self.check("the frame that is due", await self.write(parts[1]), "taken")
        self.check("a frame of another version", await self.write(b"\x20" + parts[2][1:]), "length", "value")
        self.check("a frame after the message is forgotten", await self.write(parts[2]), "frameOrder")
        self.check("a frame without payload", await self.write(struct.pack(">BBH", 0x11, self.number(), 0)),
                   "length", "value")
        self.check("more bytes than announced", await self.write(
            struct.pack(">BBHH", 0x13, self.number(), 0, 1) + b"\x04\x04"), "length", "value")
        self.check("a message of no length", await self.write(struct.pack(">BBHH", 0x13, self.number(), 0, 0)),
                   "length", "value")
        self.check("a message too long", await self.write(struct.pack(">BBHH", 0x11, self.number(), 0, 4097) + b"\x03"),
                   "length", "value")

    async def requests(self):
        """What a conversation refuses, sealed where there is a key."""
        self.check("a kind that is not known", await self.ask(b"\x3F"), "unknownCommand")
        self.check("no region", await self.ask(wire.credentials(FIELDS)), "incomplete")
        for name, value, code in MISFITS:
            self.check(f"{name} {value.hex()}", await self.ask(wire.credentials(FIELDS | {name: value})), code)
        self.check("a field that comes twice", await self.ask(
            wire.credentials({"ssid": b"one"}) + wire.credentials(FIELDS)[1:]), "value")
        self.check("a length over the end", await self.ask(wire.credentials(FIELDS) + b"\x05\x10us"), "incomplete")
        self.check("a field of later versions", await self.ask(wire.credentials(FIELDS) + b"\x63\x02??"), "incomplete")
        self.check("the state", await self.ask(bytes([wire.STATE])), "taken")

    async def without_key(self):
        self.check("a scan in the clear", await self.ask(bytes([wire.SCAN])), "noSession")
        self.check("a confirm without a share", await self.ask(bytes([wire.CONFIRM]) + bytes(32)), "noSession")
        self.check("a share that is no point", await self.ask(bytes([wire.SHARE, 0, 4]) + bytes(64)), "value")
        self.check("a share too short", await self.ask(bytes([wire.SHARE, 0]) + bytes(64)), "incomplete")
        self.check("a share of another kind", await self.ask(bytes([wire.SHARE, 7]) + spake2plus.encode(spake2plus.G)),
                   "value")
        sealed = Session(bytes(32), self.talk.conversation).to_camera.seal(bytes([wire.SCAN]))
        self.check("a message of another key", await self.ask(bytes([wire.SEALED]) + sealed), "noSession")

    async def with_key(self):
        self.check("a scan in the clear, with a key", await self.ask(bytes([wire.SCAN]), sealed=False), "noSession")
        self.check("the key is there all the same", await self.ask(bytes([wire.STATE])), "taken")
        self.talk.session.to_camera.seal(b"never sent")
        self.check("a message out of turn", await self.ask(bytes([wire.STATE])), "noSession")
        self.talk.session = None
        self.check("the key is gone", await self.ask(bytes([wire.SEALED]) + bytes(17)), "noSession")
